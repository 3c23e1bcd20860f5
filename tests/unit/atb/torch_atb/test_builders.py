"""torch_atb.GraphBuilder and torch_atb.Builder."""

from typing import Any

import pytest
import torch

from cannery.atb import torch_atb
from cannery.runtime import Stream, process

LENGTHS, LIMIT = [3, 5], 8
X = torch.arange(2 * LIMIT * 4).view(2, LIMIT, 4).half()


def unpad() -> Any:
    return torch_atb.UnpadWithHiddenStateParam(LENGTHS, LIMIT)


def pad() -> Any:
    return torch_atb.PadWithHiddenStateParam(LENGTHS, LIMIT)


def expected() -> torch.Tensor:
    return X * (torch.arange(LIMIT) < torch.tensor(LENGTHS)[:, None])[..., None]


def named(*steps: tuple[Any, list[str], list[str]], inputs: Any = ("x",), outputs: Any = ("y",)) -> Any:
    builder = torch_atb.GraphBuilder("named")
    builder.set_input_output(list(inputs), list(outputs))
    for param, ins, outs in steps:
        builder.add_operation(torch_atb.Operation(param), ins, outs)
    return builder


def test_tensors_go_from_node_to_node_by_their_names() -> None:
    graph = named((unpad(), ["x"], ["packed"]), (pad(), ["packed"], ["y"])).build()
    assert (graph.name, graph.input_num, graph.output_num) == ("named", 1, 1)
    assert torch.equal(graph.forward([X])[0], expected())


def test_every_output_comes_back_in_the_order_named() -> None:
    steps = ((unpad(), ["x"], ["packed"]), (pad(), ["packed"], ["y"]))
    made = named(*steps, outputs=("y", "packed")).build().forward([X])
    assert [list(tensor.shape) for tensor in made] == [[2, LIMIT, 4], [8, 4]]


def test_a_tensor_may_be_read_with_other_dims() -> None:
    builder = named(inputs=("rows",))
    builder.reshape("rows", lambda dims: [dims[0] * dims[1], dims[2]], "flat")
    builder.reshape("flat", lambda dims: [dims[0] // 2, 2 * dims[1]], "wide")
    param = torch_atb.PadWithHiddenStateParam([3, 5], 5)
    builder.add_operation(torch_atb.Operation(param), ["wide"], ["y"])
    made = builder.build().forward([X])[0]
    assert torch.equal(made[1], X.view(8, 8)[3:])


def test_a_graph_takes_its_operations() -> None:
    operation = torch_atb.Operation(unpad())
    builder = named(outputs=("packed",))
    builder.add_operation(operation, ["x"], ["packed"])
    with pytest.raises(RuntimeError, match="a graph has taken"):
        operation.forward([X])
    assert torch.equal(builder.build().forward([X])[0][3:], X[1, :5])


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([], "ERROR_INVALID_GRAPH"),
        ([(unpad(), ["nobody"], ["y"])], "ERROR_INVALID_GRAPH"),
        ([(unpad(), ["x", "x"], ["y"])], "ERROR_INVALID_GRAPH"),
        ([(unpad(), ["x"], ["packed"])], "ERROR_INVALID_GRAPH"),
    ],
)
def test_what_is_no_graph_is_refused_with_its_code(steps: list[Any], code: str) -> None:
    with pytest.raises(torch_atb.AtbError, match=code):
        named(*steps).build()


def test_names_are_needed_first_and_only_once() -> None:
    builder = torch_atb.GraphBuilder("named")
    with pytest.raises(RuntimeError, match="set_input_output before it"):
        builder.add_operation(torch_atb.Operation(unpad()), ["x"], ["y"])
    with pytest.raises(RuntimeError, match="'x' twice"):
        builder.set_input_output(["x"], ["x"])
    builder.set_input_output(["x"], ["y"])
    with pytest.raises(RuntimeError, match="'x' again"):
        builder.reshape("y", list, "x")


def test_views_of_each_other_are_refused() -> None:
    builder = named()
    builder.reshape("a", list, "b")
    builder.reshape("b", list, "c")
    for source, name in (("c", "a"), ("d", "d")):
        with pytest.raises(RuntimeError, match=f"'{name}' again"):
            builder.reshape(source, list, name)


def test_a_parameter_is_no_operation() -> None:
    with pytest.raises(TypeError, match="found UnpadWithHiddenStateParam, expected an Operation"):
        named().add_operation(unpad(), ["x"], ["y"])


