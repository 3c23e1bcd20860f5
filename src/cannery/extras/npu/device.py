"""``torch.npu``: which devices there are, and which is in use.

Source: Ascend/pytorch `torch_npu/npu/__init__.py`, `torch_npu/npu/utils.py` @9e73e708.
"""

from __future__ import annotations

import os
import re
import uuid
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType, TracebackType
from typing import Any

import torch
from torch import Tensor

from cannery.extras.npu.machine import NAME, machine
from cannery.soc import Soc

DeviceLike = int | str | torch.device | None

# The number the runtime has for each chip; every chip of the 950 family has one.
SOC_VERSIONS: Mapping[str, int] = MappingProxyType(
    {
        "Ascend910B1": 220, "Ascend910B2": 221, "Ascend910B2C": 222, "Ascend910B3": 223, "Ascend910B4": 224,
        "Ascend910B4-1": 225, "Ascend310P1": 200, "Ascend310P3": 202, "Ascend310P5": 204, "Ascend310P7": 206,
        "Ascend910_9391": 250, "Ascend910_9392": 251, "Ascend910_9381": 252, "Ascend910_9382": 253,
        "Ascend910_9372": 254, "Ascend910_9362": 255, "Ascend910_9363": 256,
    }
)  # fmt: skip
ASCEND_950 = 260
ASCEND_910B1 = 220


@dataclass(frozen=True)
class DeviceProperties:
    """What ``get_device_properties`` gives. Sizes in bytes; what only other vendors' devices have is None."""

    name: str
    total_memory: int
    cube_core_num: int
    vector_core_num: int
    L2_cache_size: int
    uuid: uuid.UUID
    multi_processor_count: int
    major: int | None = None
    minor: int | None = None
    is_multi_gpu_board: bool | None = None
    is_integrated: bool | None = None
    max_threads_per_multi_processor: int | None = None
    warp_size: int | None = None
    regs_per_multiprocessor: int | None = None
    gcnArchName: str | None = None

    @classmethod
    def of(cls, chip: Soc, index: int) -> DeviceProperties:
        """Those of a device."""
        return cls(
            name=chip.name,
            total_memory=machine().ledgers[index].total,
            cube_core_num=chip.aic_cores or chip.ai_cores,
            vector_core_num=chip.aiv_cores,
            L2_cache_size=chip.l2_size,
            uuid=uuid.uuid5(uuid.NAMESPACE_OID, f"{chip.name}:{index}"),
            multi_processor_count=chip.aiv_cores,
        )


def index_of(device: DeviceLike, optional: bool = True) -> int:
    """The number that an int, ``"npu:1"`` or a ``torch.device`` names; None, or no number, is the current device.

    Raises:
        ValueError: another type of device.
        AssertionError: there is no such device.
    """
    index = _named(device)
    if index is None:
        if not optional:
            raise ValueError(f"Expected a torch.device with a specified index or an integer, but got: {device!r}")
        return machine().thread.device
    if not 0 <= index < machine().count:
        raise AssertionError(f"Invalid device id: found {index}, expected 0 to {machine().count - 1}")
    return index


def _named(device: DeviceLike) -> int | None:
    if device is None or isinstance(device, int):
        return device
    named = torch.device(device)
    if named.type != NAME:
        raise ValueError(f"Expected a npu device, but got: {device}")
    return named.index


def is_available() -> bool:
    """Whether there is a device. ``ASCEND_RT_VISIBLE_DEVICES=""`` leaves none."""
    return machine().count > 0


def is_initialized() -> bool:
    """Whether a device was used."""
    return machine().is_initialized


def init() -> None:
    """Start the runtime; the first use of a device does it as well."""
    machine().initialize()


def is_in_bad_fork() -> bool:
    """Whether this process is a fork of one that had used a device."""
    return machine().has_forked


def device_count() -> int:
    """Number of visible devices: ``CANNERY_DEVICES``, narrowed by ``ASCEND_RT_VISIBLE_DEVICES``."""
    return machine().count


def current_device() -> int:
    """The calling thread's device."""
    machine().initialize()
    return machine().thread.device


def set_device(device: DeviceLike) -> None:
    """Make a device the calling thread's."""
    index = index_of(device)
    machine().initialize()
    machine().set_device(index)


