"""The model of a graph: nodes, which output feeds which input, and what may be changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import index as as_index
from typing import Any, NamedTuple

from cannery.core import DataType, GeStatus, Shape, Tensor, TensorDesc
from cannery.ge.error import GeError

DATA_TYPES = ("Data", "RefData")
CONST = "Const"
UNSET = TensorDesc(DataType.DT_FLOAT, Shape.unknown_rank())


class Source(NamedTuple):
    """An output of a node."""

    node: NodeModel
    port: int

    @property
    def desc(self) -> TensorDesc:
        """Its descriptor."""
        return self.node.output_descs[self.port]


@dataclass(eq=False)
class NodeModel:
    """A node.

    Attributes:
        inputs: what feeds each input; None where nothing does.
        controls: nodes that must run before this one.
        value: the data of a constant.
    """

    name: str
    type: str
    attrs: dict[str, Any] = field(default_factory=dict)
    inputs: list[Source | None] = field(default_factory=list)
    input_descs: list[TensorDesc] = field(default_factory=list)
    output_descs: list[TensorDesc] = field(default_factory=list)
    controls: list[NodeModel] = field(default_factory=list)
    value: Tensor | None = None

    def before(self) -> Iterator[NodeModel]:
        """Every node that must run before this one."""
        yield from (source.node for source in self.inputs if source is not None)
        yield from self.controls


@dataclass(eq=False)
class GraphModel:
    """A graph: nodes by name in the order they were added, and the outputs in the order they were declared."""

    name: str
    nodes: dict[str, NodeModel] = field(default_factory=dict)
    outputs: list[Source] = field(default_factory=list)
    attrs: dict[str, Any] = field(default_factory=dict)
    subgraphs: dict[str, GraphModel] = field(default_factory=dict)

    @property
    def inputs(self) -> list[NodeModel]:
        """The data nodes by their index."""
        data = (node for node in self.nodes.values() if node.type in DATA_TYPES)
        return sorted(data, key=_input_index)

    def add(self, node: NodeModel) -> NodeModel:
        """Add a node.

        Raises:
            GeError: GRAPH_PARAM_INVALID: the name is taken.
        """
        if node.name in self.nodes:
            raise invalid(f"found a second node {node.name!r}, expected a name of its own")
        self.nodes[node.name] = node
        return node

    def connect(self, source: Source, node: NodeModel, index: int) -> None:
        """Let an output feed an input that nothing feeds yet.

        Raises:
            GeError: GRAPH_PARAM_INVALID: a node of another graph, or an input that is taken; GRAPH_PARAM_OUT_OF_RANGE.
        """
        self._check(source.node, source.port, len(source.node.output_descs), "output")
        self._check(node, index, len(node.inputs), "input")
        if node.inputs[index] is not None:
            raise invalid(f"input {index} of {node.name} is fed already, expected remove_edge first")
        node.inputs[index] = source

    def disconnect(self, source: Source, node: NodeModel, index: int) -> None:
        """Take that edge away.

        Raises:
            GeError: GRAPH_PARAM_INVALID: there is no such edge.
        """
        self._check(node, index, len(node.inputs), "input")
        if node.inputs[index] != source:
            raise invalid(f"found no edge from {source.node.name}:{source.port} to {node.name}:{index}")
        node.inputs[index] = None

    def order(self, first: NodeModel, second: NodeModel) -> None:
        """A control edge: ``first`` runs before ``second``."""
        self.check_member(first)
        self.check_member(second)
        if first not in second.controls:
            second.controls.append(first)

    def remove(self, node: NodeModel) -> None:
        """Take a node away, with its edges and the outputs it gave."""
        self.check_member(node)
        del self.nodes[node.name]
        self.outputs = [source for source in self.outputs if source.node is not node]
        for other in self.nodes.values():
            other.inputs = [None if s is not None and s.node is node else s for s in other.inputs]
            other.controls = [control for control in other.controls if control is not node]

    def check_member(self, node: NodeModel) -> None:
        """Refuse a node that is not of this graph.

        Raises:
            GeError: GRAPH_PARAM_INVALID.
        """
        if self.nodes.get(node.name) is not node:
            raise invalid(f"found node {node.name!r}, expected one of graph {self.name!r}")

    def _check(self, node: NodeModel, index: int, count: int, what: str) -> None:
        self.check_member(node)
        check_port(node, index, count, what)


def port_attr(what: str, index: int, name: str) -> str:
    """The name under which a node keeps an attribute of one of its inputs or outputs."""
    return f"{what}_{index}.{name}"


def check_port(node: NodeModel, index: int, count: int, what: str) -> None:
    """Refuse an input or output that the node has not.

    Raises:
        TypeError: its number is no integer.
        GeError: GRAPH_PARAM_OUT_OF_RANGE.
    """
    if not 0 <= as_index(index) < count:
        expected = f"0 to {count - 1}" if count else f"none: the node has no {what}s"
        message = f"{node.name} ({node.type}): found {what} {index}, expected {expected}"
        raise GeError(message, code=GeStatus.GRAPH_PARAM_OUT_OF_RANGE)


def _input_index(node: NodeModel) -> int:
    """Which input a data node is. An attribute that was set to no number comes first; compilation refuses it."""
    index = node.attrs["index"]
    return index if isinstance(index, int) else -1


def invalid(message: str) -> GeError:
    """A GRAPH_PARAM_INVALID to raise."""
    return GeError(message, code=GeStatus.GRAPH_PARAM_INVALID)
