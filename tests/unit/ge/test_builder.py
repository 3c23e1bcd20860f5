"""Building graphs: inputs, constants, operator functions, attributes, order, and what is refused."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import cannery.ge
from cannery.core import DataType, GeStatus, OperatorError
from cannery.ge.error import GeError
from cannery.ge.es import (
    GraphBuilder,
    InputType,
    TensorHolder,
    attr_scope,
    control_dependency_scope,
    get_plugin,
    list_plugins,
    math,
)
from cannery.ge.es import all as functions
from cannery.ge.es.tensor_like import convert_to_tensor_holder
from cannery.operator import all_operators


def test_every_operator_has_a_function() -> None:
    assert set(functions.__all__) == set(all_operators())
    for name in functions.__all__:
        assert getattr(functions, name).__name__ == name


def test_the_function_has_the_generated_form() -> None:
    parameters = inspect.signature(functions.UpdateTensorDesc).parameters
    assert list(parameters)[:2] == ["x", "shape"]
    assert parameters["x"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert parameters["shape"].kind is inspect.Parameter.KEYWORD_ONLY
    assert parameters["shape"].default is inspect.Parameter.empty


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("offline_compile", "build_model"), ("allocator", "Allocator"), ("passes", "register_fusion_pass"),
        ("custom_op", "register_op"), ("onnx_plugin", "OnnxPlugin"), ("runtime", "StorageShape"),
    ],
)  # fmt: skip
def test_what_is_not_offered_says_so_when_it_is_called(module: str, name: str) -> None:
    loaded = getattr(cannery.ge, module)
    absent = getattr(loaded, name)
    with pytest.raises(NotImplementedError, match=rf"ge\.{module}\.{name} is not there in cannery: cannery"):
        absent()
    assert not hasattr(loaded, "anything")


def test_an_operator_that_is_not_there_says_so_by_name() -> None:
    with pytest.raises(NotImplementedError, match=r"ge\.es\.all\.Reshape"):
        _ = functions.Reshape
    with pytest.raises(AttributeError):
        _ = functions._nothing


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda x: functions.UpdateTensorDesc(x), TypeError),
        (lambda x: functions.UpdateTensorDesc(x, [128]), TypeError),
        (lambda x: functions.UpdateTensorDesc(x, shape=[128], dims=[1]), TypeError),
        (lambda x: functions.UpdateTensorDesc([1.0], shape=[128]), GeError),
        (lambda x: functions.UpdateTensorDesc("x", shape=[128], owner_builder=x.get_owner_builder()), TypeError),
        (lambda x: functions.UpdateTensorDesc(x, shape="128"), GeError),
        (lambda x: functions.UpdateTensorDesc(None, shape=[128]), GeError),
    ],
)
def test_a_malformed_call_is_refused(make: Callable[[TensorHolder], Any], error: type[Exception]) -> None:
    builder = GraphBuilder()
    x = builder.create_input(0)
    with pytest.raises(error):
        make(x)
    assert len(builder.build_and_reset([x]).get_all_nodes()) == 1


def test_a_refused_attribute_carries_stage_and_cause() -> None:
    x = GraphBuilder().create_input(0)
    with pytest.raises(GeError) as refusal:
        functions.UpdateTensorDesc(x, shape=[1.5])
    assert refusal.value.context["stage"] == "check" and isinstance(refusal.value.__cause__, OperatorError)
    assert refusal.value.api_name == "UpdateTensorDesc"


@pytest.mark.parametrize("sign", ["+", "-", "*", "/"])
def test_arithmetic_without_its_operator_is_refused_by_name(sign: str) -> None:
    x = GraphBuilder().create_input(0)
    name = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div"}[sign]
    for expression in (f"x {sign} x", f"2 {sign} x"):
        with pytest.raises(NotImplementedError, match=name):
            eval(expression, {"x": x})


def test_several_outputs_have_names() -> None:
    builder = GraphBuilder()
    g1, g2, cos, sin = builder.create_inputs(4)
    result = functions.RopeGrad(g1, g2, cos, sin, q_seq_len=[2, 3])
    assert result._fields == ("dq", "dk") and result.dk.source.port == 1
    assert result.dq.source.node.attrs["qSeqLen"] == [2, 3]


def test_an_operator_without_tensors_needs_its_builder() -> None:
    sizes = {"batch_size": 1, "max_seqlen_q": 4, "max_seqlen_k": 4, "num_heads_q": 8, "num_heads_k": 1, "head_dim": 128}
    with pytest.raises(GeError, match="owner_builder"):
        functions.DenseLightningIndexerKLLossGradMetadata(**sizes)
    builder = GraphBuilder()
    holder = functions.DenseLightningIndexerKLLossGradMetadata(**sizes, owner_builder=builder)
    assert holder.get_owner_builder() is builder


def test_inputs_have_names_types_and_indices() -> None:
    builder = GraphBuilder("g")
    builder.create_input(1, name="x", type_str=InputType.REF_DATA, data_type=DataType.DT_INT8, shape=[])
    first = builder.create_input(0)
    with pytest.raises(GeError, match="second input 1"):
        builder.create_input(1)
    with pytest.raises(GeError, match="second node 'x'"):
        builder.create_input(2, name="x")
    with pytest.raises(GeError, match="GRAPH_PARAM_OUT_OF_RANGE"):
        builder.create_input(-1)
    for kind in (InputType.AIPP_DATA, InputType.ANY_DATA):
        with pytest.raises(NotImplementedError, match=kind.name):
            builder.create_input(2, type_str=kind)
    graph = builder.build_and_reset([first])
    assert [(node.name, node.type) for node in graph.get_all_nodes()] == [("x", "RefData"), ("input_0", "Data")]
    assert graph.get_all_nodes()[1].get_output_desc(0).shape == [-2]


@pytest.mark.parametrize(("index", "name"), [("0", None), (True, None), (1.0, None), (None, None), (0, 5), (0, b"x")])
def test_an_index_is_an_integer_and_a_name_a_string(index: Any, name: Any) -> None:
    builder = GraphBuilder()
    with pytest.raises(TypeError, match=r"Input (index must be an integer|name must be a string), found"):
        builder.create_input(index, name=name)
    with pytest.raises(TypeError, match="Graph name must be a string, found 5"):
        GraphBuilder(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "value", "dims", "dtype", "shape"),
    [
        ("const_int64", 3, None, DataType.DT_INT64, []),
        ("const_int32", [1, 2, 3, 4], [2, 2], DataType.DT_INT32, [2, 2]),
        ("const_uint64", [2**64 - 1], None, DataType.DT_UINT64, [1]),
        ("const_uint32", 7, [1], DataType.DT_UINT32, [1]),
        ("const_float", [0.5], None, DataType.DT_FLOAT, [1]),
    ],
)
def test_constants(kind: str, value: Any, dims: Any, dtype: DataType, shape: list[int]) -> None:
    builder = GraphBuilder()
    holder = getattr(builder, f"create_{kind}")(value, dims)
    desc = builder.build_and_reset([holder]).get_all_nodes()[0].get_output_desc(0)
    assert (desc.data_type, desc.shape) == (dtype, shape)


def test_scalars_and_vectors() -> None:
    builder = GraphBuilder()
    holders = [
        builder.create_vector_int64([1, 2]),
        builder.create_scalar_int64(1),
        builder.create_scalar_int32(1),
        builder.create_scalar_uint64(1),
        builder.create_scalar_uint32(1),
        builder.create_scalar_float(1.0),
    ]
    nodes = builder.build_and_reset(holders).get_all_nodes()
    assert [node.get_output_desc(0).shape.get_dims() for node in nodes] == [[2], [], [], [], [], []]
    assert len({node.name for node in nodes}) == len(nodes)
    with pytest.raises(NotImplementedError, match="create_variable"):
        GraphBuilder().create_variable(0, "v")


def test_attributes_of_graph_node_and_tensor() -> None:
    builder = GraphBuilder()
    x = builder.create_input(0)
    builder.set_graph_attr_int64("a", 1)
    builder.set_graph_attr_string("b", "text")
    builder.set_graph_attr_bool("c", True)
    builder.set_node_attr_int64(x, "n", 5)
    builder.set_node_attr_string(x, "s", "t")
    builder.set_node_attr_bool(x, "f", False)
    builder.set_tensor_attr_int64(x, "t", 6)
    builder.set_tensor_attr_string(x, "u", "v")
    builder.set_tensor_attr_bool(x, "w", True)
    for call in (builder.set_graph_attr_int64, builder.set_graph_attr_string):
        with pytest.raises(TypeError):
            call("a", True)  # type: ignore[arg-type]
    graph = builder.build_and_reset([x])
    assert [graph.get_attr(name) for name in "abc"] == [1, "text", True]
    node = graph.find_node_by_name("input_0")
    assert node is not None and node.get_attr("n") == 5 and node.get_attr("output_0.t") == 6
    assert not node.has_attr("z")
    with pytest.raises(GeError, match="'z'"):
        node.get_attr("z")


def test_scopes_reach_the_nodes_made_inside() -> None:
    builder = GraphBuilder()
    x = builder.create_input(0)
    with attr_scope({"_stream": "s"}), control_dependency_scope([x]):
        inside = builder.create_scalar_int64(1)
    outside = builder.create_scalar_int64(1)
    assert inside.source.node.attrs == {"_stream": "s"} and inside.source.node.controls == [x.source.node]
    assert outside.source.node.attrs == {} and outside.source.node.controls == []
    builder.add_control_dependency(outside, [inside])
    assert outside.source.node.controls == [inside.source.node]


def test_declared_descriptors() -> None:
    builder = GraphBuilder()
    holder = builder.create_input(0).set_data_type(DataType.DT_INT8).set_shape([3])
    desc = builder.build_and_reset([holder]).get_all_nodes()[0].get_output_desc(0)
    assert (desc.data_type, desc.shape) == (DataType.DT_INT8, [3])


def test_outputs_in_the_order_of_their_indices() -> None:
    builder = GraphBuilder()
    x, y = builder.create_inputs(2)
    builder.set_graph_output(y, 1)
    builder.set_graph_output(x, 0)
    assert [source.node.name for source in builder.build_and_reset().model.outputs] == ["input_0", "input_1"]


def test_outputs_with_a_gap_are_refused() -> None:
    builder = GraphBuilder()
    x = builder.create_input(0)
    builder.set_graph_output(x, 1)
    with pytest.raises(GeError) as refusal:
        builder.build_and_reset()
    assert refusal.value.code is GeStatus.GRAPH_PARAM_INVALID
    with pytest.raises(GeError, match="OUT_OF_RANGE"):
        builder.set_graph_output(x, -1)


def test_a_builder_builds_once() -> None:
    builder = GraphBuilder()
    x = builder.create_input(0)
    builder.build_and_reset([x])
    uses: list[Callable[[], Any]] = [
        lambda: builder.create_input(1),
        lambda: builder.build_and_reset([x]),
        lambda: x.set_shape([1]),
        lambda: functions.UpdateTensorDesc(x, shape=[128]),
    ]
    for use in uses:
        with pytest.raises(GeError) as refusal:
            use()
        assert refusal.value.text_code == "E10062"


def test_tensors_of_two_builders_do_not_mix() -> None:
    x, other = GraphBuilder().create_input(0), GraphBuilder()
    with pytest.raises(GeError, match="another builder"):
        other.build_and_reset([x])
    with pytest.raises(TypeError, match="TensorHolder"):
        other.build_and_reset([1])  # type: ignore[list-item]


def test_plugins() -> None:
    assert "all" in list_plugins() and get_plugin("all") is functions
    with pytest.raises(GeError, match="expected one of all"):
        get_plugin("none")


def test_numbers_and_lists_in_place_of_tensors_are_constants() -> None:
    builder = GraphBuilder("b")
    assert builder.name == "b"
    y = functions.UpdateTensorDesc([[1.0], [2]], shape=[128], owner_builder=builder)
    functions.UpdateTensorDesc(3, shape=[128], owner_builder=builder)
    graph = builder.build_and_reset([y])
    first, second = (graph.find_node_by_name(f"Const_{index}") for index in range(2))
    assert first and second
    desc = first.get_output_desc(0)
    assert (desc.shape, desc.data_type) == ([2, 1], DataType.DT_FLOAT)
    assert (second.get_output_desc(0).shape, second.get_output_desc(0).data_type) == ([], DataType.DT_INT64)
    with pytest.raises(ValueError, match="all of one shape"):
        convert_to_tensor_holder([[1], [2, 3]], GraphBuilder())


def test_the_packages_of_domains_have_the_operators_and_name_themselves() -> None:
    assert math.UpdateTensorDesc is functions.UpdateTensorDesc
    with pytest.raises(NotImplementedError, match=r"ge\.es\.math\.Add: found no such operator"):
        _ = math.Add


def test_keywords_are_the_original_s() -> None:
    builder = GraphBuilder()
    constant = builder.create_const_float([1.0] * 6, shape=[2, 3])
    graph = builder.build_and_reset([functions.UpdateTensorDesc(constant, shape=[128])])
    node = graph.find_node_by_name("UpdateTensorDesc_0")
    source = graph.find_node_by_name("Const_0")
    assert node and source
    graph.set_attr(key="k", value=1)
    node.set_attr(key="k", value=2)
    assert (graph.get_attr(key="k"), node.get_attr(key="k"), node.has_attr(attr_name="k")) == (1, 2, True)
    node.update_input_desc(0, tensor_desc=node.get_input_desc(0))
    node.set_input_attr("a", 0, 3)
    node.set_output_attr(attr_name="a", output_index=0, value=4)
    assert (node.get_input_attr("a", 0), node.get_output_attr("a", 0)) == (3, 4)
    with pytest.raises(GeError, match="found input 1"):
        node.set_input_attr("a", 1, 3)
    assert source.get_out_data_nodes_and_port_indexes(0) == [(node, 0)]
    graph.add_control_edge(source, node)
    assert source.get_out_control_nodes() == [node]
