"""``torch_atb.Builder``: a graph that names its tensors itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cannery.atb.graph import GraphParam
from cannery.atb.graph import Node as GraphNode
from cannery.atb.operation import Operation as AtbOperation
from cannery.atb.single import CreateOperation, GetExecuteStreamId, SetExecuteStreamId
from cannery.atb.torch_atb._graph_builder import Names, ReshapeFunc
from cannery.atb.torch_atb._operation import Operation, mapped


class Node:
    """A node of a graph that is being built."""

    def __init__(self, number: int, in_names: Sequence[str], operation: Operation) -> None:
        self._number = number
        self.in_names = list(in_names)
        self._operation: AtbOperation = operation.take()
        self._built: GraphNode | None = None

    @property
    def operation(self) -> AtbOperation:
        """The node's operation."""
        return self._operation

    @property
    def out_names(self) -> list[str]:
        """The names of the outputs."""
        return [self.get_output(index) for index in range(self._operation.GetOutputNum())]

    @property
    def inTensorIds(self) -> list[int]:
        """Numbers of the inputs; none before the graph is built."""
        return list(self._built.inTensorIds) if self._built is not None else []

    @property
    def outTensorIds(self) -> list[int]:
        """Numbers of the outputs; none before the graph is built."""
        return list(self._built.outTensorIds) if self._built is not None else []

    def get_output(self, index: int) -> str:
        """The name of an output.

        Raises:
            RuntimeError: the operation has no such output.
        """
        count = self._operation.GetOutputNum()
        if not 0 <= index < count:
            raise RuntimeError(f"get_output: found {index}, expected 0 to {count - 1}")
        return f"node{self._number}_outTensor{index}_{self._operation.GetName()}"

    def set_op(self, operation: Operation) -> None:
        """Let the node run another operation."""
        self._operation = operation.take()

    def set_stream_id(self, stream_id: int) -> None:
        """Choose one of the graph's streams."""
        SetExecuteStreamId(self._operation, stream_id)

    def get_stream_id(self) -> int:
        """Which of the graph's streams the node runs on."""
        return GetExecuteStreamId(self._operation)

    def build(self, names: Names) -> GraphNode:
        """The node between numbered tensors."""
        self._built = names.node(self._operation, self.in_names, self.out_names)
        return self._built


class Builder:
    """Builds a graph node by node."""

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._inputs: list[str] = []
        self._outputs: list[str] = []
        self._nodes: list[Node] = []
        self._views: list[tuple[str, ReshapeFunc, str]] = []
        self._streams: list[Any] = []

    def add_input(self, name: str) -> str:
        """Name the graph's next input."""
        self._inputs.append(name)
        return name

    def add_node(self, in_names: Sequence[str], operation: Any) -> Node:
        """Let an operation run next: a parameter, or an ``Operation``, which the graph takes.

        Raises:
            AtbError: a RuntimeError: ATB refuses the parameter.
        """
        made = operation if isinstance(operation, Operation) else Operation(operation)
        node = Node(len(self._nodes), in_names, made)
        self._nodes.append(node)
        return node

    def reshape(self, src_name: str, func: ReshapeFunc, new_name: str) -> str:
        """Give a tensor with other dims a name; ``func`` gets the dims and returns the others."""
        self._views.append((src_name, func, new_name))
        return new_name

    def mark_output(self, name: str) -> None:
        """Make a node's output the graph's next output.

        Raises:
            RuntimeError: no node has an output of that name.
        """
        known = [output for node in self._nodes for output in node.out_names]
        if name not in known:
            expected = ", ".join(known) or "a node first"
            raise RuntimeError(f"mark_output: found {name!r}, expected an output of a node: {expected}")
        self._outputs.append(name)

    def set_execute_streams(self, streams: Sequence[Any]) -> None:
        """The streams among which nodes choose by their stream id: handles of the runtime's streams."""
        self._streams = list(streams)

    def build(self) -> Operation:
        """The graph as an operation.

        Raises:
            AtbError: a RuntimeError: it is no graph.
        """
        names = Names(self._inputs, self._outputs)
        for view in self._views:
            names.reshape(*view)
        nodes = [node.build(names) for node in self._nodes]
        param = GraphParam(self._name, len(self._inputs), len(self._outputs), names.internal, nodes)
        return Operation._of(mapped(lambda: CreateOperation(param)), self._streams)
