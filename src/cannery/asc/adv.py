"""``asc.adv``: matrix multiplication, softmax and the like are not simulated; each name says so when it is called."""

from __future__ import annotations

from typing import Any

from cannery.asc.unsimulated import Unsimulated
from cannery.core.published import published


def __getattr__(name: str) -> Any:
    if not published("cannery.asc").has("asc.adv", name):
        raise AttributeError(f"module 'asc.adv' has no attribute {name!r}")
    return Unsimulated(f"asc.adv.{name}")
