"""``ge.es.GraphBuilder``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from cannery.core import DataType, Format, GeStatus, OperatorError, Shape, TensorDesc
from cannery.ge._engine.compile import COMPILE_CODES, unknown_outputs
from cannery.ge._engine.model import CONST, DATA_TYPES, UNSET, GraphModel, NodeModel, Source, invalid, port_attr
from cannery.ge.error import CALL_SEQUENCE, GeError, calling
from cannery.ge.es.scopes import apply_scopes, attr_scope, control_dependency_scope
from cannery.ge.es.tensor_holder import TensorHolder
from cannery.ge.es.types import InputType
from cannery.ge.graph.graph import Graph
from cannery.ge.graph.shape import Shape as GeShape
from cannery.ge.graph.tensor import Tensor
from cannery.ge.graph.tensor_desc import dims_of
from cannery.operator import Operator, find_operator
from cannery.operator.attributes import bind_attributes

__all__ = ["GraphBuilder", "InputType", "TensorHolder", "attr_scope", "control_dependency_scope"]

Values = int | float | Sequence[int] | Sequence[float]


class GraphBuilder:
    """Builds one graph: inputs, constants and operators as they are called, then ``build_and_reset``.

    Raises:
        GeError: of every method: FAILED with E10062 once the graph was built; GRAPH_PARAM_INVALID for tensors of
            another builder.
    """

    def __init__(self, name: str | None = None) -> None:
        self._name: str = "graph" if name is None else _typed(name, str, "name")
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
            if _typed(index, int, "index") < 0:
                message = f"index: found {index}, expected 0 or more"
                raise GeError(message, code=GeStatus.GRAPH_PARAM_OUT_OF_RANGE)
            if index in self._indices:
                raise invalid(f"index: found a second input {index}")
            dims = Shape.unknown_rank() if shape is None else dims_of(shape)
            desc = TensorDesc(DataType.of(data_type), dims, Format.of(format))
            chosen = _typed(name, str, "name") if name else f"input_{index}"
            node = NodeModel(chosen, kind, {"index": index}, [None], [desc], [desc])
            self._graph.add(apply_scopes(node))
            self._indices.add(index)
        return TensorHolder(self, Source(node, 0))

    def create_inputs(self, num: int, start_index: int = 0) -> list[TensorHolder]:
        """So many inputs in a row, of float and unknown shape until set otherwise."""
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
        return self._constant(list(value), DataType.DT_INT64)

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
        return self._constant(value, data_type)

    def create_variable(self, index: int, name: str) -> NoReturn:
        """Not offered: graphs here keep nothing between two runs."""
        raise NotImplementedError("ge.es.GraphBuilder.create_variable: cannery's graphs have no variables")

    def set_graph_output(self, tensor: TensorHolder, output_index: int) -> None:
        """Declare an output.

        Raises:
            GeError: GRAPH_PARAM_OUT_OF_RANGE: a negative index.
        """
        with calling("GraphBuilder.set_graph_output", graph=self._graph.name):
            if output_index < 0:
                message = f"index: found {output_index}, expected 0 or more"
                raise GeError(message, code=GeStatus.GRAPH_PARAM_OUT_OF_RANGE)
            self._outputs[output_index] = self.owned(tensor)

    def add_control_dependency(self, dst: TensorHolder, src: Sequence[TensorHolder]) -> None:
        """Let the node of ``dst`` run after those of ``src``."""
        with calling("GraphBuilder.add_control_dependency", graph=self._graph.name):
            for holder in src:
                self._graph.order(self.owned(holder).node, self.owned(dst).node)

    def set_graph_attr_int64(self, attr_name: str, value: int) -> None:
        """Set an attribute of the graph."""
        self._graph.attrs[attr_name] = _typed(value, int)

    def set_graph_attr_string(self, attr_name: str, value: str) -> None:
        """Set an attribute of the graph."""
        self._graph.attrs[attr_name] = _typed(value, str)

    def set_graph_attr_bool(self, attr_name: str, value: bool) -> None:
        """Set an attribute of the graph."""
        self._graph.attrs[attr_name] = _typed(value, bool)

    def set_node_attr_int64(self, tensor: TensorHolder, attr_name: str, value: int) -> None:
        """Set an attribute of the node that gives a tensor."""
        self.owned(tensor).node.attrs[attr_name] = _typed(value, int)

    def set_node_attr_string(self, tensor: TensorHolder, attr_name: str, value: str) -> None:
        """Set an attribute of the node that gives a tensor."""
        self.owned(tensor).node.attrs[attr_name] = _typed(value, str)

    def set_node_attr_bool(self, tensor: TensorHolder, attr_name: str, value: bool) -> None:
        """Set an attribute of the node that gives a tensor."""
        self.owned(tensor).node.attrs[attr_name] = _typed(value, bool)

    # A tensor's attributes are kept with its node, named after the output they belong to.
    def set_tensor_attr_int64(self, tensor: TensorHolder, attr_name: str, value: int) -> None:
        """Set an attribute of a tensor."""
        self._set_tensor_attr(tensor, attr_name, _typed(value, int))

    def set_tensor_attr_string(self, tensor: TensorHolder, attr_name: str, value: str) -> None:
        """Set an attribute of a tensor."""
        self._set_tensor_attr(tensor, attr_name, _typed(value, str))

    def set_tensor_attr_bool(self, tensor: TensorHolder, attr_name: str, value: bool) -> None:
        """Set an attribute of a tensor."""
        self._set_tensor_attr(tensor, attr_name, _typed(value, bool))

    def build_and_reset(self, outputs: Sequence[TensorHolder] | None = None) -> Graph:
        """The graph. The builder is of no use afterwards.

        Args:
            outputs: declare these as outputs, in order; without them, those of ``set_graph_output``.

        Raises:
            GeError: GRAPH_PARAM_INVALID: no outputs, or a gap between their indices.
        """
        with calling("GraphBuilder.build_and_reset", graph=self._graph.name):
            declared = self._outputs if outputs is None else dict(enumerate(map(self.owned, outputs)))
            if sorted(declared) != list(range(len(declared))) or not declared:
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

    def owned(self, tensor: Any) -> Source:
        """The output a holder of this builder stands for.

        Raises:
            TypeError: no holder.
            GeError: GRAPH_PARAM_INVALID: a holder of another builder.
        """
        self.require_open()
        if not isinstance(tensor, TensorHolder):
            raise TypeError(f"found {type(tensor).__name__}, expected a TensorHolder")
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
            raise GeError(message, "GraphBuilder", text_code=CALL_SEQUENCE)

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

    def _constant(self, value: Any, dtype: DataType, dims: Any = None) -> TensorHolder:
        is_list = isinstance(value, (list, tuple))
        shape = dims if dims is not None or is_list else []
        tensor = Tensor(list(value) if is_list else [value], data_type=dtype, shape=shape).core
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

    def _set_tensor_attr(self, tensor: TensorHolder, attr_name: str, value: Any) -> None:
        source = self.owned(tensor)
        source.node.attrs[port_attr("output", source.port, attr_name)] = value


def _typed(value: Any, kind: type, what: str = "attribute") -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"{what}: found {value!r:.80}, expected a value of type {kind.__name__}")
    return value


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
