"""Compilation: the order of the nodes, and shapes and data types from the inputs to the outputs.

As in the original, inference overwrites the output descriptors a user gave, also where inputs are unknown; what is
still unknown then is inferred again when the graph runs. Source: hicann/ge `docs/en/design/features/infer_shape.md`,
`graph_metadef/register/shape_inference.cc` @ffdcbc9f.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cannery.core import INT64_MAX, GeStatus, OperatorError, Shape, Stage, TensorDesc, trimmed
from cannery.ge._engine.model import CONST, DATA_TYPES, GraphModel, NodeModel, Source
from cannery.ge._engine.options import SOC
from cannery.ge._engine.sort import topological
from cannery.ge.error import NO_INFER_FUNCTION, GeError
from cannery.operator import GE, Operator, OperatorDefinition, UnknownOperatorError, find_operator, staged
from cannery.operator.attributes import bind_attributes
from cannery.operator.staged import Prepared
from cannery.settings import current_settings
from cannery.soc import Soc, soc

COMPILE_CODES = {Stage.CHECK: GeStatus.GE_GRAPH_PREPARE_FAILED, Stage.INFER_SHAPE: GeStatus.GE_GRAPH_INFERSHAPE_FAILED}


@dataclass(frozen=True)
class Machine:
    """What a graph is compiled for; without a chip, each operator's own."""

    soc: Soc | None = None
    quirks: bool = False

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Machine:
        """By the option ``ge.socVersion``, which counts as an argument, and the settings."""
        found = current_settings()
        return cls(soc(options[SOC]) if SOC in options else found.chip, found.quirks)


@dataclass(frozen=True)
class Step:
    """A node that computes. ``call`` is None while an input's shape is unknown."""

    node: NodeModel
    operator: Operator
    inputs: tuple[Source | None, ...]
    call: Prepared | None


@dataclass(frozen=True)
class Plan:
    """A compiled graph.

    Attributes:
        last_use: for each step, the nodes whose outputs nothing needs after it.
    """

    machine: Machine
    inputs: tuple[NodeModel, ...]
    input_descs: tuple[TensorDesc, ...]
    constants: tuple[NodeModel, ...]
    steps: tuple[Step, ...]
    outputs: tuple[Source, ...]
    last_use: tuple[tuple[NodeModel, ...], ...]


def compile_graph(graph: GraphModel, machine: Machine, input_shapes: Sequence[Shape] | None = None) -> Plan:
    """Infer every shape, write them into the nodes, and plan the run.

    Args:
        input_shapes: take these for the data nodes' shapes, by index.

    Raises:
        GeError: GE_GRAPH_PREPARE_FAILED, GE_GRAPH_INFERSHAPE_FAILED, GRAPH_MUL_OVERFLOW, GRAPH_PARAM_OUT_OF_RANGE.
    """
    ordered = topological(graph)
    inputs = _inputs(graph, input_shapes)
    steps = tuple(step for node in ordered for step in _compile_node(node, machine))
    if not graph.outputs:
        raise GeError(f"graph {graph.name!r}: found no outputs", code=GeStatus.GE_GRAPH_PREPARE_FAILED)
    return Plan(
        machine,
        inputs,
        tuple(node.output_descs[0] for node in inputs),
        tuple(node for node in ordered if node.type == CONST),
        steps,
        tuple(graph.outputs),
        _last_use(steps, graph.outputs),
    )


def _inputs(graph: GraphModel, shapes: Sequence[Shape] | None) -> tuple[NodeModel, ...]:
    inputs = graph.inputs
    indices = [node.attrs["index"] for node in inputs]
    if indices != list(range(len(inputs))):
        expected = f"0 to {len(inputs) - 1}, each once"
        message = f"data nodes: found indices {indices}, expected {expected}"
        raise GeError(message, code=GeStatus.GRAPH_PARAM_OUT_OF_RANGE)
    if shapes is not None and len(shapes) != len(inputs):
        message = f"input shapes: found {len(shapes)}, expected one of each of {len(inputs)} data nodes"
        raise GeError(message, code=GeStatus.GRAPH_PARAM_INVALID)
    for node, shape in zip(inputs, shapes or (), strict=False):
        node.output_descs[0] = replace(node.output_descs[0], shape=shape, origin_shape=None)
    return tuple(inputs)


