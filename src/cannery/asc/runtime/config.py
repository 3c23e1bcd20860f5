"""``asc.runtime.config``: which chip kernels are launched on.

Source: hicann/pyasc `python/asc/runtime/config.py` @cecba26ace65.
Both backends run here. ``Platform`` has pyasc's members, with their values, and the chips of the Ascend950 family.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Any, Final

from cannery.settings import DEFAULT_CHIP, choose_platform, device_chip
from cannery.soc import Soc, all_socs, soc


class Backend(Enum):
    """Where kernels run."""

    Model = "Model"
    NPU = "NPU"


class KernelType(IntEnum):
    """Which cores a kernel uses."""

    AIV_ONLY = 0
    AIC_ONLY = 1
    MIX_AIV_HARD_SYNC = 2
    MIX_AIC_HARD_SYNC = 3
    MIX_AIV_1_0 = 4
    MIX_AIC_1_0 = 5
    MIX_AIC_1_1 = 6
    MIX_AIC_1_2 = 7


_FAMILIES: Final = ("Ascend910B", "Ascend910_93", "Ascend950")
_ALIASES: Final = ("Ascend910_9363",)
_PLATFORMS: Final = {
    chip.name.replace("-", "_"): chip.name
    for chip in all_socs()
    if chip.short_name in _FAMILIES and chip.name not in _ALIASES
}
_named: Any = Enum  # made from the table of chips, which a type checker cannot follow
Platform: Any = _named("Platform", _PLATFORMS)
"""The chips by name."""


def set_platform(
    backend: Backend | str, soc_version: Any = None, device_id: int | None = None, check: bool = True
) -> None:
    """Choose the chip of what follows: of the session where there is one, else of the process.

    A chip named by a session or on the command line wins; one named by the environment does not.

    Raises:
        ValueError: no such backend.
        UnknownSocError: no such chip.
    """
    del device_id, check
    Backend(backend.value if isinstance(backend, Enum) else backend)
    name = DEFAULT_CHIP if soc_version is None else soc_version.value if isinstance(soc_version, Enum) else soc_version
    choose_platform(soc(name))


def platform() -> Soc:
    """The chip kernels are launched on now."""
    return device_chip()
