"""Packages of operator functions that are installed beside ``ge.es.all``."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

from cannery.ge.error import GeError

__all__ = ["get_plugin", "list_plugins"]

GROUP = "ge.es.plugins"
BUILT_IN = "all"


def list_plugins() -> list[str]:
    """Their names: ``all``, and every entry point of the group ``ge.es.plugins``."""
    return sorted({BUILT_IN, *(entry.name for entry in entry_points(group=GROUP))})


def get_plugin(name: str) -> ModuleType | Any:
    """A package by its name.

    Raises:
        GeError: there is none.
    """
    if name == BUILT_IN:
        return import_module("cannery.ge.es.all")
    found = next(iter(entry_points(group=GROUP, name=name)), None)
    if found is None:
        raise GeError(f"found {name!r}, expected one of {', '.join(list_plugins())}", api_name="get_plugin")
    return found.load()
