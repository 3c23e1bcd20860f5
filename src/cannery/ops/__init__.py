"""The operators. One folder each; adding one touches no other source file."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from cannery.operator import Operator


def operators() -> Iterator[Operator]:
    """The operator of every folder here; a folder whose name starts with an underscore is shared code."""
    for module in iter_modules(__path__):
        if module.ispkg and not module.name.startswith("_"):
            yield import_module(f"{__name__}.{module.name}").OPERATOR
