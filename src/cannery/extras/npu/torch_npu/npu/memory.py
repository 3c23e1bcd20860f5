"""``torch_npu.npu.memory``."""

from typing import Any

from cannery.core.published import module_getattr
from cannery.extras.npu.memory import (
    MemPool,
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    memory_snapshot,
    memory_stats,
    memory_summary,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
    use_mem_pool,
)
from cannery.extras.npu.refusals import TORCH_NPU_MEMORY, UNBUILT, refused

__all__ = [
    "MemPool",
    "empty_cache",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_snapshot",
    "memory_stats",
    "memory_summary",
    "reset_peak_memory_stats",
    "set_per_process_memory_fraction",
    "use_mem_pool",
]

_REFUSED = refused("torch.npu.memory", TORCH_NPU_MEMORY)

_absent = module_getattr("cannery.extras.npu.torch_npu", "torch_npu.npu.memory", UNBUILT)


def __getattr__(name: str) -> Any:
    if name in _REFUSED:
        return _REFUSED[name]
    return _absent(name)
