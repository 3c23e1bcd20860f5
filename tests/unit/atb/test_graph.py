"""Graphs: what makes one, shapes, views, memory inside, streams."""

from typing import Any

import pytest
import torch

from cannery import OperatorError, Shape, atb
from cannery.runtime import Stream

from .conftest import HIDDEN, LENGTHS, LIMIT, Unpad, param


def unpad_node(inputs: Any = (0,), outputs: Any = (2,), **views: Any) -> Any:
    return atb.Node(atb.CreateOperation(param()), inputs, outputs, **views)


def pad_node(inputs: Any = (2,), outputs: Any = (1,), lengths: list[int] = LENGTHS, **views: Any) -> Any:
    return atb.Node(atb.CreateOperation(atb.PadWithHiddenStateParam(list(lengths), LIMIT)), inputs, outputs, **views)


def there_and_back(**changes: Any) -> Any:
    values = {"name": "there_and_back", "inTensorNum": 1, "outTensorNum": 1, "internalTensorNum": 1}
    return atb.GraphParam(**{**values, "nodes": [unpad_node(), pad_node()], **changes})


def run(graph: Any, unpad: Unpad, out: torch.Tensor) -> torch.Tensor:
    pack = atb.VariantPack(unpad.pack.inTensors, [atb.Tensor.of(out)])
    size = graph.Setup(pack, unpad.context)
    graph.Execute(pack, torch.empty(size, dtype=torch.uint8), size, unpad.context)
    unpad.stream.synchronize()
    return out


def zeroed(x: torch.Tensor) -> torch.Tensor:
    mask = torch.arange(LIMIT) < torch.tensor(LENGTHS)[:, None]
    return x * mask[..., None]


def test_two_nodes_and_the_tensor_between_them(unpad: Unpad) -> None:
    graph = atb.CreateOperation(there_and_back())
    desc = unpad.pack.inTensors[0].desc
    assert graph.InferShape([desc])[0] == desc
    assert (graph.GetName(), graph.GetInputNum(), graph.GetOutputNum()) == ("there_and_back", 1, 1)
    out = torch.full_like(unpad.x, torch.nan)
    assert torch.equal(run(graph, unpad, out), zeroed(unpad.x))
    assert graph.Setup(atb.VariantPack(unpad.pack.inTensors, [atb.Tensor.of(out)]), unpad.context) == 512


def test_setup_of_a_graph_replays_every_node(unpad: Unpad) -> None:
    graph = atb.CreateOperation(there_and_back())
    for _ in range(3):
        run(graph, unpad, torch.zeros_like(unpad.x))
    assert (unpad.context.counters.rebuilt, unpad.context.counters.replayed) == (2, 4)


BAD = [
    ("name", {"name": "a-b"}),
    ("name", {"name": "a\n"}),
    ("name", {"name": "a" * 129}),
    ("inTensorNum", {"inTensorNum": 257}),
    ("internalTensorNum", {"internalTensorNum": -1}),
    ("nodes", {"nodes": []}),
    ("nodes[0].operation", {"nodes": [atb.Node(None, [0], [1])]}),
    ("nodes[0] inputs and outputs", {"nodes": [unpad_node((0, 0)), pad_node()]}),
    ("nodes[0]", {"nodes": [unpad_node((3,)), pad_node()]}),
    ("nodes[0]", {"nodes": [pad_node(), unpad_node()]}),
    ("nodes[1]", {"nodes": [unpad_node((0,), (2,)), pad_node((2,), (2,))]}),
    ("nodes[0]", {"nodes": [unpad_node((0,), (0,)), pad_node()]}),
    ("nodes[0]", {"nodes": [unpad_node(inTensorChunks=[atb.Chunk(), atb.Chunk()]), pad_node()]}),
    ("tensor 1", {"nodes": [unpad_node()]}),
]


@pytest.mark.parametrize(("culprit", "changes"), BAD)
def test_what_is_no_graph_is_refused(culprit: str, changes: dict[str, Any]) -> None:
    with pytest.raises(OperatorError) as caught:
        atb.CreateOperation(there_and_back(**changes))
    assert (caught.value.stage.letter, caught.value.parameter) == ("C", culprit)
    assert caught.value.code.name == "ERROR_INVALID_GRAPH"
    assert "\n" not in str(caught.value)


