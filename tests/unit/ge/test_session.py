"""Sessions: compilation, runs, streams, order of calls."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch

import cannery
from cannery.core import DataType, GeStatus, OperatorError
from cannery.ge._engine.compile import Machine, compile_graph
from cannery.ge.error import GeError
from cannery.ge.es import GraphBuilder
from cannery.ge.es.all import PadWithHiddenState, UnpadWithHiddenState, UpdateTensorDesc
from cannery.ge.ge_global import GeApi
from cannery.ge.graph import Graph, Tensor, TensorDesc
from cannery.ge.session import Session
from cannery.ge.utils import GeUtils
from cannery.runtime import RuntimeFault, Stream

Make = Callable[..., Graph]
X = [1.0] * 6


def x_tensor(shape: Sequence[int] = (2, 3), dtype: DataType = DataType.DT_FLOAT) -> Tensor:
    count = 1
    for dim in shape:
        count *= dim
    return Tensor([1.0] * count, data_type=dtype, shape=shape)


def test_a_run_writes_the_descriptor_into_zeros(session: Session, one_operator: Make) -> None:
    session.add_graph(0, one_operator())
    (y,) = session.run_graph(0, [x_tensor()])
    assert (y.get_shape().get_dims(), y.get_data_type()) == ([4, 8, 4], DataType.DT_INT64)
    assert np.ravel(y.get_data()).tolist() == [0, 0, 0, 3, 4, 8, 4, *[0] * 121]


def test_a_second_run_gets_memory_of_its_own(session: Session, one_operator: Make) -> None:
    session.add_graph(0, one_operator())
    first, second = (session.run_graph(0, [x_tensor()])[0] for _ in range(2))
    assert first.core and second.core and first.core.torch.data_ptr() != second.core.torch.data_ptr()


def test_compilation_overwrites_what_the_user_declared(session: Session, one_operator: Make) -> None:
    graph = one_operator(x=(-1, -1))
    node = graph.get_direct_nodes()[1]
    node.update_output_desc(0, TensorDesc([-1, -1, -1], data_type=DataType.DT_FLOAT))
    session.add_graph(0, graph)
    assert node.get_output_desc(0).data_type is DataType.DT_FLOAT, "compilation happens when the graph runs"
    session.run_graph(0, [x_tensor()])
    desc = node.get_output_desc(0)
    assert (desc.data_type, desc.shape, desc.origin_shape) == (DataType.DT_INT64, [4, 8, 4], [4, 8, 4])
    assert graph.get_direct_nodes()[0].get_output_desc(0).shape == [-1, -1]
    assert node.get_input_desc(0).shape == [-1, -1]


@pytest.mark.parametrize("declared", [[-1, -1], [-2], None, [2, -1]])
def test_unknown_inputs_take_any_shape_that_fits(session: Session, one_operator: Make, declared: Any) -> None:
    session.add_graph(0, one_operator(x=declared))
    for columns in (3, 5):
        assert session.run_graph(0, [x_tensor((2, columns))])[0].get_shape() == [4, 8, 4]


@pytest.mark.parametrize("declared", [[2, 3], [-1, 4], [-1], [2, -1, -1]])
def test_an_input_that_contradicts_its_node_is_refused(session: Session, one_operator: Make, declared: Any) -> None:
    session.add_graph(0, one_operator(x=declared))
    with pytest.raises(GeError, match="which the data node declares") as refusal:
        session.run_graph(0, [x_tensor((2, 5))])
    assert refusal.value.code is GeStatus.GRAPH_PARAM_INVALID and refusal.value.context["graph_id"] == 0


@pytest.mark.parametrize("attr", [[], [4, 4], [4, -8, 4], [-1, 128], [-2], [2] * 125, [2**40, 2**40]])
@pytest.mark.parametrize("declared", [[2, 3], [-1, -1], [-2]])
def test_inference_refuses_a_bad_attribute_also_of_an_unknown_input(
    session: Session, one_operator: Make, attr: list[int], declared: list[int]
) -> None:
    session.add_graph(0, one_operator(attr, declared))
    with pytest.raises(GeError) as refusal:
        session.run_graph(0, [x_tensor()])
    assert refusal.value.code is GeStatus.GE_GRAPH_INFERSHAPE_FAILED and refusal.value.text_code == "E19999"
    assert refusal.value.context == {
        "graph_id": 0,
        "node": "UpdateTensorDesc_0",
        "stage": "infer_shape",
        "parameter": refusal.value.context["parameter"],
    }
    assert isinstance(refusal.value.__cause__, OperatorError)


def test_what_tiling_refuses_fails_the_run(session: Session, one_operator: Make) -> None:
    session.add_graph(0, one_operator(x=[1] * 9))
    with pytest.raises(GeError, match="9 dims") as refusal:
        session.run_graph(0, [x_tensor([1] * 9)])
    assert refusal.value.code is GeStatus.GE_CLI_SESS_RUN_FAILED


def test_operators_of_other_frameworks_run_in_a_graph_too(session: Session) -> None:
    builder = GraphBuilder()
    batch = builder.create_input(0, data_type=DataType.DT_FLOAT16, shape=[-1, -1, -1])
    rows = UnpadWithHiddenState(batch, qSeqLen=[2, 3], maxSeqLen=4)
    session.add_graph(0, builder.build_and_reset([PadWithHiddenState(rows, q_seq_len=[2, 3], max_seq_len=4), rows]))
    values = torch.arange(2 * 4 * 8).reshape(2, 4, 8)
    x = Tensor([float(v) for v in values.flatten().tolist()], data_type=DataType.DT_FLOAT16, shape=[2, 4, 8])
    padded, packed = session.run_graph(0, [x])
    want = cannery.run("UnpadWithHiddenState", [values.half()], {"qSeqLen": [2, 3], "maxSeqLen": 4})[0]
    assert packed.core and torch.equal(packed.core.torch, want)
    assert padded.core and torch.equal(padded.core.torch[1, :3], values.half()[1, :3])
    assert not padded.core.torch[1, 3:].any()


def test_unknown_outputs_of_such_operators_keep_their_data_type(one_operator: Make) -> None:
    builder = GraphBuilder()
    batch = builder.create_input(0, data_type=DataType.DT_FLOAT16, shape=[-1, -1, -1])
    graph = builder.build_and_reset([UnpadWithHiddenState(batch, qSeqLen=[2], maxSeqLen=4)])
    node = graph.get_direct_nodes()[1]
    GeUtils.infer_shape(graph, [[-1, -1, -1]])
    assert (node.get_output_desc(0).shape, node.get_output_desc(0).data_type) == ([-2], DataType.DT_FLOAT16)
    GeUtils.infer_shape(graph, [[1, 4, 8]])
    assert node.get_output_desc(0).shape == [2, 8]


def test_inputs_go_by_index_not_by_order(session: Session) -> None:
    builder = GraphBuilder()
    second = builder.create_input(1, data_type=DataType.DT_INT8, shape=[1])
    first = builder.create_input(0, data_type=DataType.DT_INT16, shape=[2])
    session.add_graph(0, builder.build_and_reset([first, second]))
    tensors = [Tensor([1, 2], data_type=DataType.DT_INT16), Tensor([3], data_type=DataType.DT_INT8)]
    assert [out.get_data() for out in session.run_graph(0, tensors)] == [[1, 2], [3]]


def test_an_output_that_is_an_input_is_a_copy(session: Session) -> None:
    builder = GraphBuilder()
    session.add_graph(0, builder.build_and_reset([builder.create_input(0, shape=[2])]))
    given = Tensor([1.0, 2.0])
    (out,) = session.run_graph(0, [given])
    assert out.core and given.core
    given.core.torch.zero_()
    assert out.get_data() == [1.0, 2.0]


def test_an_output_that_is_declared_twice_is_two_tensors(session: Session) -> None:
    builder = GraphBuilder()
    y = UpdateTensorDesc(builder.create_input(0, shape=[2]), shape=[128])
    session.add_graph(0, builder.build_and_reset([y, y]))
    first, second = session.run_graph(0, [Tensor([1.0, 2.0])])
    assert first.core and first.get_data() == second.get_data()
    first.core.torch.zero_()
    assert second.get_data()[3] == 1


def test_a_constant_feeds_an_operator(session: Session) -> None:
    builder = GraphBuilder()
    session.add_graph(0, builder.build_and_reset([UpdateTensorDesc(builder.create_const_int64([1, 2]), shape=[128])]))
    assert session.run_graph(0, [])[0].get_data()[3:5] == [1, 128]


def test_the_outputs_of_a_stream_hold_zeros_until_it_is_synchronised(session: Session, one_operator: Make) -> None:
    session.add_graph(0, one_operator())
    stream = Stream()
    (y,) = session.run_graph_with_stream_async(0, stream, [x_tensor()])
    assert y.get_shape() == [4, 8, 4] and not np.any(y.get_data())
    with pytest.raises(GeError) as refusal:
        session.remove_graph(0)
    assert refusal.value.code is GeStatus.GE_GRAPH_GRAPH_IS_RUNNING
    stream.synchronize()
    assert np.ravel(y.get_data())[3:7].tolist() == [3, 4, 8, 4]
    session.remove_graph(0)


def test_without_a_context_the_null_stream_works_at_once(session: Session, one_operator: Make) -> None:
    session.add_graph(0, one_operator())
    (y,) = session.run_graph_with_stream_async(0, 0, [x_tensor()])
    assert np.ravel(y.get_data())[3] == 3
    for stream in ("stream", None, True):
        with pytest.raises(TypeError, match="Stream must be an integer"):
            session.run_graph_with_stream_async(0, stream, [x_tensor()])


def test_what_fails_in_a_stream_is_reported_by_its_synchronisation(session: Session) -> None:
    builder = GraphBuilder()
    lengths = builder.create_input(0, data_type=DataType.DT_INT32, shape=[-1])
    holder = cannery.ge.es.all.DenseLightningIndexerKLLossGradMetadata(
        cu_seqlens_q=lengths, cu_seqlens_k=lengths, layout_q="TND", layout_k="TND",
        num_heads_q=8, num_heads_k=1, head_dim=128,
    )  # fmt: skip
    session.add_graph(0, builder.build_and_reset([holder]))
    stream = Stream()
    session.run_graph_with_stream_async(0, stream, [Tensor([5, 3], data_type=DataType.DT_INT32)])
    with pytest.raises(RuntimeFault, match="cu_seqlens_q"):
        stream.synchronize()
    session.remove_graph(0)


def test_the_two_styles_of_running_exclude_each_other(session: Session, one_operator: Make) -> None:
    session.add_graph(0, one_operator())
    session.run_graph(0, [x_tensor()])
    with pytest.raises(GeError) as refusal:
        session.run_graph_with_stream_async(0, Stream(), [x_tensor()])
    assert refusal.value.text_code == "E10062"
    session.add_graph(1, one_operator())
    session.run_graph_with_stream_async(1, 0, [x_tensor()])


def test_calls_return_0_and_take_the_documented_names(one_operator: Make) -> None:
    assert GeApi.ge_initialize({"ge.graphRunMode": "1"}) == 0
    session = Session({"ge.jit_compile": "1"})
    assert session.add_graph(graph_id=0, graph=one_operator(), options={}) == 0
    assert session.add_graph(1, add_graph=one_operator()) == 0
    assert session.remove_graph(0) == 0
    assert GeApi.ge_finalize() == 0


@pytest.mark.parametrize("options", [[], (), 0, "", [("ge.jit_compile", "1")]])
def test_options_are_a_dict(one_operator: Make, options: Any) -> None:
    GeApi.ge_initialize({"ge.graphRunMode": "1"})
    with pytest.raises(TypeError, match="option must be a dictionary"):
        Session(options)
    with pytest.raises(TypeError, match="options must be a dictionary"):
        Session().add_graph(0, one_operator(), options)


@pytest.mark.parametrize("number", ["9" * 5000, "\u0663", "", "1 ", "+1"])
def test_a_device_is_a_number_of_ordinary_digits(number: str) -> None:
    with pytest.raises(GeError, match="deviceId") as refusal:
        GeApi.ge_initialize({"ge.exec.deviceId": number})
    assert refusal.value.code is GeStatus.GE_CLI_INIT_FAILED


def test_a_duplicate_id_leaves_the_first_graph(session: Session, one_operator: Make) -> None:
    session.add_graph(0, one_operator([128]))
    with pytest.raises(GeError, match="which stays") as refusal:
        session.add_graph(0, one_operator([256]))
    assert refusal.value.code is GeStatus.GE_GRAPH_GRAPH_ALREADY_EXIST
    assert session.run_graph(0, [x_tensor()])[0].get_shape() == [128]


def test_sessions_do_not_share_graphs(session: Session, one_operator: Make) -> None:
    session.add_graph(0, one_operator())
    with pytest.raises(GeError, match="GE_GRAPH_GRAPH_NOT_EXIST"):
        Session().run_graph(0, [x_tensor()])


def test_a_session_ends_with_ge(session: Session, one_operator: Make) -> None:
    GeApi.ge_finalize()
    GeApi.ge_initialize({"ge.graphRunMode": "1"})
    with pytest.raises(GeError, match="was finalized"):
        session.add_graph(0, one_operator())


@pytest.mark.parametrize("config", [{}, None, [], {"ge.graphRunMode": 1}, {1: "1"}])
def test_initialisation_wants_a_dict_of_strings_that_is_not_empty(config: Any) -> None:
    with pytest.raises(TypeError):
        GeApi.ge_initialize(config)


@pytest.mark.parametrize("inputs", [None, (), [1], "x", [[1.0]]])
def test_inputs_are_a_list_of_tensors(session: Session, one_operator: Make, inputs: Any) -> None:
    session.add_graph(0, one_operator())
    with pytest.raises(TypeError, match=r"inputs must be a list of Tensor|All elements in inputs must be"):
        session.run_graph(0, inputs)


def test_other_malformed_calls(session: Session, one_operator: Make) -> None:
    with pytest.raises(TypeError, match="Graph"):
        session.add_graph(0, "graph")  # type: ignore[arg-type]
    for graph_id in ("0", True, 1.0):
        with pytest.raises(TypeError, match="Graph_id must be an integer"):
            session.run_graph(graph_id, [])  # type: ignore[arg-type]
    session.add_graph(0, one_operator())
    for tensors in ([], [x_tensor(), x_tensor()], [Tensor()]):
        with pytest.raises(GeError, match="GRAPH_PARAM_INVALID"):
            session.run_graph(0, tensors)
    for call in (session.register_external_allocator, session.unregister_external_allocator):
        others = [None] * (call == session.register_external_allocator)
        with pytest.raises(NotImplementedError, match="external_allocator"):
            call(0, *others)
        with pytest.raises(TypeError, match="stream must be an integer"):
            call("0", *others)
    for duplicate in (copy.copy, copy.deepcopy):
        with pytest.raises(RuntimeError, match=r"Session does not support (deep)?copy"):
            duplicate(session)


def test_chip_and_quirks(one_operator: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    GeApi.ge_initialize({"ge.socVersion": "Ascend910B1"})
    session = Session()
    session.add_graph(0, one_operator())
    with pytest.raises(GeError, match="Ascend910B1") as refusal:
        session.run_graph(0, [x_tensor()])
    assert refusal.value.code is GeStatus.GE_GRAPH_PREPARE_FAILED
    graph = one_operator([128] + [1] * 30)
    compile_graph(graph.model, Machine(quirks=True))
    assert len(graph.get_direct_nodes()[1].get_output_desc(0).shape) == 25
    compile_graph(graph.model, Machine())
    assert len(graph.get_direct_nodes()[1].get_output_desc(0).shape) == 31


def test_support_on_the_ai_core(one_operator: Make) -> None:
    good, bad = one_operator(), one_operator(data_type=DataType.DT_BF16)
    assert GeUtils.check_node_support_on_aicore(good.get_direct_nodes()[1]) == (True, "")
    supported, reason = GeUtils.check_node_support_on_aicore(bad.get_direct_nodes()[1])
    assert not supported and "bfloat16" in reason
    assert not GeUtils.check_node_support_on_aicore(good.get_direct_nodes()[0])
    GeApi.ge_initialize({"ge.socVersion": "Ascend910B1"})
    assert "Ascend910B1" in GeUtils.check_node_support_on_aicore(good.get_direct_nodes()[1]).reason


def test_infer_shape_wants_a_shape_of_each_input(one_operator: Make) -> None:
    with pytest.raises(GeError, match="expected one of each"):
        GeUtils.infer_shape(one_operator(), [])
    with pytest.raises(TypeError):
        GeUtils.infer_shape("graph", [])  # type: ignore[arg-type]


def test_memory_between_nodes_is_given_back(session: Session) -> None:
    builder = GraphBuilder()
    holder = builder.create_input(0, shape=[1])
    for _ in range(5):
        holder = UpdateTensorDesc(holder, shape=[128])
    plan = compile_graph(builder.build_and_reset([holder]).model, Machine())
    done = [[node.name for node in nodes] for nodes in plan.last_use]
    assert done == [["input_0"], *[[f"UpdateTensorDesc_{index}"] for index in range(4)]]


def test_a_session_before_ge_is_refused_at_its_first_call(one_operator: Make) -> None:
    early = Session()
    with pytest.raises(GeError, match=r"^AddGraph failed; graph_id=2; .*GE_CLI_GE_NOT_INITIALIZED"):
        early.add_graph(2, one_operator())
    GeApi.ge_initialize({"ge.graphRunMode": "1"})
    with pytest.raises(GeError, match="made before ge_initialize"):
        early.add_graph(2, one_operator())


def test_the_end_of_what_never_began_is_no_error() -> None:
    assert GeApi.ge_finalize() == GeApi.ge_finalize() == 0


def test_a_graph_without_outputs_is_built_and_not_run(session: Session) -> None:
    builder = GraphBuilder()
    builder.create_input(0)
    builder.set_graph_attr_int64("version", 1)
    graph = builder.build_and_reset()
    assert graph.get_attr("version") == 1
    with pytest.raises(GeError, match="found no outputs") as refusal:
        session.add_graph(0, graph)
    assert refusal.value.code is GeStatus.GE_CLI_SESS_ADD_FAILED
