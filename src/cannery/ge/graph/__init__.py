"""``ge.graph``: graphs, their nodes, and tensors."""

from cannery.ge.graph.graph import Graph
from cannery.ge.graph.node import Node
from cannery.ge.graph.operator import Operator
from cannery.ge.graph.shape import Shape
from cannery.ge.graph.tensor import Tensor
from cannery.ge.graph.tensor_desc import TensorDesc
from cannery.ge.graph.types import DataType, DumpFormat, Format, Placement

__all__ = [
    "DataType",
    "DumpFormat",
    "Format",
    "Graph",
    "Node",
    "Operator",
    "Placement",
    "Shape",
    "Tensor",
    "TensorDesc",
]
