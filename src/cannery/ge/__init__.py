"""GE graphs and sessions in the spelling of the official Python package ``ge``.

Under ``cannery exec`` and ``cannery.activate`` the name ``ge`` is this package, so a program written for CANN runs as
it is. A graph runs through the same staged call as everything else; what an operator refuses is a ``GeError`` with
GE's code.

Source of the spelling: hicann/ge `api/python/ge/ge`, `docs/en/user_guides/ge_python` @ffdcbc9f.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

MODULES = ("error", "es", "ge_global", "graph", "session", "utils")


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'ge' has no attribute {name!r}")