def _compile_node(node: NodeModel, machine: Machine) -> tuple[Step, ...]:
    """The step of a node that computes; none for data and constants, whose descriptors only pass through."""
    if node.type in DATA_TYPES or node.type == CONST:
        node.input_descs = node.output_descs[: len(node.input_descs)]
        _check_size(node)
        return ()
    operator = _operator(node)
    descs = tuple(None if source is None else source.desc for source in node.inputs)
    node.input_descs = [old if desc is None else desc for old, desc in zip(node.input_descs, descs, strict=True)]
    is_unknown = any(desc is not None and desc.shape.is_unknown for desc in descs)
    try:
        outputs, call = _infer(operator, node, trimmed(descs), machine, is_unknown)
    except OperatorError as refusal:
        raise GeError.of(refusal, COMPILE_CODES[refusal.stage], node.name) from refusal
    _check_outputs(node, len(outputs))
    node.output_descs = list(outputs)
    _check_size(node)
    return (Step(node, operator, tuple(node.inputs), None if is_unknown else call),)


def _operator(node: NodeModel) -> Operator:
    try:
        return find_operator(node.type)
    except UnknownOperatorError as failure:
        message = f"node {node.name}: no infer function: {failure}"
        code = GeStatus.GE_GRAPH_PREPARE_FAILED
        raise GeError(message, context={"node": node.name}, code=code, text_code=NO_INFER_FUNCTION) from None


def _infer(
    operator: Operator,
    node: NodeModel,
    descs: tuple[TensorDesc | None, ...],
    machine: Machine,
    is_unknown: bool,
) -> tuple[tuple[TensorDesc, ...], Prepared | None]:
    """Operators that GE infers see unknown shapes; of the others the shapes stay unknown until the graph runs."""
    definition = operator.definition
    if is_unknown and definition.contract is not GE:
        bind_attributes(definition, node.attrs)
        return unknown_outputs(definition, descs), None
    call = infer(operator, node, descs, machine)
    return tuple(replace(desc, origin_shape=desc.shape) for desc in call.context.outputs), call


def infer(operator: Operator, node: NodeModel, descs: tuple[TensorDesc | None, ...], machine: Machine) -> Prepared:
    """The first two stages of the operator's call.

    Raises:
        OperatorError: the operator refuses.
    """
    attrs = {name: value for name, value in node.attrs.items() if operator.definition.attribute(name)}
    return staged.prepare(operator, descs, attrs, soc=machine.soc, quirks=machine.quirks, until=Stage.INFER_SHAPE)


def unknown_outputs(definition: OperatorDefinition, descs: Sequence[TensorDesc | None]) -> tuple[TensorDesc, ...]:
    """Outputs of unknown shape, with the data types of the first column that suits the inputs."""
    column = next((c for c in range(definition.column_count) if _fits(definition, descs, c)), 0)
    return tuple(
        TensorDesc(param.dtypes[min(column, len(param.dtypes) - 1)], Shape.unknown_rank())
        for param in definition.outputs
    )


def _fits(definition: OperatorDefinition, descs: Sequence[TensorDesc | None], column: int) -> bool:
    pairs = zip(definition.inputs, descs, strict=False)
    return all(d is None or p.dtypes[min(column, len(p.dtypes) - 1)] is d.dtype for p, d in pairs)


def _check_outputs(node: NodeModel, count: int) -> None:
    """Refuse a node, from a file, that claims another number of outputs than its operator has."""
    if len(node.output_descs) != count:
        message = f"node {node.name}: found {len(node.output_descs)} outputs, expected {count}"
        raise GeError(message, context={"node": node.name}, code=GeStatus.GE_GRAPH_PREPARE_FAILED)


def _check_size(node: NodeModel) -> None:
    """Refuse descriptors whose bytes do not fit int64."""
    for desc in node.output_descs:
        size = desc.dtype.itemsize
        for dim in desc.shape:
            size *= abs(dim)
        if size > INT64_MAX:
            message = f"node {node.name}: found {desc}, expected a size in bytes that fits int64"
            raise GeError(message, context={"node": node.name}, code=GeStatus.GRAPH_MUL_OVERFLOW)


def _last_use(steps: Sequence[Step], outputs: Sequence[Source]) -> tuple[tuple[NodeModel, ...], ...]:
    kept = {source.node.name for source in outputs}
    last: dict[str, int] = {}
    for index, step in enumerate(steps):
        last.update({source.node.name: index for source in step.inputs if source is not None})
        last.setdefault(step.node.name, index)
    done: list[list[NodeModel]] = [[] for _ in steps]
    nodes = {node.name: node for step in steps for node in (step.node, *(s.node for s in step.inputs if s is not None))}
    for name, index in last.items():
        if name not in kept:
            done[index].append(nodes[name])
    return tuple(tuple(nodes_) for nodes_ in done)
