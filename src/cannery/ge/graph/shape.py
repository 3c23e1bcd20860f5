"""``ge.graph.Shape``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cannery.core import GeStatus
from cannery.core import Shape as CoreShape
from cannery.ge._engine.arguments import wrong
from cannery.ge.error import GeError

__all__ = ["Shape"]


class Shape(list[int]):
    """A list of dims; -1 is an unknown dim, ``[-2]`` an unknown rank.

    Its size has GE's two traps: a scalar has size 0, and an unknown shape has size -1. (The runtime's own shape, which
    operators see, says 1 for a scalar.) Source: hicann/ge `docs/en/user_guides/ge_python/api/Shape.md` @ffdcbc9f.

    Raises:
        TypeError: the dims are no list of integers.
    """

    def __init__(self, dims: Iterable[int] | None = None) -> None:
        super().__init__(integers(dims, "dims"))

    def get_dims(self) -> list[int]:
        """The dims."""
        return list(self)

    def get_dim_num(self) -> int:
        """Number of dims; 0 for an unknown rank."""
        return 0 if CoreShape(self).is_unknown_rank else len(self)

    def get_dim(self, index: int) -> int:
        """One dim.

        Raises:
            GeError: GRAPH_PARAM_OUT_OF_RANGE.
        """
        if not 0 <= index < len(self):
            found = f"dim {index} of {self}"
            raise GeError(
                f"found {found}, expected 0 to {len(self) - 1}",
                api_name="Shape.get_dim",
                code=GeStatus.GRAPH_PARAM_OUT_OF_RANGE,
            )
        return self[index]

    def set_dim(self, index: int, value: int) -> None:
        """Change one dim.

        Raises:
            GeError: GRAPH_PARAM_OUT_OF_RANGE.
        """
        self.get_dim(index)
        self[index] = CoreShape((value,))[0]

    def get_shape_size(self) -> int:
        """Number of elements: 0 for a scalar, -1 for an unknown shape.

        Raises:
            GeError: GRAPH_MUL_OVERFLOW: the number does not fit int64.
        """
        if self.is_unknown_shape():
            return -1
        if not self:
            return 0
        try:
            return CoreShape(self).element_count() or 0
        except OverflowError as failure:
            code = GeStatus.GRAPH_MUL_OVERFLOW
            raise GeError(f"found {failure}", api_name="Shape.get_shape_size", code=code) from None

    def is_unknown_shape(self) -> bool:
        """Whether a dim or the rank is unknown."""
        return CoreShape(self).is_unknown


def integers(dims: Any, what: str) -> CoreShape:
    """The dims of a ``Shape`` or a list; none for None.

    Raises:
        TypeError: "<what> must be a list of integers, found <value>".
    """
    if isinstance(dims, (str, bytes)):
        raise wrong(f"{what} must be a list of integers", dims)
    try:
        return CoreShape(() if dims is None else dims)
    except TypeError:
        raise wrong(f"{what} must be a list of integers", dims) from None
