"""Wrong arguments are refused in the words that programs of the original match, with what was found."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from cannery.core import DataType, Format
from cannery.ge.es import GraphBuilder, attr_scope
from cannery.ge.ge_global import GeApi
from cannery.ge.graph import DumpFormat, Graph, Shape, Tensor, TensorDesc

ANY: Any = "a"
Call = Callable[[GraphBuilder], Any]

TYPE_ERRORS: list[tuple[str, Call]] = [
    ("Graph name must be a string, found 3", lambda _: Graph(3)),  # type: ignore[arg-type]
    ("Input index must be an integer, found 'x'", lambda b: b.create_input("x")),  # type: ignore[arg-type]
    ("Shape must be a list of integers, found 'x'", lambda b: b.create_input(0, shape="x")),  # type: ignore[arg-type]
    ("Number of inputs must be a positive integer, found 0", lambda b: b.create_inputs(0)),
    ("Start index must be a non-negative integer, found -1", lambda b: b.create_inputs(1, start_index=-1)),
    ("Value must be an integer or list of integers, found 1.5", lambda b: b.create_const_int64(1.5)),
    ("Value must be an integer or list of integers, found [1, 'a']", lambda b: b.create_const_int32([1, ANY])),
    ("Value must be a float or list of floats, found 'a'", lambda b: b.create_const_float(ANY)),
    ("Value must be a list of integers, found 1", lambda b: b.create_vector_int64(1)),  # type: ignore[arg-type]
    ("Value must be an integer, found 1.5", lambda b: b.create_scalar_uint32(1.5)),  # type: ignore[arg-type]
    ("Value must be a number, found 'a'", lambda b: b.create_scalar_float("a")),  # type: ignore[arg-type]
    ("Index must be an integer, found '0'", lambda b: b.create_variable("0", "n")),  # type: ignore[arg-type]
    ("Tensor must be a TensorHolder, found 'x'", lambda b: b.set_graph_output("x", 0)),  # type: ignore[arg-type]
    ("Output index must be an integer, found '0'", lambda b: b.set_graph_output(b.create_input(0), "0")),  # type: ignore[arg-type]
    ("Attribute name must be a string, found 1", lambda b: b.set_graph_attr_int64(1, 1)),  # type: ignore[arg-type]
    ("Value must be a boolean, found 1", lambda b: b.set_graph_attr_bool("k", 1)),  # type: ignore[arg-type]
    ("Value must be a string, found 1", lambda b: b.set_node_attr_string(b.create_input(0), "k", 1)),  # type: ignore[arg-type]
    ("Outputs must be a list, found 0", lambda b: b.build_and_reset(0)),  # type: ignore[arg-type]
    ("All outputs must be TensorHolder objects, found [None]", lambda b: b.build_and_reset([None])),  # type: ignore[list-item]
    ("src_tensors must be a list, found ()", lambda b: b.add_control_dependency(b.create_input(0), ())),
    ("Attribute key must be a string, found 1", lambda _: Graph("g").set_attr(1, "v")),  # type: ignore[arg-type]
    ("Suffix must be a string, found 1", lambda _: Graph("g").dump_to_file(DumpFormat.kOnnx, 1)),  # type: ignore[arg-type]
    ("found 123", lambda _: Graph("g").dump_to_stream(123)),  # type: ignore[arg-type]
    ("dims must be a list of integers, found [1.0]", lambda _: Shape([1.0])),  # type: ignore[list-item]
    ("shape must be a list of integers, found 'x'", lambda _: TensorDesc("x")),  # type: ignore[arg-type]
    ("Format must be a Format, found 'x'", lambda _: TensorDesc(format="x")),  # type: ignore[arg-type]
    ("Data type must be a DataType, found 'x'", lambda _: TensorDesc(data_type="x")),  # type: ignore[arg-type]
    ("Placement must be a Placement, found 9", lambda _: Tensor([1.0], placement=9)),  # type: ignore[arg-type]
    ("Ge init config must be a dictionary, found []", lambda _: GeApi.ge_initialize([])),  # type: ignore[arg-type]
    ("Ge init config must not be empty", lambda _: GeApi.ge_initialize({})),
]  # fmt: skip


@pytest.mark.parametrize(("message", "call"), TYPE_ERRORS, ids=[message for message, _ in TYPE_ERRORS])
def test_a_wrong_type_is_told_in_the_original_words(message: str, call: Call) -> None:
    with pytest.raises(TypeError) as refusal:
        call(GraphBuilder())
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("Value count (3) doesn't match shape [2, 2]", lambda b: b.create_const_int64([1, 2, 3], [2, 2])),
        ("Value count (1) doesn't match shape [4611686018427387904,", lambda b: b.create_const_int64([1], [2**62, 4])),
        ("Value must be non-negative for uint64", lambda b: b.create_scalar_uint64(-1)),
        ("Value must be in range [0, 2^32-1] for uint32, found 4294967296", lambda b: b.create_scalar_uint32(2**32)),
        (
            "Unsupported attribute type: <class 'dict'> for value: {'a': 1}",
            lambda _: Graph("g").set_attr("k", {"a": 1}),
        ),
    ],
)
def test_a_wrong_value_is_told_in_the_original_words(message: str, call: Call) -> None:
    with pytest.raises(ValueError) as refusal:
        call(GraphBuilder())
    assert message in str(refusal.value)


@pytest.mark.parametrize("value", [{"a": 1}, [1, "a"], None, [[1], 2], object(), b"x"])
def test_an_attribute_is_of_one_kind(value: Any) -> None:
    with pytest.raises(ValueError, match="Unsupported attribute type"), attr_scope({"k": value}):
        raise AssertionError("the block is not entered")


@pytest.mark.parametrize(
    "value", [1, 1.5, True, "a", [1, 2], ["a"], [True], [[1], [2]], [], DataType.DT_INT8, Tensor([1.0])]
)
def test_an_attribute_of_a_kind_is_kept(value: Any) -> None:
    graph = Graph("g")
    graph.set_attr("k", value)
    assert graph.get_attr("k") is value


@pytest.mark.parametrize("thing", [TensorDesc(), Tensor([1.0]), Graph("g"), GraphBuilder()])
def test_nothing_is_copied(thing: Any) -> None:
    for duplicate in (copy.copy, copy.deepcopy):
        with pytest.raises(RuntimeError, match=rf"{type(thing).__name__} does not support {duplicate.__name__}"):
            duplicate(thing)


def test_a_shape_is_a_list_and_a_descriptor_shows_it() -> None:
    assert isinstance(Shape([1, 2]), list) and Shape([1, 2]) == [1, 2]
    text = repr(TensorDesc([1, 2], Format.FORMAT_NCHW, DataType.DT_INT8))
    assert text == "TensorDesc(shape=[1, 2], format=0 (NCHW), data_type=2 (int8))"


def test_dumped_files_are_numbered(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    builder = GraphBuilder("g")
    graph = builder.build_and_reset([builder.create_input(0)])
    names = [graph.dump_to_file(DumpFormat.kTxt), graph.dump_to_file(DumpFormat.kOnnx, "s")]
    assert names == ["ge_txt_00000000_graph_0.txt", "ge_onnx_00000001_graph_0_s.pbtxt"]
