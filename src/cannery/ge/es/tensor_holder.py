"""``ge.es.TensorHolder``: a tensor of a graph that is being built."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from cannery.core import DataType, Format, TensorDesc
from cannery.ge._engine.arguments import data_type as dtype_of
from cannery.ge._engine.arguments import memory_format
from cannery.ge._engine.model import Source
from cannery.ge.graph.shape import Shape, integers
from cannery.operator import all_operators

__all__ = ["TensorHolder"]


class Builder(Protocol):
    """What a tensor asks of the ``GraphBuilder`` it belongs to."""

    def require_open(self) -> None: ...

    def create_scalar(self, value: float, data_type: DataType) -> TensorHolder: ...

    def apply(
        self, name: str, tensors: Sequence[TensorHolder | None], attrs: Mapping[str, Any]
    ) -> tuple[TensorHolder, ...]: ...


class TensorHolder:
    """An output of a node. Made by a builder or an operator function; the setters return the holder itself.

    ``+ - * /`` stand for GE's operators Add, Sub, Mul and Div, and work as soon as operators of those types are
    installed (entry-point group ``cannery.operators``); without them they are refused by name.
    """

    def __init__(self, builder: Builder, source: Source) -> None:
        self.builder = builder
        self.source = source

    @property
    def name(self) -> str:
        """Name of the node that gives it."""
        return self.source.node.name

    def get_owner_builder(self) -> Any:
        """The ``GraphBuilder`` it belongs to."""
        return self.builder

    def set_data_type(self, data_type: DataType) -> TensorHolder:
        """Declare the data type; inference overrules it."""
        return self._declare(dtype=dtype_of(data_type, "Data type must be a DataType enum"))

    def set_format(self, format: Format) -> TensorHolder:
        """Declare the format."""
        return self._declare(format=memory_format(format, "Format must be a Format enum"))

    def set_shape(self, shape: Shape | Iterable[int]) -> TensorHolder:
        """Declare the shape; inference overrules it."""
        return self._declare(shape=integers(shape, "Shape"), origin_shape=None)

    def _declare(self, **changes: Any) -> TensorHolder:
        self.builder.require_open()
        descs: list[TensorDesc] = self.source.node.output_descs
        descs[self.source.port] = replace(descs[self.source.port], **changes)
        return self

    def __add__(self, other: Any) -> Any:
        return self._arithmetic("+", "Add", other)

    def __sub__(self, other: Any) -> Any:
        return self._arithmetic("-", "Sub", other)

    def __mul__(self, other: Any) -> Any:
        return self._arithmetic("*", "Mul", other)

    def __truediv__(self, other: Any) -> Any:
        return self._arithmetic("/", "Div", other)

    def __radd__(self, other: Any) -> Any:
        return self._arithmetic("+", "Add", other, is_swapped=True)

    def __rsub__(self, other: Any) -> Any:
        return self._arithmetic("-", "Sub", other, is_swapped=True)

    def __rmul__(self, other: Any) -> Any:
        return self._arithmetic("*", "Mul", other, is_swapped=True)

    def __rtruediv__(self, other: Any) -> Any:
        return self._arithmetic("/", "Div", other, is_swapped=True)

    def add(self, other: Any) -> Any:
        """``self + other``."""
        return self + other

    def sub(self, other: Any) -> Any:
        """``self - other``."""
        return self - other

    def mul(self, other: Any) -> Any:
        """``self * other``."""
        return self * other

    def div(self, other: Any) -> Any:
        """``self / other``."""
        return self / other

    def _arithmetic(self, sign: str, operator: str, other: Any, is_swapped: bool = False) -> Any:
        if operator not in all_operators():
            message = f"ge.es.TensorHolder {sign}: found no operator {operator} among those installed"
            raise NotImplementedError(message)
        right = other if isinstance(other, TensorHolder) else self.builder.create_scalar(other, self._dtype)
        pair = (right, self) if is_swapped else (self, right)
        return self.builder.apply(operator, pair, {})[0]

    @property
    def _dtype(self) -> DataType:
        return self.source.desc.dtype

    def __repr__(self) -> str:
        return f"TensorHolder({self.name}:{self.source.port})"
