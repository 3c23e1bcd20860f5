"""Operations of operations: a graph whose tensors are numbered through inputs, outputs, internal ones.

Source: ascend-transformer-boost `include/atb/types.h` (GraphParam, Node, Chunk), `src/atb/operation/` @ddcc8b6.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, zip_longest
from math import prod
from typing import Any

from cannery.atb.context import Context
from cannery.atb.errors import refusal
from cannery.atb.kernel import align
from cannery.atb.memory import ALIGNMENT, Life, open_bytes, place
from cannery.atb.operation import Descs, Operation, Task
from cannery.atb.types import byte_size
from cannery.core import AtbStatus, OperatorError, Shape, Stage, TensorDesc

MAX_TENSORS = 256
MAX_NAME = 128
NAME = re.compile(rf"[A-Za-z0-9_]{{0,{MAX_NAME}}}")
Reshape = Callable[[list[int]], Sequence[int]]


@dataclass(frozen=True)
class Chunk:
    """One of ``chunkNum`` equal parts of a tensor along its first dim."""

    chunkNum: int = 1
    chunkIndex: int = 0


@dataclass
class Node:
    """An operation in a graph, which owns it.

    Attributes:
        inTensorReshapeFuncs: for each input a function from its dims to others, or None.
        inTensorChunks: for each input the part of the tensor that is meant.
    """

    operation: Operation | None = None
    inTensorIds: Sequence[int] = ()
    outTensorIds: Sequence[int] = ()
    inTensorReshapeFuncs: Sequence[Reshape | None] = ()
    inTensorChunks: Sequence[Chunk] = ()

    def views(self) -> list[tuple[int, Reshape | None, Chunk]]:
        """Each input: the tensor's number, how it is reshaped, which part of it is meant."""
        rows = zip_longest(self.inTensorIds, self.inTensorReshapeFuncs, self.inTensorChunks)
        return [(number, reshape, chunk or Chunk()) for number, reshape, chunk in rows]


@dataclass
class GraphParam:
    """A graph. Nodes are in the order they run.

    Attributes:
        inferShapeFunc: gives the outputs' descriptors from the inputs'; by default every node is asked.
    """

    name: str = ""
    inTensorNum: int = 0
    outTensorNum: int = 0
    internalTensorNum: int = 0
    nodes: list[Node] = field(default_factory=list)
    inferShapeFunc: Callable[[Sequence[TensorDesc | None]], Sequence[TensorDesc]] | None = None


