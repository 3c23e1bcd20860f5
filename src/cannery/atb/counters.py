"""What runners, kernel graphs and tiling caches did, in numbers."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Counters:
    """Work done and work saved since the context was made.

    Attributes:
        constructed: runners made for a slot of a pool.
        reused: runners taken from a slot that had one.
        unpooled: runners made because every slot was taken, or because the operation has no pool.
        params_changed: runners that got another parameter than they had.
        rebuilt: Setups that built the kernel graph.
        replayed: Setups that took the last kernel graph and its tiling as they were.
        tilings: tilings computed.
        local_hits: tilings found in the runner's own cache.
        global_hits: tilings found in the thread's cache.
    """

    constructed: int = 0
    reused: int = 0
    unpooled: int = 0
    params_changed: int = 0
    rebuilt: int = 0
    replayed: int = 0
    tilings: int = 0
    local_hits: int = 0
    global_hits: int = 0


class Tally:
    """Counts while it goes; ``read`` gives what it has."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def add(self, name: str) -> None:
        """Count one more."""
        with self._lock:
            self._counts[name] += 1

    def read(self) -> Counters:
        """The numbers now."""
        return Counters(**{item.name: self._counts[item.name] for item in fields(Counters)})
