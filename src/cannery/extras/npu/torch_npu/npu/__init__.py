"""``torch.npu``, the same object as ``torch_npu.npu``."""

from __future__ import annotations

from typing import Any

import torch

from cannery.core.published import module_getattr
from cannery.extras.npu.amp import get_amp_supported_dtype as get_amp_supported_dtype
from cannery.extras.npu.amp import get_autocast_dtype as get_autocast_dtype
from cannery.extras.npu.amp import is_autocast_enabled as is_autocast_enabled
from cannery.extras.npu.amp import set_autocast_dtype as set_autocast_dtype
from cannery.extras.npu.amp import set_autocast_enabled as set_autocast_enabled
from cannery.extras.npu.device import can_device_access_peer as can_device_access_peer
from cannery.extras.npu.device import current_device as current_device
from cannery.extras.npu.device import device as device
from cannery.extras.npu.device import device_count as device_count
from cannery.extras.npu.device import device_of as device_of
from cannery.extras.npu.device import exchange_device as _exchange_device
from cannery.extras.npu.device import exchange_device as _maybe_exchange_device
from cannery.extras.npu.device import get_device_capability as get_device_capability
from cannery.extras.npu.device import get_device_name as get_device_name
from cannery.extras.npu.device import get_device_properties as get_device_properties
from cannery.extras.npu.device import get_soc_version as get_soc_version
from cannery.extras.npu.device import get_sync_debug_mode as get_sync_debug_mode
from cannery.extras.npu.device import init as _lazy_init
from cannery.extras.npu.device import init as init
from cannery.extras.npu.device import is_available as is_available
from cannery.extras.npu.device import is_bf16_supported as is_bf16_supported
from cannery.extras.npu.device import is_in_bad_fork as _is_in_bad_fork
from cannery.extras.npu.device import is_initialized as is_initialized
from cannery.extras.npu.device import is_jit_compile_false as is_jit_compile_false
from cannery.extras.npu.device import set_compile_mode as set_compile_mode
from cannery.extras.npu.device import set_deterministic_level as set_deterministic_level
from cannery.extras.npu.device import set_device as set_device
from cannery.extras.npu.device import set_option as set_option
from cannery.extras.npu.device import set_sync_debug_mode as set_sync_debug_mode
from cannery.extras.npu.device import use_compatible_impl as use_compatible_impl
from cannery.extras.npu.device import utilization as utilization
from cannery.extras.npu.memory import MemPool as MemPool
from cannery.extras.npu.memory import empty_cache as empty_cache
from cannery.extras.npu.memory import max_memory_allocated as max_memory_allocated
from cannery.extras.npu.memory import max_memory_reserved as max_memory_cached
from cannery.extras.npu.memory import max_memory_reserved as max_memory_reserved
from cannery.extras.npu.memory import mem_get_info as mem_get_info
from cannery.extras.npu.memory import memory_allocated as memory_allocated
from cannery.extras.npu.memory import memory_reserved as memory_cached
from cannery.extras.npu.memory import memory_reserved as memory_reserved
from cannery.extras.npu.memory import memory_snapshot as memory_snapshot
from cannery.extras.npu.memory import memory_stats as memory_stats
from cannery.extras.npu.memory import memory_summary as memory_summary
from cannery.extras.npu.memory import reset_peak_memory_stats as reset_max_memory_allocated
from cannery.extras.npu.memory import reset_peak_memory_stats as reset_max_memory_cached
from cannery.extras.npu.memory import reset_peak_memory_stats as reset_peak_memory_stats
from cannery.extras.npu.memory import set_per_process_memory_fraction as set_per_process_memory_fraction
from cannery.extras.npu.memory import use_mem_pool as use_mem_pool
from cannery.extras.npu.profiler import mstx as mstx
from cannery.extras.npu.random import get_rng_state as get_rng_state
from cannery.extras.npu.random import get_rng_state_all as get_rng_state_all
from cannery.extras.npu.random import initial_seed as initial_seed
from cannery.extras.npu.random import manual_seed as manual_seed
from cannery.extras.npu.random import manual_seed_all as manual_seed_all
from cannery.extras.npu.random import seed as seed
from cannery.extras.npu.random import seed_all as seed_all
from cannery.extras.npu.random import set_rng_state as set_rng_state
from cannery.extras.npu.random import set_rng_state_all as set_rng_state_all
from cannery.extras.npu.refusals import TORCH_NPU, UNBUILT, refused
from cannery.extras.npu.settings import Config, Precision
from cannery.extras.npu.streams import Event as Event
from cannery.extras.npu.streams import ExternalEvent as ExternalEvent
from cannery.extras.npu.streams import Stream as Stream
from cannery.extras.npu.streams import Stream as SyncLaunchStream
from cannery.extras.npu.streams import StreamContext as StreamContext
from cannery.extras.npu.streams import current_stream as current_stream
from cannery.extras.npu.streams import default_stream as default_stream
from cannery.extras.npu.streams import external_stream as ExternalStream
from cannery.extras.npu.streams import get_device_limit as get_device_limit
from cannery.extras.npu.streams import get_stream_limit as get_stream_limit
from cannery.extras.npu.streams import reset_stream_limit as reset_stream_limit
from cannery.extras.npu.streams import set_device_limit as set_device_limit
from cannery.extras.npu.streams import set_stream as set_stream
from cannery.extras.npu.streams import set_stream_limit as set_stream_limit
from cannery.extras.npu.streams import stream as stream
from cannery.extras.npu.streams import synchronize as synchronize
from cannery.extras.npu.torch_npu.npu import amp as amp
from cannery.extras.npu.torch_npu.npu import memory as memory
from cannery.extras.npu.torch_npu.npu import random as random
from cannery.extras.npu.torch_npu.npu import streams as streams
from cannery.extras.npu.torch_npu.npu import utils as utils

