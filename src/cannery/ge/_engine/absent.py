"""Names of the official package that are not offered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


def absent(module: str, reason: str) -> Callable[[str], Any]:
    """A module's ``__getattr__`` that refuses every name by name."""

    def refuse(name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        raise NotImplementedError(f"{module}.{name}: {reason}")

    return refuse