def exchange_device(index: int) -> int:
    """Make a device the calling thread's; which it was before. A negative one changes nothing."""
    if index < 0:
        return -1
    before = machine().thread.device
    set_device(index)
    return before


class device:
    """Context of a device; None or a negative number changes nothing."""

    def __init__(self, device: DeviceLike) -> None:
        self.idx = -1 if device is None or device == -1 else index_of(device)
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = exchange_device(self.idx)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        exchange_device(self.prev_idx)


class device_of(device):
    """Context of the device a tensor is on; a tensor of the host changes nothing."""

    def __init__(self, obj: Tensor) -> None:
        super().__init__(obj.get_device() if obj.device.type == NAME else None)


def get_device_name(device: DeviceLike = None) -> str:
    """The chip: ``Ascend910B1``, ``Ascend950PR_9589``, … by the settings (``CANNERY_SOC``)."""
    return machine().device(index_of(device)).soc.name


def get_device_properties(device: DeviceLike = None) -> DeviceProperties:
    """Cores and memory of a device."""
    index = index_of(device)
    return DeviceProperties.of(machine().device(index).soc, index)


def get_device_capability(device: DeviceLike = None) -> tuple[int, int] | None:
    """None and a warning, or what ``TORCH_NPU_DEVICE_CAPABILITY`` says.

    Raises:
        ValueError: it is not two numbers with a point between.
    """
    text = os.environ.get("TORCH_NPU_DEVICE_CAPABILITY")
    if text is None:
        warnings.warn("torch.npu.get_device_capability isn't implemented!", stacklevel=2)
        return None
    found = re.fullmatch(r"(\d+)\.(\d+)", text)
    if found is None:
        raise ValueError(f"TORCH_NPU_DEVICE_CAPABILITY: found {text!r}, expected two numbers such as 9.0")
    return int(found[1]), int(found[2])


def get_soc_version() -> int:
    """The runtime's number for the chip: 220 for Ascend910B1 … 260 for every Ascend950."""
    machine().initialize()
    chip = machine().device(0).soc
    return SOC_VERSIONS.get(chip.name, ASCEND_950)


def is_bf16_supported() -> bool:
    """Whether the chip computes in bfloat16: from Ascend910B1 on."""
    return get_soc_version() >= ASCEND_910B1


def can_device_access_peer(device_id: int, peer_device_id: int) -> bool:
    """Whether a device reads another's memory; never its own."""
    return index_of(device_id, optional=False) != index_of(peer_device_id, optional=False)


def utilization(device: DeviceLike = None) -> int:
    """Percent of the time kernels ran: 0, as nothing runs besides the host."""
    index_of(device)
    return 0


def set_option(options: Mapping[str, Any]) -> None:
    """Options of the graph compiler: kept, without effect.

    Raises:
        TypeError: no dict.
    """
    if not isinstance(options, dict):
        raise TypeError(f"npu option must be a dict, but got {type(options).__name__}")
    machine().options.update(options)


def set_compile_mode(jit_compile: bool = False) -> None:
    """Whether operators are compiled at run time: kept, without effect."""
    machine().options["jit_compile"] = jit_compile


def is_jit_compile_false() -> bool:
    """Whether that is off."""
    return not machine().options.get("jit_compile", False)


def set_sync_debug_mode(mode: int | str) -> None:
    """Whether synchronising calls warn or fail: kept, without effect.

    Raises:
        RuntimeError: none of 0, 1, 2, "default", "warn", "error".
    """
    names = {"default": 0, "warn": 1, "error": 2}
    value = names.get(mode, -1) if isinstance(mode, str) else mode
    if value not in names.values():
        raise RuntimeError(f"invalid value of debug_mode, expected one of {', '.join(names)}, found {mode!r}")
    machine().options["sync_debug_mode"] = value


def get_sync_debug_mode() -> int:
    """What was set."""
    return int(machine().options.get("sync_debug_mode", 0))


def set_deterministic_level(level: int) -> None:
    """How far kernels are deterministic: kept; all are, always."""
    machine().options["deterministic_level"] = level


def use_compatible_impl(is_compatible: bool) -> None:
    """Whether kernels follow other devices' rounding: kept, without effect."""
    machine().options["compatible_impl"] = bool(is_compatible)