def test_a_graph_may_be_a_node_of_a_graph() -> None:
    inner = named((unpad(), ["x"], ["packed"]), (pad(), ["packed"], ["y"])).build()
    outer = named(outputs=("rows",))
    outer.add_operation(inner, ["x"], ["batch"])
    outer.add_operation(torch_atb.Operation(unpad()), ["batch"], ["rows"])
    assert torch.equal(outer.build().forward([X])[0], torch.cat([X[0, :3], X[1, :5]]))


def test_a_builder_builds_once() -> None:
    builder = named((unpad(), ["x"], ["y"]))
    graph = builder.build()
    with pytest.raises(RuntimeError, match="another graph owns"):
        builder.build()
    assert graph.forward([X])[0].shape == (8, 4)


def test_a_graph_has_256_tensors_inside_at_most() -> None:
    builder = torch_atb.GraphBuilder("large")
    builder.set_input_output(["x"], ["y"])
    with pytest.raises(RuntimeError, match="at most 256"):
        for number in range(300):
            builder.add_operation(torch_atb.Operation(unpad()), ["x"], [f"t{number}"])


def chain() -> tuple[Any, Any, Any]:
    builder = torch_atb.Builder("chain")
    first = builder.add_node([builder.add_input("x")], unpad())
    second = builder.add_node([first.get_output(0)], torch_atb.Operation(pad()))
    builder.mark_output(second.get_output(0))
    return builder, first, second


def test_a_builder_names_the_tensors() -> None:
    builder, first, second = chain()
    assert first.get_output(0) == "node0_outTensor0_UnpadWithHiddenStateOperation"
    assert second.operation.GetName() == "PadWithHiddenStateOperation"
    graph = builder.build()
    assert ([first.inTensorIds, first.outTensorIds], [second.inTensorIds, second.outTensorIds]) == (
        [[0], [2]],
        [[2], [1]],
    )
    assert torch.equal(graph.forward([X])[0], expected())


def test_outputs_are_marked_in_their_order_and_must_be_a_nodes() -> None:
    builder, first, _ = chain()
    builder.mark_output(first.get_output(0))
    assert [list(tensor.shape) for tensor in builder.build().forward([X])] == [[2, LIMIT, 4], [8, 4]]
    with pytest.raises(RuntimeError, match="mark_output: found 'x'"):
        builder.mark_output("x")
    with pytest.raises(RuntimeError, match="get_output: found 1"):
        first.get_output(1)


def test_a_builder_reshapes() -> None:
    builder = torch_atb.Builder("reshaped")
    flat = builder.reshape(builder.add_input("x"), lambda dims: [dims[0] * dims[1], dims[2]], "flat")
    node = builder.add_node([flat], torch_atb.PadWithHiddenStateParam([16], 16))
    builder.mark_output(node.get_output(0))
    assert torch.equal(builder.build().forward([X])[0][0], X.view(16, 4))


def test_a_nodes_operation_can_be_replaced() -> None:
    builder, first, _ = chain()
    first.set_op(torch_atb.Operation(torch_atb.UnpadWithHiddenStateParam([5, 3], LIMIT)))
    with pytest.raises(RuntimeError, match="mark_output"):
        builder.mark_output("node0")
    assert torch.equal(builder.build().forward([X])[0][0, :3], X[0, :3])


def test_nodes_choose_among_the_graphs_streams() -> None:
    builder, first, _ = chain()
    streams = [process().handles.add(Stream()), Stream()]
    builder.set_execute_streams(streams)
    first.set_stream_id(1)
    assert first.get_stream_id() == 1
    graph = builder.build()
    for _ in range(2):
        assert torch.equal(graph.forward([X])[0], expected())


def test_what_is_no_stream_is_refused() -> None:
    builder, _, _ = chain()
    builder.set_execute_streams([12345])
    with pytest.raises(RuntimeError, match="found 12345, expected handles of streams"):
        builder.build()


def test_a_refusal_inside_a_graph_names_the_node() -> None:
    graph = named((unpad(), ["x"], ["packed"]), (torch_atb.PadWithHiddenStateParam([1], 2), ["packed"], ["y"])).build()
    with pytest.raises(torch_atb.AtbError, match="PadWithHiddenState: infer_shape: x: found") as caught:
        graph.forward([X])
    assert caught.value.code.value == 9
