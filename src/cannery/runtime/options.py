"""What the virtual machine is like; read once, from the environment. Its chip is a setting, as everywhere."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from cannery.settings import SettingError

GIB = 1 << 30
DEFAULT_DEVICES = 8


@dataclass(frozen=True)
class Options:
    """The machine.

    Attributes:
        devices: how many devices there are. ``CANNERY_DEVICES``, then ``ASCEND_RT_VISIBLE_DEVICES``.
        memory: bytes of memory a device has. ``CANNERY_DEVICE_MEMORY_GIB``.
    """

    devices: int = DEFAULT_DEVICES
    memory: int = 64 * GIB

    @classmethod
    def of(cls, environment: Mapping[str, str] = os.environ) -> Options:
        """The options an environment gives.

        Raises:
            SettingError: a number is none, or less than one.
        """
        devices = _number(environment, "CANNERY_DEVICES", DEFAULT_DEVICES)
        return cls(
            _visible(environment.get("ASCEND_RT_VISIBLE_DEVICES"), devices),
            _number(environment, "CANNERY_DEVICE_MEMORY_GIB", 64) * GIB,
        )


def _number(environment: Mapping[str, str], name: str, default: int) -> int:
    text = environment.get(name, "").strip() or str(default)
    if not text.isdecimal() or int(text) < 1:
        raise SettingError(f"{name}: found {text!r}, expected a number from 1 up")
    return int(text)


def _visible(text: str | None, devices: int) -> int:
    """How many devices a list shows: ids must ascend, and reading ends at the first bad one."""
    if text is None:
        return devices
    shown: list[int] = []
    for item in text.split(","):
        if not item.strip().isdecimal() or not (shown[-1] if shown else -1) < int(item) < devices:
            break
        shown.append(int(item))
    return len(shown)
