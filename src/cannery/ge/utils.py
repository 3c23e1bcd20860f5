"""``ge.utils``: what may be asked of a graph without running it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from cannery.core import GeStatus, TensorDesc
from cannery.ge._engine.arguments import require
from cannery.ge._engine.compile import Machine, compile_graph
from cannery.ge._engine.instance import instance
from cannery.ge._engine.model import NodeModel
from cannery.ge.error import GeError, calling
from cannery.ge.graph.graph import Graph
from cannery.ge.graph.node import Node
from cannery.ge.graph.shape import Shape
from cannery.ge.graph.tensor_desc import dims_of
from cannery.operator import Operator, OperatorDefinition, UnknownOperatorError, find_operator
from cannery.operator.staged import chip_of

__all__ = ["GeUtils"]


class Support(NamedTuple):
    """Whether the AI core can run a node, and why not. True or false as a whole."""

    is_supported: bool
    reason: str

    def __bool__(self) -> bool:
        return self.is_supported


class GeUtils:
    """Source: hicann/ge `docs/en/user_guides/ge_python` @ffdcbc9f."""

    @staticmethod
    def infer_shape(graph: Graph, input_shapes: list[Shape | Iterable[int]]) -> int:
        """Infer every shape of a graph for these shapes of its inputs, and write them into its nodes.

        Returns:
            0.

        Raises:
            TypeError: no graph, or no shapes.
            GeError: as compilation raises.
        """
        require(graph, Graph, "graph")
        with calling("GeUtils.infer_shape", graph=graph.name):
            compile_graph(graph.model, _machine(), [dims_of(shape) for shape in input_shapes])
        return int(GeStatus.SUCCESS)

    @staticmethod
    def check_node_support_on_aicore(node: Node) -> Support:
        """Whether the AI core of the chip can run a node: registered for it, with such data types and formats.

        Raises:
            TypeError: no node.
        """
        require(node, Node, "node")
        try:
            operator = find_operator(node.type)
        except UnknownOperatorError as failure:
            return Support(False, str(failure))
        reason = _refusal(operator, node.model)
        return Support(not reason, reason)


def _refusal(operator: Operator, node: NodeModel) -> str:
    """Why the AI core cannot run a node; nothing when it can."""
    definition = operator.definition
    if definition.aicore is None and "aicpu" in operator.engines:
        return f"{definition.name} runs on the AI CPU"
    chip = chip_of(definition, _machine().soc)
    socs = definition.socs if definition.aicore is None else definition.aicore.socs
    if chip.short_name not in socs:
        return f"soc: found {chip.name}, expected a chip of {', '.join(socs)}"
    descs = [None if source is None else source.desc for source in node.inputs]
    if not any(_has_column(definition, descs, column) for column in range(definition.column_count)):
        found = ", ".join(f"{desc.dtype.short} {desc.format.short}" for desc in descs if desc is not None)
        return f"inputs: found {found}, expected a column of the operator's data types"
    return ""


def _has_column(definition: OperatorDefinition, descs: Sequence[TensorDesc | None], column: int) -> bool:
    """Whether the inputs that are fed have the data types and formats of a column."""
    return all(
        desc is None or (desc.dtype, desc.format) == (param.dtypes[column], param.format_of(column))
        for param, desc in zip(definition.inputs, descs, strict=False)
    )


def _machine() -> Machine:
    """By the options of GE where it is initialised."""
    try:
        return Machine.of(instance().options())
    except GeError:
        return Machine.of({})
