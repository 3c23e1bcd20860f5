"""``asc.lib.runtime``: what scripts ask of the device runtime (hicann/pyasc `python/asc/lib/runtime` @cecba26ace65).

Launches are synchronous and there is one device, so that streams are handles and synchronising returns at once.
"""

from __future__ import annotations

from ctypes import c_void_p
from typing import Any

from cannery.asc.runtime import config

Stream = c_void_p
Memory = c_void_p
Kernel = c_void_p
Function = c_void_p


def current_stream(device_id: int | None = None) -> Any:
    """The stream launches go to."""
    del device_id
    return Stream(1)


def create_stream(priority: int = 0) -> Any:
    """A stream."""
    del priority
    return Stream(1)


def destroy_stream(s: Any) -> None:
    """Give a stream back."""


def synchronize(stream_handle: Any = None, timeout: int = 0) -> None:
    """Wait for a stream."""


def synchronize_device() -> None:
    """Wait for the device."""


def use_model() -> None:
    """Choose the model backend."""


def use_npu(custom_lib_prefix: str | None = None) -> None:
    """Choose the NPU backend."""


def is_initialized() -> bool:
    """Always."""
    return True


def is_available() -> bool:
    """Always."""
    return True


def is_model() -> bool:
    """Always: kernels run on a model of the chip."""
    return True


def current_platform() -> str:
    """The chip's name."""
    return config.platform().name


def set_soc_version(name: str) -> None:
    """Choose the chip."""
    config.set_platform(config.Backend.Model, name)


def get_soc_version() -> str:
    """The chip's name."""
    return config.platform().name


def default_device() -> int:
    """0."""
    return 0


def current_device() -> int:
    """0."""
    return 0


def device_count() -> int:
    """1."""
    return 1


def set_device(id: int) -> None:
    """There is one device.

    Raises:
        ValueError: another one is asked for.
    """
    if int(id) != 0:
        raise ValueError(f"set_device: found {id}, expected 0: there is one device")


def reset_device(id: int | None = None) -> None:
    """Without effect."""


def acl_init() -> None:
    """Without effect."""


def acl_finalize() -> None:
    """Without effect."""
