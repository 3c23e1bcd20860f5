"""``ge.graph.TensorDesc``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from cannery.core import DataType, Format
from cannery.core import Shape as CoreShape
from cannery.core import TensorDesc as CoreDesc
from cannery.ge.graph.shape import Shape
from cannery.ge.graph.types import Placement

__all__ = ["TensorDesc"]


class TensorDesc:
    """Shape, format and data type of a tensor, to be read from a node or given to one.

    A node's descriptor changes only by ``update_input_desc`` / ``update_output_desc``: what a node returns is a copy.

    Raises:
        TypeError, ValueError: no shape, format or data type.
    """

    def __init__(
        self,
        shape: Shape | Iterable[int] | None = None,
        format: Format = Format.FORMAT_ND,
        data_type: DataType = DataType.DT_FLOAT,
    ) -> None:
        self.core = CoreDesc(DataType.of(data_type), dims_of(shape), Format.of(format))
        self._placement = Placement.PLACEMENT_HOST

    @classmethod
    def of(cls, desc: CoreDesc) -> TensorDesc:
        """The descriptor the rest of cannery uses, in GE's spelling."""
        made = cls()
        made.core = desc
        return made

    def get_shape(self) -> Shape:
        """The shape."""
        return Shape(self.core.shape)

    def set_shape(self, shape: Shape | Iterable[int]) -> None:
        """Change it; the origin shape follows."""
        self.core = replace(self.core, shape=dims_of(shape), origin_shape=None)

    def get_origin_shape(self) -> Shape:
        """The shape before the format was chosen; the shape itself where none was set."""
        return Shape(self.core.shape if self.core.origin_shape is None else self.core.origin_shape)

    def set_origin_shape(self, shape: Shape | Iterable[int]) -> None:
        """Change it."""
        self.core = replace(self.core, origin_shape=dims_of(shape))

    def get_format(self) -> Format:
        """The format."""
        return self.core.format

    def set_format(self, format: Format) -> None:
        """Change it."""
        self.core = replace(self.core, format=Format.of(format))

    def get_data_type(self) -> DataType:
        """The data type."""
        return self.core.dtype

    def set_data_type(self, data_type: DataType) -> None:
        """Change it."""
        self.core = replace(self.core, dtype=DataType.of(data_type))

    def get_placement(self) -> Placement:
        """Where the data lies."""
        return self._placement

    def set_placement(self, placement: Placement) -> None:
        """Change it."""
        self._placement = Placement(placement)

    shape = property(get_shape, set_shape)
    origin_shape = property(get_origin_shape, set_origin_shape)
    format = property(get_format, set_format)
    data_type = property(get_data_type, set_data_type)
    placement = property(get_placement, set_placement)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, TensorDesc) and self.core == other.core

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"TensorDesc({self.core})"


def dims_of(shape: Any) -> CoreShape:
    """The dims of a ``Shape`` or a list; none for None."""
    return CoreShape(Shape(shape))
