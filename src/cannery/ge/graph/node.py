"""``ge.graph.Node``."""

from __future__ import annotations

from typing import Any

from cannery.ge._engine.arguments import NotCopied, require
from cannery.ge._engine.model import GraphModel, NodeModel, Source, check_port, port_attr
from cannery.ge.error import GeError, calling
from cannery.ge.graph.attributes import attribute
from cannery.ge.graph.tensor_desc import TensorDesc

__all__ = ["Node"]


class Node(NotCopied):
    """A node of a graph; two objects of the same node are equal. Nodes are made by ``ge.es``."""

    def __init__(self, model: NodeModel, graph: GraphModel | None = None) -> None:
        if not isinstance(model, NodeModel):
            raise TypeError("Node: a node cannot be constructed, it is made by ge.es and found in a graph")
        self.model = model
        self._graph = GraphModel("") if graph is None else graph

    @property
    def name(self) -> str:
        """The name, its own within the graph."""
        return self.model.name

    @property
    def type(self) -> str:
        """The operator's type, Data or Const."""
        return self.model.type

    def get_inputs_size(self) -> int:
        """Number of inputs, fed or not."""
        return len(self.model.inputs)

    def get_outputs_size(self) -> int:
        """Number of outputs."""
        return len(self.model.output_descs)

    def get_input_desc(self, index: int) -> TensorDesc:
        """A copy of an input's descriptor.

        Raises:
            GeError: GRAPH_PARAM_OUT_OF_RANGE.
        """
        return self._desc("input", index)

    def update_input_desc(self, index: int, tensor_desc: TensorDesc) -> None:
        """Set an input's descriptor. Compilation puts the feeding output's in its place."""
        self._update("input", index, tensor_desc)

    def get_output_desc(self, index: int) -> TensorDesc:
        """A copy of an output's descriptor; after compilation the inferred one.

        Raises:
            GeError: GRAPH_PARAM_OUT_OF_RANGE.
        """
        return self._desc("output", index)

    def update_output_desc(self, index: int, tensor_desc: TensorDesc) -> None:
        """Set an output's descriptor. Compilation overwrites an operator's with the inferred shape and data type."""
        self._update("output", index, tensor_desc)

    def get_in_data_nodes_and_port_indexes(self, in_index: int) -> tuple[Node, int] | None:
        """The node that feeds an input, and which of its outputs does."""
        require(in_index, int, "Input index")
        with calling("Node.get_in_data_nodes_and_port_indexes", node=self.name):
            check_port(self.model, in_index, len(self.model.inputs), "input")
        source = self.model.inputs[in_index]
        return None if source is None else (Node(source.node, self._graph), source.port)

    def get_in_control_nodes(self) -> list[Node]:
        """The nodes that must run before."""
        return [Node(control, self._graph) for control in self.model.controls]

    def get_out_data_nodes_and_port_indexes(self, out_index: int) -> list[tuple[Node, int]]:
        """The nodes that an output feeds, and which of their inputs.

        Raises:
            GeError: GRAPH_PARAM_OUT_OF_RANGE.
        """
        require(out_index, int, "Output index")
        with calling("Node.get_out_data_nodes_and_port_indexes", node=self.name):
            check_port(self.model, out_index, len(self.model.output_descs), "output")
        source = Source(self.model, out_index)
        fed = (
            (node, port) for node in self._graph.nodes.values() for port, at in enumerate(node.inputs) if at == source
        )
        return [(Node(node, self._graph), port) for node, port in fed]

    def get_out_control_nodes(self) -> list[Node]:
        """The nodes that must run after."""
        return [Node(node, self._graph) for node in self._graph.nodes.values() if self.model in node.controls]

    def has_attr(self, attr_name: str) -> bool:
        """Whether an attribute is set."""
        return require(attr_name, str, "attr_name") in self.model.attrs

    def get_attr(self, key: str) -> Any:
        """An attribute.

        Raises:
            GeError: it is not set.
        """
        if require(key, str, "Attribute key") not in self.model.attrs:
            have = ", ".join(self.model.attrs) or "none"
            raise GeError(f"found {key!r}, expected an attribute that is set ({have})", api_name="Node.get_attr")
        return self.model.attrs[key]

    def set_attr(self, key: str, value: Any) -> None:
        """Set an attribute. Whether the operator accepts it shows at compilation.

        Raises:
            ValueError: a value that no attribute has.
        """
        self.model.attrs[require(key, str, "Attribute key")] = attribute(value)

    def get_input_attr(self, attr_name: str, input_index: int) -> Any:
        """An attribute of an input.

        Raises:
            GeError: it is not set; GRAPH_PARAM_OUT_OF_RANGE.
        """
        return self.get_attr(self._port_attr("input", input_index, attr_name))

    def set_input_attr(self, attr_name: str, input_index: int, value: Any) -> None:
        """Set an attribute of an input.

        Raises:
            GeError: GRAPH_PARAM_OUT_OF_RANGE.
        """
        self.set_attr(self._port_attr("input", input_index, attr_name), value)

    def get_output_attr(self, attr_name: str, output_index: int) -> Any:
        """An attribute of an output, as ``GraphBuilder.set_tensor_attr_…`` sets it.

        Raises:
            GeError: it is not set; GRAPH_PARAM_OUT_OF_RANGE.
        """
        return self.get_attr(self._port_attr("output", output_index, attr_name))

    def set_output_attr(self, attr_name: str, output_index: int, value: Any) -> None:
        """Set an attribute of an output.

        Raises:
            GeError: GRAPH_PARAM_OUT_OF_RANGE.
        """
        self.set_attr(self._port_attr("output", output_index, attr_name), value)

    def get_attrs(self) -> dict[str, Any]:
        """A copy of every attribute that is set."""
        return dict(self.model.attrs)

    attrs = property(get_attrs)

    def _port_attr(self, what: str, index: int, name: str) -> str:
        count = self.get_inputs_size() if what == "input" else self.get_outputs_size()
        require(name, str, "Attribute name")
        require(index, int, f"{what.capitalize()} index")
        with calling(f"Node.{what}_attr", node=self.name):
            check_port(self.model, index, count, what)
        return port_attr(what, index, name)

    def _desc(self, what: str, index: int) -> TensorDesc:
        descs = getattr(self.model, f"{what}_descs")
        require(index, int, f"{what.capitalize()} index")
        with calling(f"Node.get_{what}_desc", node=self.name):
            check_port(self.model, index, len(descs), what)
        return TensorDesc.of(descs[index])

    def _update(self, what: str, index: int, desc: TensorDesc) -> None:
        require(index, int, f"{what.capitalize()} index")
        require(desc, TensorDesc, "tensor_desc")
        descs = getattr(self.model, f"{what}_descs")
        with calling(f"Node.update_{what}_desc", node=self.name):
            check_port(self.model, index, len(descs), what)
        descs[index] = desc.core

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and other.model is self.model

    def __hash__(self) -> int:
        return id(self.model)

    def __repr__(self) -> str:
        return f"Node({self.name!r}, {self.type})"
