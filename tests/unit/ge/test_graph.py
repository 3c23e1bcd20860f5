"""Graphs after they are built: edges, nodes, subgraphs, files, pictures."""

from __future__ import annotations

import copy
import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cannery.core import DataType, GeStatus
from cannery.ge.error import GeError
from cannery.ge.es import GraphBuilder
from cannery.ge.es.all import UpdateTensorDesc
from cannery.ge.graph import DumpFormat, Graph, Node, Tensor, TensorDesc
from cannery.ge.utils import GeUtils

SVG = "{http://www.w3.org/2000/svg}"


def chain(length: int = 2) -> Graph:
    """An input, then so many operators one after another; the last is the output."""
    builder = GraphBuilder("chain")
    holder = builder.create_input(0, shape=[2, 3])
    for _ in range(length):
        holder = UpdateTensorDesc(holder, shape=[128])
    return builder.build_and_reset([holder])


def test_nodes_are_found_and_compared() -> None:
    graph = chain()
    data, first, second = graph.get_direct_nodes()
    assert graph.find_node_by_name("UpdateTensorDesc_0") == first and graph.find_node_by_name("x") is None
    assert first != second and len({data, first, data}) == 2
    assert (first.get_inputs_size(), first.get_outputs_size()) == (1, 1)
    assert second.get_in_data_nodes_and_port_indexes(0) == (first, 0)
    assert data.get_in_data_nodes_and_port_indexes(0) is None
    with pytest.raises(TypeError, match="cannot be constructed"):
        Node("x")  # type: ignore[arg-type]


def test_descriptors_are_copies_until_updated() -> None:
    node = chain().get_direct_nodes()[1]
    node.get_output_desc(0).set_shape([9])
    assert node.get_output_desc(0).shape != [9]
    node.update_output_desc(0, TensorDesc([9], data_type=DataType.DT_INT8))
    assert node.get_output_desc(0) == TensorDesc([9], data_type=DataType.DT_INT8)
    with pytest.raises(TypeError, match="TensorDesc"):
        node.update_input_desc(0, [9])  # type: ignore[arg-type]


def test_edges_can_be_taken_and_given() -> None:
    graph = chain()
    data, first, second = graph.get_direct_nodes()
    graph.remove_edge(first, 0, second, 0)
    graph.add_data_edge(data, 0, second, 0)
    graph.add_control_edge(first, second)
    assert second.get_in_data_nodes_and_port_indexes(0) == (data, 0) and second.get_in_control_nodes() == [first]
    graph.remove_edge(first, -1, second, -1)
    assert second.get_in_control_nodes() == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda g, d, a, b: g.add_data_edge(d, 0, b, 0), GeStatus.GRAPH_PARAM_INVALID),
        (lambda g, d, a, b: g.add_data_edge(d, 1, b, 0), GeStatus.GRAPH_PARAM_OUT_OF_RANGE),
        (lambda g, d, a, b: g.add_data_edge(d, 0, b, 1), GeStatus.GRAPH_PARAM_OUT_OF_RANGE),
        (lambda g, d, a, b: g.remove_edge(d, 0, b, 0), GeStatus.GRAPH_PARAM_INVALID),
        (lambda g, d, a, b: g.remove_edge(d, -1, b, -1), GeStatus.FAILED),
        (lambda g, d, a, b: g.remove_node(chain().get_direct_nodes()[0]), GeStatus.GRAPH_PARAM_INVALID),
        (lambda g, d, a, b: g.add_control_edge(chain().get_direct_nodes()[0], b), GeStatus.GRAPH_PARAM_INVALID),
        (lambda g, d, a, b: a.get_output_desc(1), GeStatus.GRAPH_PARAM_OUT_OF_RANGE),
        (lambda g, d, a, b: a.update_input_desc(-1, TensorDesc()), GeStatus.GRAPH_PARAM_OUT_OF_RANGE),
        (lambda g, d, a, b: g.set_inputs([a]), GeStatus.FAILED),
        (lambda g, d, a, b: g.set_outputs([(b, 1)]), GeStatus.GRAPH_PARAM_OUT_OF_RANGE),
        (lambda g, d, a, b: g.get_attr("none"), GeStatus.FAILED),
        (lambda g, d, a, b: g.remove_subgraph("none"), GeStatus.FAILED),
    ],
)
def test_an_impossible_change_is_refused(change: Callable[..., Any], code: GeStatus) -> None:
    graph = chain()
    before = graph.dump_to_stream(DumpFormat.TXT)
    with pytest.raises(GeError) as refusal:
        change(graph, *graph.get_direct_nodes())
    assert refusal.value.code is code and refusal.value.api_name
    assert graph.dump_to_stream(DumpFormat.TXT) == before


