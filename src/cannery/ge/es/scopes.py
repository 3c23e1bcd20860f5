"""What is given to every node that is made inside a block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from cannery.ge._engine.model import NodeModel
from cannery.ge.es.tensor_holder import TensorHolder
from cannery.ge.graph.attributes import attribute

__all__ = ["attr_scope", "control_dependency_scope"]

_attrs: ContextVar[Mapping[str, Any]] = ContextVar("cannery.ge.attr_scope", default=MappingProxyType({}))
_controls: ContextVar[tuple[NodeModel, ...]] = ContextVar("cannery.ge.control_dependency_scope", default=())


@contextmanager
def attr_scope(attr_maps: Mapping[str, Any]) -> Iterator[None]:
    """Set these attributes of every node made inside.

    Raises:
        ValueError: a value that no attribute has.
    """
    token = _attrs.set({**_attrs.get(), **{name: attribute(value) for name, value in attr_maps.items()}})
    try:
        yield
    finally:
        _attrs.reset(token)


@contextmanager
def control_dependency_scope(dependencies: Iterable[TensorHolder]) -> Iterator[None]:
    """Let every node made inside run after those that gave these tensors."""
    token = _controls.set((*_controls.get(), *(holder.source.node for holder in dependencies)))
    try:
        yield
    finally:
        _controls.reset(token)


def apply_scopes(node: NodeModel) -> NodeModel:
    """The node with what the surrounding blocks give."""
    node.attrs = {**_attrs.get(), **node.attrs}
    node.controls.extend(control for control in _controls.get() if control not in node.controls)
    return node
