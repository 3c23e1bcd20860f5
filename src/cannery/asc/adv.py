"""``asc.adv``: matrix multiplication, softmax and the like are not simulated; each name says so when it is called."""

from __future__ import annotations

from typing import Any

from cannery.asc.unsimulated import Unsimulated


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return Unsimulated(f"asc.adv.{name}")
