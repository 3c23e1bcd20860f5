"""A picture of a graph: layers from top to bottom, boxes with type and inferred shapes; needs no other program."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import ceil

from cannery.ge._engine.model import GraphModel, NodeModel
from cannery.ge._engine.sort import topological

CHAR_WIDTH = 7.25  # of 12 px monospace, rounded up
LINE_HEIGHT = 15
GAP_X, GAP_Y = 24, 44
MARGIN = 16

STYLE = (
    "text{font:12px monospace;fill:#222}.box{fill:#fff;stroke:#555}.data{fill:#e8f0fa;stroke:#37b}"
    ".const{fill:#f3f0e4;stroke:#a83}.out{stroke-width:2.5}path{fill:none;stroke:#555}.control{stroke-dasharray:4 3}"
)
CLASSES = {"Data": "data", "RefData": "data", "Const": "const"}


@dataclass(frozen=True)
class Box:
    """A node where it is drawn, in pixels from the upper left corner."""

    node: NodeModel
    lines: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float


def draw(graph: GraphModel) -> str:
    """The graph as an SVG document. The same graph gives the same bytes.

    Raises:
        GeError: GE_GRAPH_PREPARE_FAILED: the graph has a cycle.
    """
    boxes = layout(graph)
    width = max((box.x + box.width for box in boxes.values()), default=0) + MARGIN
    height = max((box.y + box.height for box in boxes.values()), default=0) + MARGIN
    given = {source.node.name for source in graph.outputs}
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
    return "\n".join(
        [
            f'{head}viewBox="0 0 {width:g} {height:g}">',
            f"<title>{escape(graph.name)}</title>",
            f"<style>{STYLE}</style>",
            '<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0 0 8 4 0 8z" style="fill:#555"/></marker></defs>',
            *(line for box in boxes.values() for line in _edges(box, boxes)),
            *(line for box in boxes.values() for line in _box(box, box.node.name in given)),
            "</svg>",
            "",
        ]
    )


def layout(graph: GraphModel) -> dict[str, Box]:
    """A box for each node: every node is below all that must run before it, layers are centred."""
    layers: list[list[NodeModel]] = []
    depth: dict[str, int] = {}
    for node in topological(graph):
        depth[node.name] = max((depth[before.name] + 1 for before in node.before()), default=0)
        layers.extend([] for _ in range(depth[node.name] + 1 - len(layers)))
        layers[depth[node.name]].append(node)
    widths = [sum(_width(node) + GAP_X for node in layer) - GAP_X for layer in layers]
    boxes, y = {}, float(MARGIN)
    for layer, width in zip(layers, widths, strict=True):
        x = MARGIN + (max(widths) - width) / 2
        for node in layer:
            lines = _lines(node)
            boxes[node.name] = Box(node, lines, x, y, _width(node), LINE_HEIGHT * len(lines) + 8)
            x += _width(node) + GAP_X
        y += max(LINE_HEIGHT * len(_lines(node)) + 8 for node in layer) + GAP_Y
    return boxes


def _lines(node: NodeModel) -> tuple[str, ...]:
    shapes = (f"{desc.dtype.short} {desc.shape!r}" for desc in node.output_descs)
    return (node.name, node.type, *shapes)


def _width(node: NodeModel) -> int:
    return ceil(CHAR_WIDTH * max(map(len, _lines(node)))) + 16


def _box(box: Box, is_output: bool) -> list[str]:
    kind = CLASSES.get(box.node.type, "box") + " out" * is_output
    rect = f'<rect class="{kind}" x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{box.height:g}" rx="4"/>'
    texts = (
        f'<text x="{box.x + 8:g}" y="{box.y + LINE_HEIGHT * (index + 1):g}">{escape(line)}</text>'
        for index, line in enumerate(box.lines)
    )
    return [rect, *texts]


def _edges(box: Box, boxes: dict[str, Box]) -> list[str]:
    ports = len(box.node.inputs) + 1
    lines = []
    for index, source in enumerate(box.node.inputs):
        if source is not None:
            above = boxes[source.node.name]
            start = above.x + above.width * (source.port + 1) / (len(above.node.output_descs) + 1)
            lines.append(_curve(start, above, box.x + box.width * (index + 1) / ports, box, "data-edge"))
    for control in box.node.controls:
        above = boxes[control.name]
        lines.append(_curve(above.x + above.width, above, box.x + box.width, box, "control"))
    return lines


def _curve(start: float, above: Box, end: float, below: Box, kind: str) -> str:
    top, bottom = above.y + above.height, below.y
    middle = (top + bottom) / 2
    curve = f"M{start:g} {top:g}C{start:g} {middle:g} {end:g} {middle:g} {end:g} {bottom:g}"
    return f'<path class="{kind}" d="{curve}" marker-end="url(#a)"/>'