def test_an_operation_belongs_to_one_node() -> None:
    node = unpad_node()
    again = atb.Node(node.operation, [0], [2])
    with pytest.raises(OperatorError, match="an operation in two of them"):
        atb.CreateOperation(there_and_back(nodes=[node, again, pad_node()]))


def test_a_node_that_refuses_says_so_with_the_stage_of_the_call(unpad: Unpad) -> None:
    graph = atb.CreateOperation(there_and_back(nodes=[unpad_node(), pad_node(lengths=[1])]))
    for call, letter in (
        (lambda: graph.InferShape([unpad.pack.inTensors[0].desc]), "I"),
        (lambda: run(graph, unpad, torch.zeros_like(unpad.x)), "S"),
    ):
        with pytest.raises(OperatorError) as caught:
            call()
        assert (caught.value.stage.letter, caught.value.operator) == (letter, "PadWithHiddenState")
        assert caught.value.code.name == "ERROR_INVALID_TENSOR_SIZE"


@pytest.mark.parametrize("count", [0, 2])
def test_a_graph_counts_its_tensors(unpad: Unpad, count: int) -> None:
    graph = atb.CreateOperation(there_and_back())
    one = unpad.pack.inTensors[0]
    for call in (
        lambda: graph.InferShape([one.desc] * count),
        lambda: graph.Setup(atb.VariantPack([one] * count, [one]), unpad.context),
        lambda: graph.Setup(atb.VariantPack([one], [one] * count), unpad.context),
    ):
        with pytest.raises(OperatorError, match="ERROR_INVALID_IN_TENSOR_NUM"):
            call()


def test_shapes_may_come_from_a_function(unpad: Unpad) -> None:
    desc = unpad.pack.inTensors[0].desc
    assert atb.CreateOperation(there_and_back(inferShapeFunc=lambda descs: descs)).InferShape([desc]) == [desc]
    bad: tuple[Any, ...] = (lambda descs: [], lambda descs: descs[7], lambda descs: [5], lambda descs: None)
    for function in bad:
        with pytest.raises(OperatorError, match="ERROR_GRAPH_INFERSHAPE_FUNC_FAIL"):
            atb.CreateOperation(there_and_back(inferShapeFunc=function)).InferShape([desc])


def flat(dims: list[int]) -> list[int]:
    return [dims[0] * dims[1], *dims[2:]]


def test_an_input_may_be_reshaped(unpad: Unpad) -> None:
    lengths = [LIMIT, LIMIT]
    node = pad_node((0,), (1,), lengths, inTensorReshapeFuncs=[flat])
    graph = atb.CreateOperation(there_and_back(internalTensorNum=0, nodes=[node]))
    assert graph.InferShape([unpad.pack.inTensors[0].desc])[0].shape == Shape((2, LIMIT, HIDDEN))
    assert torch.equal(run(graph, unpad, torch.zeros_like(unpad.x)), unpad.x)


@pytest.mark.parametrize("function", [lambda dims: dims[:1], lambda dims: dims[9], lambda dims: ["x"]])
def test_a_reshape_that_fails_or_loses_elements_is_refused(unpad: Unpad, function: Any) -> None:
    node = pad_node((0,), (1,), inTensorReshapeFuncs=[function])
    graph = atb.CreateOperation(there_and_back(internalTensorNum=0, nodes=[node]))
    with pytest.raises(OperatorError, match="ERROR_GRAPH_NODE_RESHAPE_FUNC_FAIL"):
        graph.InferShape([unpad.pack.inTensors[0].desc])


@pytest.mark.parametrize("index", [0, 1])
def test_a_node_may_read_a_part_of_a_tensor(unpad: Unpad, index: int) -> None:
    operation = atb.CreateOperation(atb.UnpadWithHiddenStateParam([5], LIMIT))
    node = atb.Node(operation, [0], [1], inTensorChunks=[atb.Chunk(2, index)])
    graph = atb.CreateOperation(there_and_back(internalTensorNum=0, nodes=[node]))
    assert torch.equal(run(graph, unpad, torch.zeros(5, HIDDEN).half()), unpad.x[index, :5])