def test_a_removed_node_takes_its_edges_and_outputs_along() -> None:
    graph = chain()
    data, first, second = graph.get_direct_nodes()
    graph.add_control_edge(first, second)
    graph.remove_node(first)
    assert second.get_in_data_nodes_and_port_indexes(0) is None and second.get_in_control_nodes() == []
    graph.remove_node(second)
    assert graph.model.outputs == [] and graph.get_all_nodes() == [data]


def test_subgraphs() -> None:
    graph, below = chain(), chain(1)
    graph.add_subgraph(below)
    assert len(graph.get_all_nodes()) == 5 and len(graph.get_direct_nodes()) == 3
    assert graph.get_subgraph("chain") is not None and graph.get_subgraph("x") is None
    with pytest.raises(GeError, match="second subgraph"):
        graph.add_subgraph(below)
    graph.remove_subgraph("chain")
    assert graph.get_all_subgraphs() == []


def test_save_and_load_give_the_same_graph(tmp_path: Path) -> None:
    graph = chain()
    graph.add_control_edge(graph.get_direct_nodes()[0], graph.get_direct_nodes()[2])
    graph.add_subgraph(chain(1))
    graph.set_attr("k", [1, 2])
    path, again = tmp_path / "g.air", tmp_path / "h.air"
    graph.save_to_air(str(path))
    loaded = Graph()
    loaded.load_from_air(str(path))
    loaded.save_to_air(str(again))
    assert path.read_bytes() == again.read_bytes() and loaded.name == "chain"


def test_constants_are_saved_with_their_bits(tmp_path: Path) -> None:
    builder = GraphBuilder()
    holders = [builder.create_const_float([0.1, float("nan")]), builder.create_const_uint64(2**64 - 1)]
    builder.build_and_reset(holders).save_to_air(str(tmp_path / "g"))
    loaded = Graph()
    loaded.load_from_air(str(tmp_path / "g"))
    saved, read = (
        [source.node.value for source in sources]
        for sources in ([holder.source for holder in holders], loaded.model.outputs)
    )
    assert [bytes(v.bytes()) for v in read if v] == [bytes(v.bytes()) for v in saved if v]


@pytest.mark.parametrize("content", [b"", b"\x0a\x05model", b"{}", b"[1]", b'{"kind": "cannery graph", "version": 2}'])
def test_a_file_that_holds_no_graph_is_refused_and_changes_nothing(tmp_path: Path, content: bytes) -> None:
    path, graph = tmp_path / "bad.air", chain()
    path.write_bytes(content)
    with pytest.raises(GeError, match="save_to_air") as refusal:
        graph.load_from_air(str(path))
    assert refusal.value.code is GeStatus.GRAPH_PARAM_INVALID and len(graph.get_all_nodes()) == 3
    with pytest.raises(FileNotFoundError):
        graph.load_from_air(str(tmp_path / "none"))


def test_an_attribute_that_json_lacks_is_refused_before_a_file_is_written(tmp_path: Path) -> None:
    graph = chain()
    graph.set_attr("k", Tensor([1.0]))
    with pytest.raises(GeError, match="Tensor"):
        graph.save_to_air(str(tmp_path / "g"))
    assert list(tmp_path.iterdir()) == []


def test_the_picture_shows_inferred_shapes_and_every_edge() -> None:
    graph = chain(3)
    graph.add_control_edge(graph.get_direct_nodes()[1], graph.get_direct_nodes()[3])
    GeUtils.infer_shape(graph, [[2, 3]])
    root = ElementTree.fromstring(graph.dump_to_stream(DumpFormat.SVG))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert texts.count("int64 [128]") == 3 and "float32 [2, 3]" in texts and "UpdateTensorDesc_2" in texts
    kinds = [path.get("class") for path in root.iter(f"{SVG}path")]
    assert kinds.count("data-edge") == 3 and kinds.count("control") == 1


def test_boxes_of_the_picture_do_not_overlap() -> None:
    builder = GraphBuilder()
    x = builder.create_input(0, shape=[1])
    holders = [UpdateTensorDesc(x, shape=[128]) for _ in range(3)]
    holders += [UpdateTensorDesc(holders[0], shape=[64, 2])]
    root = ElementTree.fromstring(builder.build_and_reset(holders).dump_to_stream(DumpFormat.SVG))
    boxes = [[float(rect.get(k, "")) for k in ("x", "y", "width", "height")] for rect in root.iter(f"{SVG}rect")]
    assert len(boxes) == 5
    for index, (x0, y0, w0, h0) in enumerate(boxes):
        for x1, y1, w1, h1 in boxes[index + 1 :]:
            assert x0 + w0 <= x1 or x1 + w1 <= x0 or y0 + h0 <= y1 or y1 + h1 <= y0


