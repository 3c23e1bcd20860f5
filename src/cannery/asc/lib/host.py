"""``asc.lib.host``: the platform object; tiling classes are not simulated."""

from __future__ import annotations

from typing import Any

from cannery.asc.runtime import config
from cannery.soc import Soc


def get_ascendc_platform() -> Soc:
    """The chip kernels are launched on."""
    return config.platform()


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    raise NotImplementedError(f"asc.lib.host.{name} on {config.platform().name} is not simulated")
