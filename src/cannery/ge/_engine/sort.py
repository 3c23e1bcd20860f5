"""The order in which nodes run."""

from __future__ import annotations

from collections import deque

from cannery.core import GeStatus
from cannery.ge._engine.model import GraphModel, NodeModel
from cannery.ge.error import GeError


def topological(graph: GraphModel) -> list[NodeModel]:
    """Every node after all that must run before it; nodes that are free to run stay in the order they were added.

    Raises:
        GeError: GE_GRAPH_PREPARE_FAILED: the graph has a cycle.
    """
    waiting = {node.name: sum(1 for _ in node.before()) for node in graph.nodes.values()}
    after: dict[str, list[NodeModel]] = {name: [] for name in graph.nodes}
    for node in graph.nodes.values():
        for before in node.before():
            after[before.name].append(node)
    ready = deque(node for node in graph.nodes.values() if not waiting[node.name])
    ordered = []
    while ready:
        node = ready.popleft()
        ordered.append(node)
        for below in after[node.name]:
            waiting[below.name] -= 1
            if not waiting[below.name]:
                ready.append(below)
    if len(ordered) < len(graph.nodes):
        stuck = ", ".join(name for name, count in waiting.items() if count)
        message = f"graph {graph.name!r}: found a cycle through or before {stuck:.200}, expected none"
        raise GeError(message, code=GeStatus.GE_GRAPH_PREPARE_FAILED)
    return ordered
