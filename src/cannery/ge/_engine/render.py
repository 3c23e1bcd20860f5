"""A graph as text: one line a node, ONNX's text form, its file, DOT, SVG."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from cannery.core import DataType, TensorDesc
from cannery.ge._engine.air import to_text
from cannery.ge._engine.model import GraphModel, NodeModel
from cannery.ge._engine.picture import draw

# ONNX's numbers of element types; 0 is undefined. Source: onnx/onnx `onnx/onnx.proto`, TensorProto.DataType.
_ONNX_TYPES = MappingProxyType(
    {
        DataType.DT_FLOAT: 1,
        DataType.DT_UINT8: 2,
        DataType.DT_INT8: 3,
        DataType.DT_UINT16: 4,
        DataType.DT_INT16: 5,
        DataType.DT_INT32: 6,
        DataType.DT_INT64: 7,
        DataType.DT_BOOL: 9,
        DataType.DT_FLOAT16: 10,
        DataType.DT_DOUBLE: 11,
        DataType.DT_UINT32: 12,
        DataType.DT_UINT64: 13,
        DataType.DT_BF16: 16,
    }
)


def describe(desc: TensorDesc) -> str:
    """Data type and shape on a line."""
    return f"{desc.dtype.short} {desc.shape!r}"


def _readable(graph: GraphModel) -> str:
    lines = [f'graph("{graph.name}"):']
    for node in graph.nodes.values():
        outputs = ", ".join(f"%{node.name}:{index}" for index in range(len(node.output_descs)))
        inputs = ", ".join("none" if s is None else f"%{s.node.name}:{s.port}" for s in node.inputs)
        attrs = ", ".join(f"{name}={value!r}" for name, value in node.attrs.items())
        after = f" after {', '.join(c.name for c in node.controls)}" if node.controls else ""
        types = ", ".join(describe(desc) for desc in node.output_descs)
        lines.append(f"  {outputs} : {types} = {node.type}({inputs}) {{{attrs}}}{after}")
    returned = ", ".join(f"%{source.node.name}:{source.port}" for source in graph.outputs)
    return "\n".join([*lines, f"  return ({returned})", ""])


def _onnx(graph: GraphModel) -> str:
    body = [f"name: {_quoted(graph.name)}"]
    for node in graph.nodes.values():
        body += ["node {", *("  " + line for line in _onnx_node(node)), "}"]
    body += [line for node in graph.inputs for line in _onnx_value("input", f"{node.name}:0", node.output_descs[0])]
    for source in graph.outputs:
        desc = source.desc
        body += _onnx_value("output", f"{source.node.name}:{source.port}", desc)
    lines = ["ir_version: 6", 'producer_name: "cannery"', "graph {", *("  " + line for line in body), "}"]
    return "\n".join([*lines, ""])


def _onnx_node(node: NodeModel) -> list[str]:
    lines = [f"input: {_quoted('' if s is None else f'{s.node.name}:{s.port}')}" for s in node.inputs]
    lines += [f"output: {_quoted(f'{node.name}:{index}')}" for index in range(len(node.output_descs))]
    lines += [f"name: {_quoted(node.name)}", f"op_type: {_quoted(f'ge:{node.type}')}"]
    for name, value in node.attrs.items():
        lines += ["attribute {", f"  name: {_quoted(name)}", *("  " + line for line in _onnx_attribute(value)), "}"]
    return lines


def _onnx_attribute(value: Any) -> list[str]:
    if isinstance(value, (list, tuple)):
        return _onnx_list(value)
    if isinstance(value, float):
        return [f"f: {value}", "type: FLOAT"]
    if isinstance(value, int):
        return [f"i: {int(value)}", "type: INT"]
    return [f"s: {_quoted(value)}", "type: STRING"]


def _onnx_list(values: Sequence[Any]) -> list[str]:
    """A list in the first of ONNX's types that holds every item."""
    if all(isinstance(item, int) for item in values):
        return [*(f"ints: {int(item)}" for item in values), "type: INTS"]
    if all(isinstance(item, (int, float)) for item in values):
        return [*(f"floats: {float(item)}" for item in values), "type: FLOATS"]
    return [*(f"strings: {_quoted(item)}" for item in values), "type: STRINGS"]


def _onnx_value(what: str, name: str, desc: TensorDesc) -> list[str]:
    dims = [f"      dim {{ dim_value: {dim} }}" for dim in desc.shape]
    head = [f"{what} {{", f"  name: {_quoted(name)}", "  type { tensor_type {"]
    return [*head, f"    elem_type: {_ONNX_TYPES.get(desc.dtype, 0)}", "    shape {", *dims, "    } } }", "}"]


def _dot(graph: GraphModel) -> str:
    lines = [f"digraph {_quoted(graph.name)} {{", "  node [shape=box];"]
    for node in graph.nodes.values():
        label = "\\n".join(_quoted(text)[1:-1] for text in (node.name, node.type, *map(describe, node.output_descs)))
        lines.append(f'  {_quoted(node.name)} [label="{label}"];')
    for node in graph.nodes.values():
        for index, source in enumerate(node.inputs):
            if source is not None:
                label = f"{source.port} → {index}" if source.port or index else ""
                lines.append(f"  {_quoted(source.node.name)} -> {_quoted(node.name)} [label={_quoted(label)}];")
        lines += [f"  {_quoted(c.name)} -> {_quoted(node.name)} [style=dashed];" for c in node.controls]
    return "\n".join([*lines, "}", ""])


def _quoted(value: object) -> str:
    return json.dumps(str(value), ensure_ascii=False)


RENDERERS: Mapping[str, Callable[[GraphModel], str]] = MappingProxyType(
    {"onnx": _onnx, "txt": to_text, "readable": _readable, "dot": _dot, "svg": draw}
)
"""How a graph is written, by the name of the format. The same graph gives the same text."""
