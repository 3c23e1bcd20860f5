"""``ge.es.GraphBuilder``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any, NoReturn

import numpy as np

from cannery.core import DataType, Format, GeStatus, OperatorError, Shape, TensorDesc
from cannery.ge._engine.arguments import NotCopied, memory_format, require, wrong
from cannery.ge._engine.arguments import data_type as _dtype
from cannery.ge._engine.compile import COMPILE_CODES, unknown_outputs
from cannery.ge._engine.model import CONST, DATA_TYPES, UNSET, GraphModel, NodeModel, Source, invalid, port_attr
from cannery.ge.error import CALL_SEQUENCE, GeError, calling
from cannery.ge.es.scopes import apply_scopes, attr_scope, control_dependency_scope
from cannery.ge.es.tensor_holder import TensorHolder
from cannery.ge.es.types import InputType
from cannery.ge.graph.graph import Graph
from cannery.ge.graph.shape import Shape as GeShape
from cannery.ge.graph.shape import integers
from cannery.ge.graph.tensor import Tensor
from cannery.operator import Operator, find_operator
from cannery.operator.attributes import bind_attributes

__all__ = ["GraphBuilder", "InputType", "TensorHolder", "attr_scope", "control_dependency_scope"]

_RANGES = {
    DataType.DT_UINT64: "Value must be non-negative for uint64, and below 2^64",
    DataType.DT_UINT32: "Value must be in range [0, 2^32-1] for uint32",
}
Values = int | float | Sequence[int] | Sequence[float]
NUMBER = "Number of inputs"
INTEGERS = "Value must be a list of integers"
ONE_OR_MORE = "Value must be an integer or list of integers"
FLOATS = "Value must be a float or list of floats"


class GraphBuilder(NotCopied):
    """Builds one graph: inputs, constants and operators as they are called, then ``build_and_reset``.

    Raises:
        GeError: of every method: FAILED with E10062 once the graph was built; GRAPH_PARAM_INVALID for tensors of
            another builder.
    """

    def __init__(self, name: str | None = None) -> None:
        self._name: str = "graph" if name is None else require(name, str, "Graph name")
        self._model: GraphModel | None = GraphModel(self._name)
        self._outputs: dict[int, Source] = {}
        self._counts: dict[str, int] = {}
        self._indices: set[int] = set()

    @property
    def name(self) -> str:
        """The name of the graph that is being built."""
        return self._name

    def create_input(
        self,
        index: int,
        *,
        name: str | None = None,
        type_str: InputType | str = InputType.DATA,
        data_type: DataType = DataType.DT_FLOAT,
        format: Format = Format.FORMAT_ND,
        shape: GeShape | Iterable[int] | None = None,
    ) -> TensorHolder:
        """An input of the graph.

        Args:
            index: its place among the tensors of a run.
            name: of its node; ``input_<index>`` by default.
            shape: -1 for an unknown dim, ``[-2]`` or None for an unknown rank.

        Raises:
            GeError: GRAPH_PARAM_OUT_OF_RANGE: a negative index; GRAPH_PARAM_INVALID: an index or name that is taken.
            NotImplementedError: AIPP_DATA and ANY_DATA.
        """
        kind = InputType(type_str).value
        if kind not in DATA_TYPES:
            raise NotImplementedError(f"ge.es.InputType.{InputType(kind).name}: cannery has no nodes of type {kind}")
        with calling("GraphBuilder.create_input", graph=self._graph.name):
            _require_index(require(index, int, "Input index"))
            if index in self._indices:
                raise invalid(f"index: found a second input {index}")
            dims = Shape.unknown_rank() if shape is None else integers(shape, "Shape")
            desc = TensorDesc(_dtype(data_type), dims, memory_format(format))
            chosen = require(name, str, "Input name") if name else f"input_{index}"
            node = NodeModel(chosen, kind, {"index": index}, [None], [desc], [desc])
            self._graph.add(apply_scopes(node))
            self._indices.add(index)
        return TensorHolder(self, Source(node, 0))

    def create_inputs(self, num: int, start_index: int = 0) -> list[TensorHolder]:
        """So many inputs in a row, of float and unknown shape until set otherwise.

        Raises:
            TypeError: less than one, or a start below 0.
        """
        if require(num, int, NUMBER) <= 0:
            raise wrong(f"{NUMBER} must be a positive integer", num)
        if require(start_index, int, "Start index") < 0:
            raise wrong("Start index must be a non-negative integer", start_index)
        return [self.create_input(index) for index in range(start_index, start_index + num)]

    def create_const_int64(self, value: Values, shape: GeShape | Iterable[int] | None = None) -> TensorHolder:
        """A constant: a number, or a list with its dims."""
        return self._constant(value, DataType.DT_INT64, shape)

    def create_const_int32(self, value: Values, shape: GeShape | Iterable[int] | None = None) -> TensorHolder:
        """A constant: a number, or a list with its dims."""
        return self._constant(value, DataType.DT_INT32, shape)

    def create_const_uint64(self, value: Values, shape: GeShape | Iterable[int] | None = None) -> TensorHolder:
        """A constant: a number, or a list with its dims."""
        return self._constant(value, DataType.DT_UINT64, shape)

    def create_const_uint32(self, value: Values, shape: GeShape | Iterable[int] | None = None) -> TensorHolder:
        """A constant: a number, or a list with its dims."""
        return self._constant(value, DataType.DT_UINT32, shape)

    def create_const_float(self, value: Values, shape: GeShape | Iterable[int] | None = None) -> TensorHolder:
        """A constant: a number, or a list with its dims."""
        return self._constant(value, DataType.DT_FLOAT, shape)

    def create_vector_int64(self, value: Sequence[int]) -> TensorHolder:
        """A constant of one dim."""
        if not isinstance(value, (list, tuple)):
            raise wrong(INTEGERS, value)
        return self._constant(value, DataType.DT_INT64, expected=INTEGERS)

    def create_scalar_int64(self, value: int) -> TensorHolder:
        """A constant without dims."""
        return self.create_scalar(value, DataType.DT_INT64)

    def create_scalar_int32(self, value: int) -> TensorHolder:
        """A constant without dims."""
        return self.create_scalar(value, DataType.DT_INT32)

    def create_scalar_uint64(self, value: int) -> TensorHolder:
        """A constant without dims."""
        return self.create_scalar(value, DataType.DT_UINT64)

    def create_scalar_uint32(self, value: int) -> TensorHolder:
        """A constant without dims."""
        return self.create_scalar(value, DataType.DT_UINT32)

    def create_scalar_float(self, value: float) -> TensorHolder:
        """A constant without dims."""
        return self.create_scalar(value, DataType.DT_FLOAT)

    def create_scalar(self, value: float, data_type: DataType) -> TensorHolder:
        """A constant without dims, of a data type. (Not among the original's names: ``+ - * /`` use it.)"""
        return self._constant(require_single(value, data_type), data_type)

    def create_variable(self, index: int, name: str) -> NoReturn:
        """Not offered: graphs here keep nothing between two runs.

        Raises:
            TypeError: no index, or no name; NotImplementedError: any other call.
        """
        require(index, int, "Index")
        require(name, str, "Name")
        raise NotImplementedError("ge.es.GraphBuilder.create_variable: cannery's graphs have no variables")

    def set_graph_output(self, tensor: TensorHolder, output_index: int) -> None:
        """Declare an output.

        Raises:
            GeError: GRAPH_PARAM_OUT_OF_RANGE: a negative index.
        """
        with calling("GraphBuilder.set_graph_output", graph=self._graph.name):
            source = self.owned(tensor)
            self._outputs[_require_index(require(output_index, int, "Output index"))] = source

    def add_control_dependency(self, dst: TensorHolder, src: Sequence[TensorHolder]) -> None:
        """Let the node of ``dst`` run after those of ``src``."""
        with calling("GraphBuilder.add_control_dependency", graph=self._graph.name):
            target = self.owned(dst, "dst_tensor").node
            for holder in require(src, list, "src_tensors"):
                self._graph.order(self.owned(holder, "each of src_tensors").node, target)

    def set_graph_attr_int64(self, attr_name: str, value: int) -> None:
        """Set an attribute of the graph."""
        self._graph.attrs[_name(attr_name)] = require(value, int, "Value")

    def set_graph_attr_string(self, attr_name: str, value: str) -> None:
        """Set an attribute of the graph."""
        self._graph.attrs[_name(attr_name)] = require(value, str, "Value")

    def set_graph_attr_bool(self, attr_name: str, value: bool) -> None:
        """Set an attribute of the graph."""
        self._graph.attrs[_name(attr_name)] = require(value, bool, "Value")

    def set_node_attr_int64(self, tensor: TensorHolder, attr_name: str, value: int) -> None:
        """Set an attribute of the node that gives a tensor."""
        self.owned(tensor).node.attrs[_name(attr_name)] = require(value, int, "Value")

    def set_node_attr_string(self, tensor: TensorHolder, attr_name: str, value: str) -> None:
        """Set an attribute of the node that gives a tensor."""
        self.owned(tensor).node.attrs[_name(attr_name)] = require(value, str, "Value")

    def set_node_attr_bool(self, tensor: TensorHolder, attr_name: str, value: bool) -> None:
        """Set an attribute of the node that gives a tensor."""
        self.owned(tensor).node.attrs[_name(attr_name)] = require(value, bool, "Value")

    # A tensor's attributes are kept with its node, named after the output they belong to.
    def set_tensor_attr_int64(self, tensor: TensorHolder, attr_name: str, value: int) -> None:
        """Set an attribute of a tensor."""
        self._set_tensor_attr(tensor, attr_name, value, int)

    def set_tensor_attr_string(self, tensor: TensorHolder, attr_name: str, value: str) -> None:
        """Set an attribute of a tensor."""
        self._set_tensor_attr(tensor, attr_name, value, str)

    def set_tensor_attr_bool(self, tensor: TensorHolder, attr_name: str, value: bool) -> None:
        """Set an attribute of a tensor."""
        self._set_tensor_attr(tensor, attr_name, value, bool)

    def build_and_reset(self, outputs: Sequence[TensorHolder] | None = None) -> Graph:
        """The graph. The builder is of no use afterwards.

        Args:
            outputs: declare these as outputs, in order; without them, those of ``set_graph_output``. A graph without
                any can be edited, not run.

        Raises:
            TypeError: outputs that are no list of holders.
            GeError: GRAPH_PARAM_INVALID: a gap between their indices.
        """
        with calling("GraphBuilder.build_and_reset", graph=self._graph.name):
            declared = self._outputs if outputs is None else self._listed(outputs)
            if sorted(declared) != list(range(len(declared))):
                raise invalid(f"outputs: found indices {sorted(declared)}, expected 0, 1, … without a gap")
            model, self._model = self._graph, None
            model.outputs = [declared[index] for index in sorted(declared)]
        return Graph.of(model)

    def apply(
        self, name: str, tensors: Sequence[TensorHolder | None], attrs: Mapping[str, Any]
    ) -> tuple[TensorHolder, ...]:
        """Add a node of an operator: what every operator function does.

        Raises:
            GeError: GE_GRAPH_PREPARE_FAILED: an attribute the operator refuses; GRAPH_PARAM_INVALID.
        """
        operator = find_operator(name)
        with calling(operator.name, graph=self._graph.name):
            node = self._graph.add(apply_scopes(self._node(operator, tensors, attrs)))
        return tuple(TensorHolder(self, Source(node, index)) for index in range(len(node.output_descs)))

    def owned(self, tensor: Any, what: str = "Tensor") -> Source:
        """The output a holder of this builder stands for.

        Raises:
            TypeError: no holder.
            GeError: GRAPH_PARAM_INVALID: a holder of another builder.
        """
        self.require_open()
        require(tensor, TensorHolder, what)
        if tensor.builder is not self:
            raise invalid(f"found {tensor!r} of another builder, expected one of this builder")
        return tensor.source

    def require_open(self) -> None:
        """Refuse a builder whose graph was built.

        Raises:
            GeError: FAILED with E10062.
        """
        if self._model is None:
            message = "found a builder whose graph was built, expected a new GraphBuilder"
            raise GeError(message, api_name="GraphBuilder", text_code=CALL_SEQUENCE)

    @property
    def _graph(self) -> GraphModel:
        self.require_open()
        assert self._model is not None
        return self._model

    def _node(self, operator: Operator, tensors: Sequence[TensorHolder | None], attrs: Mapping[str, Any]) -> NodeModel:
        definition = operator.definition
        given = {name: value for name, value in attrs.items() if value is not None}
        try:
            bound = bind_attributes(definition, given)
        except OperatorError as refusal:
            raise GeError.of(refusal, COMPILE_CODES[refusal.stage]) from refusal
        inputs = [None if tensor is None else self.owned(tensor) for tensor in tensors]
        return NodeModel(
            self._new_name(definition.name),
            definition.name,
            {name: _listed(bound[name]) for name in bound if name in given},
            list(inputs),
            [UNSET] * len(inputs),
            list(unknown_outputs(definition, [None if source is None else source.desc for source in inputs])),
        )

    def _listed(self, outputs: Any) -> dict[int, Source]:
        if not isinstance(outputs, (list, tuple)):
            raise wrong("Outputs must be a list", outputs)
        if not all(isinstance(tensor, TensorHolder) for tensor in outputs):
            raise wrong("All outputs must be TensorHolder objects", outputs)
        return dict(enumerate(map(self.owned, outputs)))

    def _constant(self, value: Any, dtype: DataType, dims: Any = None, expected: str = "") -> TensorHolder:
        is_list = isinstance(value, (list, tuple))
        values = _numbers(value, list(value) if is_list else [value], dtype, expected)
        shape = integers(dims, "Shape") if dims is not None or not is_list else None
        if shape is not None and prod(shape) != len(values) and not shape.is_unknown:
            raise ValueError(f"Value count ({len(values)}) doesn't match shape {list(shape)}, which has {prod(shape)}")
        tensor = Tensor(values, data_type=dtype, shape=shape).core
        assert tensor is not None
        node = NodeModel(self._new_name(CONST), CONST, output_descs=[tensor.desc], value=tensor)
        self._graph.add(apply_scopes(node))
        return TensorHolder(self, Source(node, 0))

    def _new_name(self, kind: str) -> str:
        number = self._counts.get(kind, 0)
        while f"{kind}_{number}" in self._graph.nodes:
            number += 1
        self._counts[kind] = number + 1
        return f"{kind}_{number}"

    def _set_tensor_attr(self, tensor: TensorHolder, attr_name: str, value: Any, kind: type) -> None:
        source = self.owned(tensor)
        source.node.attrs[port_attr("output", source.port, _name(attr_name))] = require(value, kind, "Value")


def _name(attr_name: str) -> str:
    return str(require(attr_name, str, "Attribute name"))


def _require_index(index: int) -> int:
    if index < 0:
        message = f"index: found {index}, expected 0 or more"
        raise GeError(message, code=GeStatus.GRAPH_PARAM_OUT_OF_RANGE)
    return index


def _is_number(value: Any, dtype: DataType) -> bool:
    kinds = (int, float, np.integer, np.floating) if dtype.is_floating else (int, np.integer)
    return isinstance(value, kinds) and not isinstance(value, bool)


def _numbers(given: Any, values: list[Any], dtype: DataType, expected: str = "") -> list[Any]:
    """The values of a constant.

    Raises:
        TypeError: one that is no number of that kind.
    """
    if not all(_is_number(value, dtype) for value in values):
        raise wrong(expected or (FLOATS if dtype.is_floating else ONE_OR_MORE), given)
    return values


def require_single(value: Any, dtype: DataType) -> Any:
    """The value of a constant without dims.

    Raises:
        TypeError: no number of that kind. ValueError: an unsigned type cannot hold it.
    """
    if not _is_number(value, dtype):
        raise wrong("Value must be a number" if dtype.is_floating else "Value must be an integer", value)
    if dtype in _RANGES and not 0 <= value <= np.iinfo(dtype.numpy).max:
        raise ValueError(f"{_RANGES[dtype]}, found {value}")
    return value


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
