"""A graph as a file: JSON with sorted keys, the same bytes for the same graph."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cannery.core import DataType, Format, Shape, Tensor, TensorDesc
from cannery.ge._engine.model import CONST, DATA_TYPES, GraphModel, NodeModel, Source, check_port, invalid
from cannery.ge.error import GeError

KIND = "cannery graph"
VERSION = 1


def save_air(graph: GraphModel, path: Path) -> None:
    """Write a graph.

    Raises:
        GeError: GRAPH_PARAM_INVALID: an attribute is none of JSON's values.
        OSError: the file cannot be written.
    """
    text = to_text(graph)
    path.write_text(text, encoding="utf-8")


def load_air(path: Path) -> GraphModel:
    """Read a graph.

    Raises:
        GeError: GRAPH_PARAM_INVALID: the file holds no graph.
        OSError: the file cannot be read.
    """
    raw = path.read_bytes()
    expected = "expected a file that save_to_air of cannery wrote (the original's protobuf is not read)"
    try:
        content = json.loads(raw)
        if (content["kind"], content["version"]) != (KIND, VERSION):
            raise ValueError(f"kind {content['kind']!r}, version {content['version']!r}")
        return _graph(content["graph"])
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as failure:
        found = failure.error_message if isinstance(failure, GeError) else f"{type(failure).__name__}: {failure}"
        raise invalid(f"{path}: found {found:.200}, {expected}") from None


def to_text(graph: GraphModel) -> str:
    """What the file holds."""
    try:
        content = {"kind": KIND, "version": VERSION, "graph": _plain_graph(graph)}
        return json.dumps(content, indent=1, sort_keys=True, default=_plain_value) + "\n"
    except TypeError as failure:
        raise invalid(f"attributes: found {failure}, expected numbers, strings, bools and lists of them") from None


def _plain_value(value: Any) -> Any:
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, (tuple, frozenset, set)):
        return sorted(value) if isinstance(value, (set, frozenset)) else list(value)
    raise TypeError(type(value).__name__)


def _plain_graph(graph: GraphModel) -> dict[str, Any]:
    return {
        "name": graph.name,
        "attrs": graph.attrs,
        "nodes": [_plain_node(node) for node in graph.nodes.values()],
        "outputs": [_plain_source(source) for source in graph.outputs],
        "subgraphs": [_plain_graph(below) for below in graph.subgraphs.values()],
    }


def _plain_node(node: NodeModel) -> dict[str, Any]:
    return {
        "name": node.name,
        "type": node.type,
        "attrs": node.attrs,
        "inputs": [None if source is None else _plain_source(source) for source in node.inputs],
        "controls": [control.name for control in node.controls],
        "input_descs": [_plain_desc(desc) for desc in node.input_descs],
        "output_descs": [_plain_desc(desc) for desc in node.output_descs],
        "value": None if node.value is None else _plain_tensor(node.value),
    }


def _plain_source(source: Source) -> list[Any]:
    return [source.node.name, source.port]


def _plain_desc(desc: TensorDesc) -> dict[str, Any]:
    origin = None if desc.origin_shape is None else list(desc.origin_shape)
    return {
        "data_type": desc.dtype.name,
        "shape": list(desc.shape),
        "format": desc.format.name,
        "origin_shape": origin,
    }


def _plain_tensor(tensor: Tensor) -> dict[str, Any]:
    data = base64.b64encode(bytes(Tensor(tensor.torch.contiguous()).bytes())).decode()
    return {**_plain_desc(tensor.desc), "data": data}


def _graph(content: dict[str, Any]) -> GraphModel:
    graph = GraphModel(str(content["name"]), attrs=dict(content["attrs"]))
    for item in content["nodes"]:
        graph.add(_node(item))
    for item in content["nodes"]:
        node = graph.nodes[item["name"]]
        for index, source in enumerate(item["inputs"]):
            if source is not None:
                graph.connect(_source(graph, source), node, index)
        for control in item["controls"]:
            graph.order(graph.nodes[control], node)
    graph.outputs = [_source(graph, source) for source in content["outputs"]]
    graph.subgraphs = {item["name"]: _graph(item) for item in content["subgraphs"]}
    return graph


def _node(item: dict[str, Any]) -> NodeModel:
    node = NodeModel(
        name=str(item["name"]),
        type=str(item["type"]),
        attrs=dict(item["attrs"]),
        inputs=[None] * len(item["inputs"]),
        input_descs=[_desc(desc) for desc in item["input_descs"]],
        output_descs=[_desc(desc) for desc in item["output_descs"]],
        value=None if item["value"] is None else _tensor(item["value"]),
    )
    _check_node(node)
    return node


def _check_node(node: NodeModel) -> None:
    if len(node.inputs) != len(node.input_descs):
        raise ValueError(f"node {node.name}: an input has a descriptor")
    if (node.type == CONST) != (node.value is not None):
        raise ValueError(f"node {node.name}: a constant has a value, and nothing else has one")
    if (node.type in DATA_TYPES or node.type == CONST) and len(node.output_descs) != 1:
        raise ValueError(f"node {node.name}: a {node.type} node has one output")
    if node.type in DATA_TYPES and not isinstance(node.attrs.get("index"), int):
        raise ValueError(f"node {node.name}: a data node has an index")


def _source(graph: GraphModel, item: list[Any]) -> Source:
    name, index = item
    node = graph.nodes[name]
    check_port(node, int(index), len(node.output_descs), "output")
    return Source(node, int(index))


def _desc(item: dict[str, Any]) -> TensorDesc:
    origin = None if item["origin_shape"] is None else Shape(item["origin_shape"])
    return TensorDesc(DataType[item["data_type"]], Shape(item["shape"]), Format[item["format"]], origin)


def _tensor(item: dict[str, Any]) -> Tensor:
    desc, data = _desc(item), bytearray(base64.b64decode(item["data"], validate=True))
    flat = torch.frombuffer(data, dtype=desc.dtype.torch) if data else torch.empty(0, dtype=desc.dtype.torch)
    return Tensor(flat.reshape(tuple(desc.shape)), desc.format)
