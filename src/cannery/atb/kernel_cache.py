"""The tiling cache of an OpsRunner: a local one, then one of the thread for each type of runner.

Source: ascend-transformer-boost `src/atb/kernel_cache/kernel_cache.cpp`, `src/atb/utils/config.cpp` @ddcc8b6. A hit
needs equal parameters and equal descriptors. Outputs count here as well, since Setup's own checks are part of tiling.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from cannery.operator import CallContext
from cannery.operator.staged import Prepared

# The second name is spelled so in the original.
LOCAL_COUNT = "ATB_OPSRUNNER_KERNEL_CACHE_LOCAL_COUNT"
GLOBAL_COUNT = "ATB_OPSRUNNER_KERNEL_CACHE_GLOABL_COUNT"
LEAST, MOST, DEFAULT = 1, 1024, 1


def capacity(name: str, environment: Mapping[str, str] = os.environ) -> int:
    """How many tilings a cache keeps: what the variable says, within 1 to 1024; 1 where it says no number."""
    text = environment.get(name, "").strip()
    if not (text.isascii() and text.isdecimal()):
        return DEFAULT
    # Five digits are too many already, and int() takes no more than some thousands.
    return min(max(int(text.lstrip("0")[:5] or LEAST), LEAST), MOST)


@dataclass(frozen=True)
class Item:
    """A call with its tiling."""

    call: Prepared
    launches_with_tiling: bool


class KernelCache:
    """The last tilings; when it is full, the places are taken in turn."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._items: list[Item] = []
        self._next = 0

    def __len__(self) -> int:
        return len(self._items)

    def find(self, call: CallContext, launches_with_tiling: bool) -> Prepared | None:
        """An equal call that is launched in the same way."""
        for item in self._items:
            if item.launches_with_tiling == launches_with_tiling and item.call.context == call:
                return item.call
        return None

    def add(self, item: Item) -> None:
        """Keep a tiling."""
        if len(self._items) < self.size:
            self._items.append(item)
            return
        self._items[self._next] = item
        self._next = (self._next + 1) % self.size


class _Thread(threading.local):
    """The caches of a thread, by type of runner."""

    def __init__(self) -> None:
        self.caches: dict[str, KernelCache] = {}


@cache
def _thread() -> _Thread:
    return _Thread()


def global_cache(runner_type: str) -> KernelCache:
    """The calling thread's cache for a type of runner."""
    caches = _thread().caches
    if runner_type not in caches:
        caches[runner_type] = KernelCache(capacity(GLOBAL_COUNT))
    return caches[runner_type]


def forget_global_caches() -> None:
    """Empty the calling thread's caches; the next ones read their capacity anew."""
    _thread().caches.clear()
