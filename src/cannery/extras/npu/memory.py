"""``torch.npu``'s memory statistics: what the process's tensors take, counted as the caching allocator counts.

Source: Ascend/pytorch `torch_npu/npu/memory.py` @9e73e708.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cannery.extras.npu.device import DeviceLike, index_of
from cannery.extras.npu.ledger import Ledger
from cannery.extras.npu.machine import machine


def _ledger(device: DeviceLike) -> Ledger:
    return machine().ledgers[index_of(device)]


def memory_allocated(device: DeviceLike = None) -> int:
    """Bytes that tensors take."""
    return _ledger(device).allocated


def max_memory_allocated(device: DeviceLike = None) -> int:
    """The most they took."""
    return _ledger(device).peak_allocated


def memory_reserved(device: DeviceLike = None) -> int:
    """Bytes the allocator holds."""
    return _ledger(device).reserved


def max_memory_reserved(device: DeviceLike = None) -> int:
    """The most it held."""
    return _ledger(device).peak_reserved


def reset_peak_memory_stats(device: DeviceLike = None) -> None:
    """Let the peaks start from now."""
    _ledger(device).reset_peaks()


def empty_cache() -> None:
    """Let the allocator give back what no tensor is in."""
    for ledger in machine().ledgers:
        ledger.empty_cache()


def mem_get_info(device: DeviceLike = None) -> tuple[int, int]:
    """Free and total bytes."""
    ledger = _ledger(device)
    return ledger.free(), ledger.total


def set_per_process_memory_fraction(fraction: float, device: DeviceLike = None) -> None:
    """Let the process take no more than a part of the memory.

    Raises:
        TypeError: no float.
        ValueError: not from 0 to 1.
    """
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    _ledger(device).fraction = fraction


def memory_stats(device: DeviceLike = None) -> dict[str, Any]:
    """Counters by the caching allocator's keys, ``allocated_bytes.all.current`` and so on."""
    ledger = _ledger(device)
    rows = (
        ("allocated_bytes", ledger.allocated, ledger.peak_allocated),
        ("active_bytes", ledger.allocated, ledger.peak_allocated),
        ("reserved_bytes", ledger.reserved, ledger.peak_reserved),
        ("allocation", ledger.blocks, ledger.peak_blocks),
        ("active", ledger.blocks, ledger.peak_blocks),
    )
    stats: dict[str, Any] = {"num_alloc_retries": 0, "num_ooms": 0}
    for name, current, peak in rows:
        stats |= {f"{name}.all.current": current, f"{name}.all.peak": peak}
    stats |= {"allocation.all.allocated": ledger.allocations, "allocation.all.freed": ledger.frees}
    return dict(sorted(stats.items()))


def memory_summary(device: DeviceLike = None, abbreviated: bool = False) -> str:
    """The counters as lines of text."""
    index = index_of(device)
    lines = [f"{name:<34} {value:>16}" for name, value in memory_stats(index).items()]
    return "\n".join([f"PyTorch NPU memory summary, device ID {index}", *lines])


def memory_snapshot() -> list[dict[str, Any]]:
    """One segment a device that is in use."""
    return [
        {"device": ledger.index, "total_size": ledger.reserved, "allocated_size": ledger.allocated}
        for ledger in machine().ledgers
        if ledger.reserved
    ]


class MemPool:
    """A pool of memory: all memory here is one, so that it is a name only."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.id = (0, 0)


@contextmanager
def use_mem_pool(pool: MemPool, device: DeviceLike = None) -> Iterator[None]:
    """Allocate from a pool."""
    index_of(device)
    yield
