"""``asc.lib.host``: the platform object; tiling classes are not simulated; each says so when it is called."""

from __future__ import annotations

from typing import Any

from cannery.asc.runtime import config
from cannery.asc.unsimulated import Unsimulated
from cannery.soc import Soc


def get_ascendc_platform() -> Soc:
    """The chip kernels are launched on."""
    return config.platform()


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return Unsimulated(f"asc.lib.host.{name}")
