"""``asc.adv``: the advanced API. What is not simulated says so when it is called."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

from cannery.asc import advanced, matmul, matmul_config
from cannery.asc.unsimulated import Unsimulated
from cannery.core.published import published

MODULES: Final[tuple[Any, ...]] = (advanced, matmul, matmul_config)
NAMES: Final = MappingProxyType(
    {
        **{name: getattr(module, name) for module in MODULES for name in module.__all__},
        **advanced.CALLS,
    }
)
globals().update(NAMES)
__all__ = sorted(NAMES)


def __getattr__(name: str) -> Any:
    if not published("cannery.asc").has("asc.adv", name):
        raise AttributeError(f"module 'asc.adv' has no attribute {name!r}")
    return Unsimulated(f"asc.adv.{name}")