def test_names_are_escaped_in_every_format() -> None:
    builder = GraphBuilder('a"<b>&')
    x = builder.create_input(0, name='x"<&>', shape=[1])
    graph = builder.build_and_reset([x])
    assert ElementTree.fromstring(graph.dump_to_stream(DumpFormat.SVG))[0].text == 'a"<b>&'
    assert '"x\\"<&>"' in graph.dump_to_stream(DumpFormat.DOT)
    assert json.loads(graph.dump_to_stream(DumpFormat.TXT))["graph"]["name"] == 'a"<b>&'


@pytest.mark.parametrize(
    ("format", "name"),
    [
        (DumpFormat.kOnnx, "ge_onnx_00000000_graph_0_s.pbtxt"),
        (DumpFormat.kTxt, "ge_txt_00000000_graph_0_s.txt"),
        (DumpFormat.kReadable, "ge_readable_00000000_graph_0_s.txt"),
        (DumpFormat.DOT, "ge_dot_chain_s.dot"),
        (DumpFormat.SVG, "ge_svg_chain_s.svg"),
    ],
)
def test_a_dump_is_a_file_with_the_same_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: DumpFormat, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    graph = chain()
    assert graph.dump_to_file(format, "s") == name
    assert (
        (tmp_path / name).read_text(encoding="utf-8") == graph.dump_to_stream(format) == chain().dump_to_stream(format)
    )


def test_graphs_are_not_copied() -> None:
    for duplicate in (copy.copy, copy.deepcopy):
        with pytest.raises(RuntimeError, match=r"Graph does not support (deep)?copy"):
            duplicate(chain())


@pytest.mark.parametrize("stranger", [None, "input_0", 0])
def test_what_is_no_node_is_refused(stranger: Any) -> None:
    graph = chain()
    node = graph.get_direct_nodes()[1]
    calls: list[Callable[[], Any]] = [
        lambda: graph.add_data_edge(stranger, 0, node, 0),
        lambda: graph.add_control_edge(node, stranger),
        lambda: graph.remove_edge(stranger, -1, node, -1),
        lambda: graph.remove_node(stranger),
        lambda: graph.set_inputs([stranger]),
        lambda: graph.set_outputs([(stranger, 0)]),
        lambda: GeUtils.check_node_support_on_aicore(stranger),
    ]
    for call in calls:
        with pytest.raises(TypeError, match=r"node must be a Node|Node, found"):
            call()
    with pytest.raises(TypeError, match="subgraph must be a Graph"):
        graph.add_subgraph(stranger)


@pytest.mark.parametrize("port", [None, "0", 0.0])
def test_a_port_is_an_integer(port: Any) -> None:
    graph = chain()
    data, node = graph.get_direct_nodes()[:2]
    with pytest.raises(TypeError, match="integer"):
        graph.add_data_edge(data, port, node, 0)
    with pytest.raises(TypeError, match="integer"):
        node.get_output_desc(port)


def test_a_graph_is_not_inside_itself() -> None:
    outer, inner = Graph("outer"), Graph("inner")
    outer.add_subgraph(inner)
    for graph, below in ((outer, outer), (inner, outer), (inner, inner)):
        with pytest.raises(GeError, match="no cycle"):
            graph.add_subgraph(below)
    assert outer.get_all_nodes() == [] and len(outer.get_all_subgraphs()) == 1


@pytest.mark.parametrize(
    ("value", "line"),
    [([4, 8], "ints: 8"), ([1.5, 2], "floats: 2.0"), (["a", "b"], 'strings: "b"'), ([[1], [2]], 'strings: "[2]"')],
)
def test_lists_of_any_kind_are_written_for_onnx(value: list[Any], line: str) -> None:
    graph = chain()
    graph.get_direct_nodes()[1].set_attr("note", value)
    assert line in graph.dump_to_stream(DumpFormat.kOnnx)


def test_an_index_that_is_no_number_is_refused_at_compilation() -> None:
    builder = GraphBuilder()
    first, second = builder.create_inputs(2)
    graph = builder.build_and_reset([UpdateTensorDesc(first, shape=[128]), UpdateTensorDesc(second, shape=[128])])
    graph.get_direct_nodes()[0].set_attr("index", "a")
    with pytest.raises(GeError, match="found indices") as refusal:
        GeUtils.infer_shape(graph, [[2], [3]])
    assert refusal.value.code is GeStatus.GRAPH_PARAM_OUT_OF_RANGE
