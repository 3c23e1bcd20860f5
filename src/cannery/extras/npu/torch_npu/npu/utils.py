"""``torch_npu.npu.utils``."""

from typing import Any

from cannery.core.published import module_getattr
from cannery.extras.npu.device import (
    current_device,
    device,
    device_of,
    get_soc_version,
    init,
    is_bf16_supported,
    set_device,
)
from cannery.extras.npu.device import index_of as index_of
from cannery.extras.npu.refusals import UNBUILT
from cannery.extras.npu.streams import stream, synchronize

CANN_VERSION = "8.5.0"

__all__ = [
    "current_device",
    "device",
    "device_of",
    "get_cann_version",
    "get_soc_version",
    "init",
    "is_bf16_supported",
    "set_device",
    "stream",
    "synchronize",
]


def get_cann_version(module: str = "CANN") -> str:
    """The version of the toolkit whose contracts are followed."""
    return CANN_VERSION


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """The number of a device, as PyTorch's own code asks for it; -1 for the host's where that is allowed."""
    if allow_cpu and str(device) == "cpu":
        return -1
    return index_of(device, optional)


__getattr__ = module_getattr("cannery.extras.npu.torch_npu", "torch_npu.npu.utils", UNBUILT)
