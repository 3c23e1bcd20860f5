"""``ge.es``: graphs built by calling functions named like operators.

Source: hicann/ge `api/python/ge/ge/es`, `docs/en/user_guides/es_graph` @ffdcbc9f.
"""

from cannery.ge.es.graph_builder import GraphBuilder
from cannery.ge.es.plugins import get_plugin, list_plugins
from cannery.ge.es.scopes import attr_scope, control_dependency_scope
from cannery.ge.es.tensor_holder import TensorHolder
from cannery.ge.es.types import InputType

__all__ = [
    "GraphBuilder",
    "InputType",
    "TensorHolder",
    "attr_scope",
    "control_dependency_scope",
    "get_plugin",
    "list_plugins",
]