__all__ = ["ExternalStream", "SyncLaunchStream", "config", "conv", "matmul", "max_memory_cached", "memory_cached",
           "reset_max_memory_allocated", "reset_max_memory_cached"]  # fmt: skip

_exchange_device, _maybe_exchange_device, _lazy_init, _is_in_bad_fork  # noqa: B018 - PyTorch calls them by name
config = Config()
matmul = Precision(allow_hf32=False)
conv = Precision(allow_hf32=True)
_utils = utils
OutOfMemoryError = torch.OutOfMemoryError
# The older constructors torch.npu.FloatTensor(…) and so on.
_TYPES = {
    "FloatTensor": torch.float32,
    "DoubleTensor": torch.float64,
    "HalfTensor": torch.float16,
    "BFloat16Tensor": torch.bfloat16,
    "LongTensor": torch.int64,
    "IntTensor": torch.int32,
    "ShortTensor": torch.int16,
    "CharTensor": torch.int8,
    "ByteTensor": torch.uint8,
    "BoolTensor": torch.bool,
}
_STORAGES = tuple(name.replace("Tensor", "Storage") for name in _TYPES)
_REFUSED = refused("torch.npu", {**TORCH_NPU, "storages have no type any more: use torch.UntypedStorage": _STORAGES})


class _TensorType(type):
    """What ``torch.npu.FloatTensor`` is: no tensor's class, but those of the device and the dtype are instances."""

    dtype: torch.dtype

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, torch.Tensor) and instance.device.type == "npu" and instance.dtype is cls.dtype

    def __call__(cls, *content: Any) -> torch.Tensor:
        """A tensor of given sizes, uninitialised, or of given values."""
        if all(isinstance(item, int) for item in content):
            return torch.empty(content, dtype=cls.dtype, device="npu")
        return torch.tensor(content[0], dtype=cls.dtype, device="npu")


def is_current_stream_capturing() -> bool:
    """Whether a graph is being captured: never."""
    return False


_absent = module_getattr("cannery.extras.npu.torch_npu", "torch_npu.npu", UNBUILT)


def __getattr__(name: str) -> Any:
    if name in _TYPES:
        # `tensor.type(…)` reads the whole name where the type has its own.
        return _TensorType(f"torch.npu.{name}", (), {"dtype": _TYPES[name]})
    if name in _REFUSED:
        return _REFUSED[name]
    return _absent(name)
