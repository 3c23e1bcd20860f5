"""``ge.graph.Graph``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cannery.ge._engine.air import load_air, save_air
from cannery.ge._engine.arguments import NotCopied, require, wrong
from cannery.ge._engine.instance import instance
from cannery.ge._engine.model import DATA_TYPES, GraphModel, NodeModel, Source, check_port
from cannery.ge._engine.render import RENDERERS
from cannery.ge.error import GeError, calling
from cannery.ge.graph.attributes import attribute
from cannery.ge.graph.node import Node
from cannery.ge.graph.types import DumpFormat

__all__ = ["Graph"]

CONTROL = -1
"""The port of a control edge."""


class Graph(NotCopied):
    """A graph. Built by ``ge.es.GraphBuilder`` or loaded from a file, edited here, run by ``ge.session.Session``.

    Source: hicann/ge `api/python/ge/ge/graph/graph.py` @ffdcbc9f. Nodes of other graphs, ports that do not exist and
    names that are taken are a ``GeError``; what is no node, no graph or no number is a ``TypeError``.
    """

    def __init__(self, name: str = "graph") -> None:
        self.model = GraphModel(require(name, str, "Graph name"))

    @classmethod
    def of(cls, model: GraphModel) -> Graph:
        """The graph of a model."""
        made = cls(model.name)
        made.model = model
        return made

    @property
    def name(self) -> str:
        """The name."""
        return self.model.name

    def get_name(self) -> str:
        """The name."""
        return self.model.name

    def get_all_nodes(self) -> list[Node]:
        """Every node, those of subgraphs last."""
        below = [node for graph in self.get_all_subgraphs() for node in graph.get_direct_nodes()]
        return self.get_direct_nodes() + below

    def get_direct_nodes(self) -> list[Node]:
        """The nodes without those of subgraphs, in the order they were added."""
        return [Node(node, self.model) for node in self.model.nodes.values()]

    def find_node_by_name(self, name: str) -> Node | None:
        """The node of that name; None when there is none."""
        node = self.model.nodes.get(require(name, str, "name"))
        return None if node is None else Node(node, self.model)

    def get_attr(self, key: str) -> Any:
        """An attribute of the graph.

        Raises:
            GeError: it is not set.
        """
        if require(key, str, "Attribute key") not in self.model.attrs:
            raise GeError(f"found {key!r}, expected an attribute that is set", api_name="Graph.get_attr")
        return self.model.attrs[key]

    def set_attr(self, key: str, value: Any) -> None:
        """Set an attribute of the graph.

        Raises:
            ValueError: a value that no attribute has.
        """
        self.model.attrs[require(key, str, "Attribute key")] = attribute(value)

    def add_data_edge(self, src_node: Node, src_port_index: int, dst_node: Node, dst_port_index: int) -> None:
        """Let an output feed an input that nothing feeds yet."""
        source = Source(_model(src_node, "src_node"), require(src_port_index, int, "src_port_index"))
        target, port = _model(dst_node, "dst_node"), require(dst_port_index, int, "dst_port_index")
        with calling("Graph.add_data_edge", graph=self.name):
            self.model.connect(source, target, port)

    def add_control_edge(self, src_node: Node, dst_node: Node) -> None:
        """Let one node run before another."""
        with calling("Graph.add_control_edge", graph=self.name):
            self.model.order(_model(src_node, "src_node"), _model(dst_node, "dst_node"))

    def remove_edge(self, src_node: Node, src_port_index: int, dst_node: Node, dst_port_index: int) -> None:
        """Take an edge away; both ports -1 mean the control edge."""
        source, target = _model(src_node, "src_node"), _model(dst_node, "dst_node")
        require(src_port_index, int, "src_port_index")
        require(dst_port_index, int, "dst_port_index")
        with calling("Graph.remove_edge", graph=self.name):
            if src_port_index == dst_port_index == CONTROL:
                if source not in target.controls:
                    raise GeError(f"found no control edge from {source.name} to {target.name}")
                target.controls.remove(source)
            else:
                self.model.disconnect(Source(source, src_port_index), target, dst_port_index)

    def remove_node(self, node: Node) -> None:
        """Take a node away, with its edges and the outputs it gave."""
        with calling("Graph.remove_node", graph=self.name):
            self.model.remove(_model(node))

    def add_subgraph(self, subgraph: Graph) -> None:
        """Keep a graph under its name. No operator here calls one.

        Raises:
            GeError: the name is taken, or this graph is the subgraph or inside it.
        """
        require(subgraph, Graph, "subgraph")
        if subgraph.name in self.model.subgraphs:
            message = f"found a second subgraph {subgraph.name!r}, expected a name of its own"
            raise GeError(message, api_name="Graph.add_subgraph")
        if any(graph.model is self.model for graph in (subgraph, *subgraph.get_all_subgraphs())):
            message = f"found graph {self.name!r} inside its subgraph {subgraph.name!r}, expected no cycle"
            raise GeError(message, api_name="Graph.add_subgraph")
        self.model.subgraphs[subgraph.name] = subgraph.model

    def get_subgraph(self, name: str) -> Graph | None:
        """The subgraph of that name; None when there is none."""
        found = self.model.subgraphs.get(require(name, str, "name"))
        return None if found is None else Graph.of(found)

    def get_all_subgraphs(self) -> list[Graph]:
        """Every subgraph, those inside others after them."""
        direct = [Graph.of(model) for model in self.model.subgraphs.values()]
        return direct + [below for graph in direct for below in graph.get_all_subgraphs()]

    def remove_subgraph(self, name: str) -> None:
        """Take a subgraph away."""
        if self.model.subgraphs.pop(require(name, str, "name"), None) is None:
            raise GeError(f"found {name!r}, expected the name of a subgraph", api_name="Graph.remove_subgraph")

    def set_inputs(self, nodes: list[Node]) -> None:
        """Give data nodes their indices, in the order of the list."""
        with calling("Graph.set_inputs", graph=self.name):
            for index, node in enumerate(nodes):
                self.model.check_member(_model(node))
                if node.type not in DATA_TYPES:
                    raise GeError(f"found node {node.name} of type {node.type}, expected a data node")
                node.model.attrs["index"] = index

    def set_outputs(self, outputs: list[tuple[Node, int]]) -> None:
        """Declare the outputs anew: pairs of a node and which of its outputs."""
        with calling("Graph.set_outputs", graph=self.name):
            for node, index in outputs:
                self.model.check_member(_model(node))
                check_port(node.model, index, node.get_outputs_size(), "output")
            self.model.outputs = [Source(node.model, index) for node, index in outputs]

    def dump_to_stream(self, format: DumpFormat = DumpFormat.kReadable) -> str:
        """The graph as text: ONNX's text form, its JSON, one line a node, a DOT file or an SVG picture."""
        return RENDERERS[_form(format)[0]](self.model)

    def dump_to_file(self, format: DumpFormat = DumpFormat.kReadable, suffix: str = "") -> str:
        """Write that to a file in the working directory; its name.

        GE's forms are numbered in the order they are written: ``ge_onnx_00000000_graph_0_<suffix>.pbtxt``. A picture
        has the name of its graph. Source of the names: hicann/ge `graph_metadef/graph/utils/graph_utils.cc` @ffdcbc9f.

        Raises:
            TypeError: no DumpFormat, or a suffix that is no string.
            OSError: the file cannot be written.
        """
        kind, ending, is_numbered = _form(format)
        named = f"{next(instance().dumps):08}_graph_0" if is_numbered else self.name
        path = Path("_".join(part for part in ("ge", kind, named, require(suffix, str, "Suffix")) if part) + ending)
        path.write_text(self.dump_to_stream(format), encoding="utf-8")
        return str(path)

    def save_to_air(self, file_path: str) -> None:
        """Write the graph to a file that ``load_from_air`` reads: JSON, not the original's protobuf.

        Raises:
            OSError: the file cannot be written.
            GeError: an attribute cannot be saved.
        """
        require(file_path, str, "file_path")
        with calling("Graph.save_to_air", graph=self.name):
            save_air(self.model, Path(file_path))

    def load_from_air(self, file_path: str) -> None:
        """Become the graph of a file.

        Raises:
            OSError: the file cannot be read.
            GeError: GRAPH_PARAM_INVALID: it is no file of ``save_to_air``; this graph stays as it was.
        """
        require(file_path, str, "file_path")
        with calling("Graph.load_from_air"):
            self.model = load_air(Path(file_path))

    def __repr__(self) -> str:
        return f"Graph({self.name!r}, {len(self.model.nodes)} nodes)"


def _model(node: Any, what: str = "node") -> NodeModel:
    """What stands behind a node.

    Raises:
        TypeError: it is none.
    """
    found: Node = require(node, Node, what)
    return found.model


_FORMS = {
    DumpFormat.kOnnx: ("onnx", ".pbtxt", True),
    DumpFormat.kTxt: ("txt", ".txt", True),
    DumpFormat.kReadable: ("readable", ".txt", True),
    DumpFormat.DOT: ("dot", ".dot", False),
    DumpFormat.SVG: ("svg", ".svg", False),
}
"""Name and ending of a form, and whether GE numbers its files."""


def _form(format: Any) -> tuple[str, str, bool]:
    if isinstance(format, bool) or format not in _FORMS:
        raise wrong(f"Format must be in [{', '.join(str(known) for known in DumpFormat)}]", format)
    return _FORMS[DumpFormat(format)]
