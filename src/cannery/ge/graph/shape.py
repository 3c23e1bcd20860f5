"""``ge.graph.Shape``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cannery.core import GeStatus
from cannery.core import Shape as CoreShape
from cannery.ge.error import GeError

__all__ = ["Shape"]


class Shape:
    """Dims; -1 is an unknown dim, ``[-2]`` an unknown rank.

    Its size has GE's two traps: a scalar has size 0, and an unknown shape has size -1. (The runtime's own shape, which
    operators see, says 1 for a scalar.) Source: hicann/ge `docs/en/user_guides/ge_python/api/Shape.md` @ffdcbc9f.

    Raises:
        TypeError: the dims are no list of integers.
    """

    def __init__(self, dims: Iterable[int] | None = None) -> None:
        if isinstance(dims, (int, str, bytes)):
            raise TypeError(f"Shape: found {dims!r}, expected a list of integers")
        self._dims = CoreShape(() if dims is None else dims)

    def get_dims(self) -> list[int]:
        """The dims."""
        return list(self._dims)

    def get_dim_num(self) -> int:
        """Number of dims; 0 for an unknown rank."""
        return 0 if self._dims.is_unknown_rank else self._dims.rank

    def get_dim(self, index: int) -> int:
        """One dim.

        Raises:
            GeError: GRAPH_PARAM_OUT_OF_RANGE.
        """
        if not 0 <= index < len(self._dims):
            found = f"dim {index} of {self}"
            raise GeError(
                f"found {found}, expected 0 to {len(self._dims) - 1}",
                "Shape.get_dim",
                code=GeStatus.GRAPH_PARAM_OUT_OF_RANGE,
            )
        return self._dims[index]

    def set_dim(self, index: int, value: int) -> None:
        """Change one dim.

        Raises:
            GeError: GRAPH_PARAM_OUT_OF_RANGE.
        """
        self.get_dim(index)
        self._dims = CoreShape((*self._dims[:index], value, *self._dims[index + 1 :]))

    def get_shape_size(self) -> int:
        """Number of elements: 0 for a scalar, -1 for an unknown shape.

        Raises:
            GeError: GRAPH_MUL_OVERFLOW: the number does not fit int64.
        """
        if self._dims.is_unknown:
            return -1
        if not self._dims:
            return 0
        try:
            return self._dims.element_count() or 0
        except OverflowError as failure:
            raise GeError(f"found {failure}", "Shape.get_shape_size", code=GeStatus.GRAPH_MUL_OVERFLOW) from None

    def is_unknown_shape(self) -> bool:
        """Whether a dim or the rank is unknown."""
        return self._dims.is_unknown

    def __iter__(self) -> Iterator[int]:
        return iter(self._dims)

    def __len__(self) -> int:
        return len(self._dims)

    def __getitem__(self, index: Any) -> Any:
        return self.get_dims()[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Shape, list, tuple)) and self.get_dims() == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Shape({self.get_dims()})"