@pytest.mark.parametrize("chunk", [atb.Chunk(3, 0), atb.Chunk(2, 2), atb.Chunk(0, 0), atb.Chunk(2, -1)])
def test_parts_that_are_not_equal_or_not_there_are_refused(unpad: Unpad, chunk: Any) -> None:
    graph = atb.CreateOperation(there_and_back(nodes=[unpad_node(inTensorChunks=[chunk]), pad_node()]))
    with pytest.raises(OperatorError, match="ERROR_INVALID_GRAPH_NODE_CHUNK"):
        graph.InferShape([unpad.pack.inTensors[0].desc])


def test_nodes_on_other_streams_wait_for_each_other(unpad: Unpad) -> None:
    graph, second = atb.CreateOperation(there_and_back()), Stream()
    assert isinstance(graph, atb.GraphOperation)
    unpad.context.SetExecuteStreams([unpad.stream, second])
    atb.SetExecuteStreamId(graph.operations[0], 1)
    assert torch.equal(run(graph, unpad, torch.full_like(unpad.x, torch.nan)), zeroed(unpad.x))
    assert second.pending == 0


def test_a_graph_in_a_graph(unpad: Unpad) -> None:
    inner = atb.CreateOperation(atb.GraphParam("inner", 1, 1, 0, [unpad_node((0,), (1,))]))
    graph = atb.CreateOperation(there_and_back(nodes=[atb.Node(inner, [0], [2]), pad_node()]))
    assert torch.equal(run(graph, unpad, torch.zeros_like(unpad.x)), zeroed(unpad.x))


def test_an_update_of_a_node_drops_the_graphs_runner(unpad: Unpad) -> None:
    graph = atb.CreateOperation(there_and_back())
    assert isinstance(graph, atb.GraphOperation)
    pack = atb.VariantPack(unpad.pack.inTensors, [atb.Tensor.of(torch.zeros_like(unpad.x))])
    size = graph.Setup(pack, unpad.context)
    atb.UpdateOperationParam(graph.operations[0], param([4, 4]))
    with pytest.raises(OperatorError, match="ERROR_OPERATION_NULL_RUNNER"):
        graph.Execute(pack, torch.empty(size, dtype=torch.uint8), size, unpad.context)


def nested(param: Any, outputs: Any = (1,)) -> Any:
    return atb.Node(atb.CreateOperation(param), (0,), outputs)


def test_graphs_inside_a_graph_have_room_in_its_workspace(unpad: Unpad) -> None:
    other = nested(there_and_back(), (2,))
    atb.SetExecuteStreamId(other.operation, 1)
    nodes = [nested(there_and_back()), other, unpad_node((2,), (3,))]
    graph = atb.CreateOperation(atb.GraphParam("outer", 1, 3, 0, nodes))
    unpad.context.SetExecuteStreams([unpad.stream, Stream()])
    outs = [torch.full_like(unpad.x, torch.nan), torch.full_like(unpad.x, torch.nan), unpad.out]
    pack = atb.VariantPack(unpad.pack.inTensors, [atb.Tensor.of(out) for out in outs])
    size = graph.Setup(pack, unpad.context)
    assert size == 2 * 512
    graph.Execute(pack, torch.full((size,), 255, dtype=torch.uint8), size, unpad.context)
    unpad.stream.synchronize()
    assert torch.equal(outs[0], zeroed(unpad.x)) and torch.equal(outs[1], zeroed(unpad.x))
    assert torch.equal(unpad.out, unpad.expected)


def test_an_operation_belongs_to_one_graph(unpad: Unpad) -> None:
    param = there_and_back()
    first = atb.CreateOperation(param)
    with pytest.raises(OperatorError, match="one that another graph owns") as caught:
        atb.CreateOperation(param)
    assert caught.value.code.name == "ERROR_INVALID_GRAPH"
    assert torch.equal(run(first, unpad, torch.zeros_like(unpad.x)), zeroed(unpad.x))
