"""``ge.graph.TensorDesc``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from cannery.core import DataType, Format
from cannery.core import Shape as CoreShape
from cannery.core import TensorDesc as CoreDesc
from cannery.ge._engine.arguments import NotCopied, memory_format
from cannery.ge._engine.arguments import data_type as _dtype
from cannery.ge.graph.shape import Shape, integers
from cannery.ge.graph.types import Placement

__all__ = ["TensorDesc"]


def _written(setter: Callable[[Any, Any], Any]) -> Callable[[Any, Any], None]:
    """A setter as a property has it: without a result."""

    def write(self: Any, value: Any) -> None:
        setter(self, value)

    return write


class TensorDesc(NotCopied):
    """Shape, format and data type of a tensor, to be read from a node or given to one.

    A node's descriptor changes only by ``update_input_desc`` / ``update_output_desc``: what a node returns is a copy.

    Raises:
        TypeError: no shape, format or data type.
    """

    def __init__(
        self,
        shape: Shape | Iterable[int] | None = None,
        format: Format = Format.FORMAT_ND,
        data_type: DataType = DataType.DT_FLOAT,
    ) -> None:
        self.core = CoreDesc(_dtype(data_type), dims_of(shape), memory_format(format))
        self._placement = Placement.PLACEMENT_HOST
        self._origin_format: Format | None = None

    @classmethod
    def of(cls, desc: CoreDesc) -> TensorDesc:
        """The descriptor the rest of cannery uses, in GE's spelling."""
        made = cls()
        made.core = desc
        return made

    def get_shape(self) -> Shape:
        """The shape."""
        return Shape(self.core.shape)

    def set_shape(self, shape: Shape | Iterable[int]) -> TensorDesc:
        """Change it; the origin shape follows. The descriptor itself, as of every setter."""
        self.core = replace(self.core, shape=dims_of(shape), origin_shape=None)
        return self

    def get_origin_shape(self) -> Shape:
        """The shape before the format was chosen; the shape itself where none was set."""
        return Shape(self.core.shape if self.core.origin_shape is None else self.core.origin_shape)

    def set_origin_shape(self, shape: Shape | Iterable[int]) -> TensorDesc:
        """Change it."""
        self.core = replace(self.core, origin_shape=dims_of(shape))
        return self

    def get_format(self) -> Format:
        """The format."""
        return self.core.format

    def set_format(self, format: Format) -> TensorDesc:
        """Change it; the origin format follows, unless it was set."""
        self.core = replace(self.core, format=memory_format(format))
        return self

    def get_origin_format(self) -> Format:
        """The format before the compiler chose one; the format itself where none was set."""
        return self.core.format if self._origin_format is None else self._origin_format

    def set_origin_format(self, format: Format) -> TensorDesc:
        """Change it."""
        self._origin_format = memory_format(format)
        return self

    def get_data_type(self) -> DataType:
        """The data type."""
        return self.core.dtype

    def set_data_type(self, data_type: DataType) -> TensorDesc:
        """Change it."""
        self.core = replace(self.core, dtype=_dtype(data_type))
        return self

    def get_placement(self) -> Placement:
        """Where the data lies."""
        return self._placement

    def set_placement(self, placement: Placement) -> TensorDesc:
        """Change it."""
        self._placement = Placement(placement)
        return self

    shape = property(get_shape, _written(set_shape))
    origin_shape = property(get_origin_shape, _written(set_origin_shape))
    format = property(get_format, _written(set_format))
    origin_format = property(get_origin_format, _written(set_origin_format))
    data_type = property(get_data_type, _written(set_data_type))
    placement = property(get_placement, _written(set_placement))

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, TensorDesc) and self.core == other.core

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        spelled = f"format={int(self.core.format)} ({self.core.format.short}), "
        spelled += f"data_type={int(self.core.dtype)} ({self.core.dtype.short})"
        return f"TensorDesc(shape={self.get_shape()}, {spelled})"


def dims_of(shape: Any) -> CoreShape:
    """The dims of a ``Shape`` or a list; none for None."""
    return integers(shape, "shape")