class GraphOperation(Operation):
    """An operation that runs its nodes one after the other.

    Raises:
        OperatorError: ERROR_INVALID_GRAPH at stage check.
    """

    def __init__(self, param: GraphParam) -> None:
        check_graph(param)
        super().__init__(param.name or "GraphOperation")
        self.graph = replace(param, nodes=list(param.nodes))
        self._offsets: dict[int, int] = {}
        self._descs: list[TensorDesc] = []
        # For each stream where in the workspace its nodes find theirs: they follow each other there, so one is enough.
        self._rooms: dict[int, tuple[int, int]] = {}
        for operation in self.operations:
            operation.is_owned = True

    @property
    def operations(self) -> list[Operation]:
        """The nodes' operations, in order."""
        return [node.operation for node in self.graph.nodes if node.operation is not None]

    def GetInputNum(self) -> int:
        """Number of inputs."""
        return self.graph.inTensorNum

    def GetOutputNum(self) -> int:
        """Number of outputs."""
        return self.graph.outTensorNum

    def stream_ids(self) -> tuple[int, ...]:
        """The graph's own stream, and those of its nodes."""
        return (self.stream_id, *(number for operation in self.operations for number in operation.stream_ids()))

    def infer(self, descs: Descs) -> tuple[TensorDesc, ...]:
        """Descriptors of the outputs: by the graph's function, or node by node."""
        self._check_count(Stage.INFER_SHAPE, "inTensorDescs", descs, self.GetInputNum())
        if self.graph.inferShapeFunc is not None:
            return self._infer_by_function(descs)
        first = self.graph.inTensorNum
        return tuple(self._infer_all(descs, Stage.INFER_SHAPE)[first : first + self.graph.outTensorNum])

    def plan(self, inputs: Descs, outputs: tuple[TensorDesc, ...], context: Context) -> int:
        """Set every node up, and find room for the internal tensors."""
        self._check_count(Stage.TILING, "inTensors", inputs, self.GetInputNum())
        self._check_count(Stage.TILING, "outTensors", outputs, self.GetOutputNum())
        self._descs = self._infer_all(inputs, Stage.TILING)
        self._descs[len(inputs) : len(inputs) + len(outputs)] = outputs
        kernels: dict[int, int] = {}
        for node in self.graph.nodes:
            operation = node.operation
            assert operation is not None
            views = tuple(self._view(Stage.TILING, self._descs, view) for view in node.views())
            size = operation.plan(views, tuple(self._descs[number] for number in node.outTensorIds), context)
            kernels[operation.stream_id] = max(kernels.get(operation.stream_id, 0), size)
        self._offsets, intermediate = place(self._lives())
        start = align(intermediate, ALIGNMENT)
        for stream_id, size in kernels.items():
            self._rooms[stream_id] = (start, start + align(size, ALIGNMENT))
            start = self._rooms[stream_id][1]
        return start

    def prepare(self, inputs: Sequence[Any], outputs: Sequence[Any], workspace: Any) -> tuple[Task, ...]:
        """The tasks of every node; internal tensors lie in the workspace, and after them what nodes want of it."""
        pairs = [*inputs, *outputs, *(self._internal(number, workspace) for number in sorted(self._offsets))]
        tasks: list[Task] = []
        for node in self.graph.nodes:
            assert node.operation is not None
            given = [self._view_data(pairs, view) for view in node.views()]
            made = [pairs[number] for number in node.outTensorIds]
            tasks.extend(node.operation.prepare(given, made, self._room(node.operation, workspace)))
        return tuple(tasks)

    def has_runner(self) -> bool:
        """Whether every node has its runner."""
        return all(operation.has_runner() for operation in self.operations)

    def release(self) -> None:
        """Give back the runners of every node."""
        for operation in self.operations:
            operation.release()

    def _check_count(self, stage: Stage, what: str, given: Sequence[Any], count: int) -> None:
        if len(given) != count:
            code = AtbStatus.ERROR_INVALID_IN_TENSOR_NUM
            raise self.refuse(stage, what, f"{len(given)} tensors", count, code)

    def _infer_by_function(self, descs: Descs) -> tuple[TensorDesc, ...]:
        function, code = self.graph.inferShapeFunc, AtbStatus.ERROR_GRAPH_INFERSHAPE_FUNC_FAIL
        assert function is not None
        try:
            found = tuple(function(descs))
        except Exception as failure:
            found_text = f"{type(failure).__name__}: {failure}"
            raise self.refuse(Stage.INFER_SHAPE, "inferShapeFunc", found_text, "descriptors", code) from failure
        described = sum(isinstance(desc, TensorDesc) for desc in found)
        if not described == len(found) == self.graph.outTensorNum:
            found_text, expected = f"{described} descriptors of {len(found)}", f"{self.graph.outTensorNum}"
            raise self.refuse(Stage.INFER_SHAPE, "inferShapeFunc", found_text, expected, code)
        return found

    def _infer_all(self, inputs: Descs, stage: Stage) -> list[Any]:
        """Descriptors of all tensors. What is wrong with one at Setup is said as of Setup."""
        graph = self.graph
        descs: list[Any] = [*inputs, *[None] * (graph.outTensorNum + graph.internalTensorNum)]
        for node in graph.nodes:
            assert node.operation is not None
            try:
                made = node.operation.infer(tuple(self._view(stage, descs, view) for view in node.views()))
            except OperatorError as error:
                raise OperatorError(stage, error.operator, *error.facts, error.code) from error
            for number, desc in zip(node.outTensorIds, made, strict=True):
                descs[number] = desc
        return descs

    def _view(self, stage: Stage, descs: Sequence[Any], view: tuple[int, Reshape | None, Chunk]) -> TensorDesc:
        number, reshape, chunk = view
        desc: TensorDesc = descs[number]
        shape = self._chunked(stage, number, desc.shape, chunk)
        return replace(desc, shape=shape if reshape is None else self._reshaped(stage, number, shape, reshape))

    def _chunked(self, stage: Stage, number: int, shape: Shape, chunk: Chunk) -> Shape:
        count, code = chunk.chunkNum, AtbStatus.ERROR_INVALID_GRAPH_NODE_CHUNK
        if count < 1 or not 0 <= chunk.chunkIndex < count or (count > 1 and (not shape or shape[0] % count)):
            found = f"part {chunk.chunkIndex} of {count} of {shape}"
            raise self.refuse(stage, f"tensor {number}", found, "an equal part of the first dim", code)
        return shape if count == 1 else Shape((shape[0] // count, *shape[1:]))

    def _reshaped(self, stage: Stage, number: int, shape: Shape, reshape: Reshape) -> Shape:
        code = AtbStatus.ERROR_GRAPH_NODE_RESHAPE_FUNC_FAIL
        try:
            made = Shape(reshape(list(shape)))
        except Exception as failure:
            found = f"{type(failure).__name__}: {failure}"
            raise self.refuse(stage, f"reshape of tensor {number}", found, "dims", code) from failure
        if prod(made) != prod(shape):
            expected = f"as many elements as {shape}"
            raise self.refuse(stage, f"reshape of tensor {number}", made, expected, code)
        return made

    def _view_data(self, pairs: Sequence[Any], view: tuple[int, Reshape | None, Chunk]) -> tuple[TensorDesc, Any]:
        number, _, chunk = view
        desc, data = pairs[number]
        wanted = self._view(Stage.LAUNCH, [desc], (0, *view[1:]))
        if wanted == desc:
            return desc, data
        size = byte_size(wanted)
        start = size * chunk.chunkIndex
        return wanted, open_bytes(self.name, f"tensor {number}", data, start + size)[start:]

    def _lives(self) -> dict[int, Life]:
        first = self.graph.inTensorNum + self.graph.outTensorNum
        lives: dict[int, Life] = {}
        for at, node in enumerate(self.graph.nodes):
            for number in (*node.outTensorIds, *node.inTensorIds):
                if number >= first:
                    start = lives[number].first if number in lives else at
                    lives[number] = Life(byte_size(self._descs[number]), start, at)
        return lives

    def _room(self, operation: Operation, workspace: Any) -> Any:
        start, end = self._rooms[operation.stream_id]
        return open_bytes(self.name, "workspace", workspace, end)[start:] if end > start else None

    def _internal(self, number: int, workspace: Any) -> tuple[TensorDesc, Any]:
        desc, offset = self._descs[number], self._offsets[number]
        end = offset + byte_size(desc)
        return desc, open_bytes(self.name, f"workspace for tensor {number}", workspace, end)[offset:]


def check_graph(param: GraphParam) -> None:
    """What makes a graph: a name, at most 256 tensors of a kind, nodes that read only what was given or written before.

    Raises:
        OperatorError: ERROR_INVALID_GRAPH at stage check.
    """
    if not NAME.fullmatch(str(param.name)):
        raise _bad(param, "name", f"{param.name!r:.150}", f"at most {MAX_NAME} letters, digits and underscores")
    for name in ("inTensorNum", "outTensorNum", "internalTensorNum"):
        if not 0 <= getattr(param, name) <= MAX_TENSORS:
            raise _bad(param, name, getattr(param, name), f"0 to {MAX_TENSORS}")
    if not param.nodes:
        raise _bad(param, "nodes", "none", "at least one")
    counts = (param.inTensorNum, param.outTensorNum, param.internalTensorNum)
    given, outputs, total = accumulate(counts)
    assigned = set(range(given))
    if len({id(node.operation) for node in param.nodes}) < len(param.nodes):
        raise _bad(param, "nodes", "an operation in two of them", "an operation for each, as nodes own theirs")
    for index, node in enumerate(param.nodes):
        _check_node(param, index, node, assigned, total)
        assigned.update(node.outTensorIds)
    missing = next((number for number in range(given, outputs) if number not in assigned), None)
    if missing is not None:
        raise _bad(param, f"tensor {missing}", "an output that no node writes", "a node that writes it")


def _check_node(param: GraphParam, index: int, node: Node, assigned: set[int], total: int) -> None:
    where, operation = f"nodes[{index}]", node.operation
    if operation is None:
        raise _bad(param, f"{where}.operation", "null", "an operation")
    if operation.is_owned:
        raise _bad(param, f"{where}.operation", "one that another graph owns", "an operation of its own")
    counts = (len(node.inTensorIds), len(node.outTensorIds))
    if counts != (operation.GetInputNum(), operation.GetOutputNum()):
        expected = f"{operation.GetInputNum()} and {operation.GetOutputNum()}, as {operation.name} has"
        raise _bad(param, f"{where} inputs and outputs", f"{counts[0]} and {counts[1]}", expected)
    for number in (*node.inTensorIds, *node.outTensorIds):
        if not 0 <= number < total:
            raise _bad(param, where, f"tensor {number}", f"0 to {total - 1}")
    early = next((number for number in node.inTensorIds if number not in assigned), None)
    if early is not None:
        raise _bad(param, where, f"tensor {early} before a node writes it", "nodes in the order they run")
    again = next((number for number in node.outTensorIds if number in assigned), None)
    if again is not None:
        raise _bad(param, where, f"tensor {again}, which is an input or written already", "a tensor of its own")
    if max(len(node.inTensorReshapeFuncs), len(node.inTensorChunks)) > counts[0]:
        raise _bad(param, where, "more views than inputs", "at most one an input")


def _bad(param: GraphParam, parameter: str, found: object, expected: object) -> OperatorError:
    code, name = AtbStatus.ERROR_INVALID_GRAPH, str(param.name)
    known = name if name and NAME.fullmatch(name) else "GraphOperation"
    return refusal(Stage.CHECK, known, parameter, found, expected, code)
