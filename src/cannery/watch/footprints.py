"""What a core touches in global memory, for the comparison with other cores.

An epoch is the stretch between two cross-core synchronisations of a core: within one, what it knows of other cores
does not change. Footprints merge adjacent accesses of the same line, so that a streamed tensor is one interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from typing import Any, NamedTuple

from cannery.aicore.instruction import Access
from cannery.aicore.pipes import COUNT
from cannery.watch.history import Stamp
from cannery.watch.intervals import IntervalSet

Knowledge = dict[int, list[int]]
"""What a core knows of others: by core, the last complete instruction of each of its pipes."""


class Footprint:
    """The bytes that one line of one core touched on one pipe in one epoch."""

    __slots__ = ("access", "bytes", "core", "known", "last", "write")

    def __init__(self, core: int, access: Access, stamp: Stamp, write: bool, known: Knowledge) -> None:
        self.core = core
        self.access = access
        self.write = write
        self.known = known
        self.last = stamp
        self.bytes = IntervalSet()

    def ordered_before(self, other: Footprint) -> bool:
        """Whether all of these accesses are known complete to the other core in the other's epoch."""
        times = other.known.get(self.core)
        return times is not None and self.last.time <= times[self.last.pipe]


class Footprints:
    """The footprints of one core since the last barrier of all cores."""

    __slots__ = ("_core", "_current", "_past", "known")

    def __init__(self, core: int) -> None:
        self._core = core
        self._past: list[Footprint] = []
        self._current: dict[Any, Footprint] = {}
        self.known: Knowledge = {}

    def add(self, access: Access, stamp: Stamp, write: bool) -> None:
        """Add an access to global memory."""
        key = (write, stamp.pipe, stamp.site, stamp.atomic, access.owner.label)
        footprint = self._current.get(key)
        if footprint is None:
            footprint = self._current[key] = Footprint(self._core, access, stamp, write, self.known)
        footprint.last = stamp
        lower, upper = max(access.lower, access.owner.lower), min(access.upper, access.owner.upper)
        if access.runs is None:
            footprint.bytes.add(lower, upper)
            return
        for start, stop in access.runs:
            footprint.bytes.add(max(access.lower + start, lower), min(access.lower + stop, upper))

    def learn(self, news: Iterable[tuple[int, list[int]]]) -> None:
        """Begin a new epoch with what a cross-core flag carried."""
        self.close()
        known = {core: times.copy() for core, times in self.known.items()}
        for core, times in news:
            mine = known.setdefault(core, [0] * COUNT)
            mine[:] = map(max, mine, times)
        self.known = known

    def close(self) -> None:
        """End an epoch: what follows is not covered by a flag set now."""
        self._past += self._current.values()
        self._current = {}

    def take(self) -> list[Footprint]:
        """All footprints so far, and forget them."""
        self.close()
        taken, self._past = self._past, []
        return taken


class Conflict(NamedTuple):
    """Two unordered accesses of different cores to the same bytes."""

    first: Footprint
    second: Footprint
    lower: int
    upper: int


def conflicts(footprints: list[Footprint]) -> Iterator[Conflict]:
    """Overlaps between cores where one writes and nothing orders them, in a sweep over the addresses.

    Lower-numbered core first. A pair of footprints is reported once.
    """
    if not any(footprint.write for footprint in footprints):
        return
    pieces = sorted(
        ((start, stop, index) for index, f in enumerate(footprints) for start, stop in f.bytes), key=lambda p: p[0]
    )
    reads: list[tuple[int, int]] = []
    writes: list[tuple[int, int]] = []
    seen: set[tuple[int, int]] = set()
    for start, stop, index in pieces:
        footprint = footprints[index]
        for active in (writes, reads) if footprint.write else (writes,):
            while active and active[0][0] <= start:
                heappop(active)
            for end, other in active:
                pair = (min(index, other), max(index, other))
                if pair not in seen and _collide(footprint, footprints[other]):
                    seen.add(pair)
                    yield Conflict(footprints[pair[0]], footprints[pair[1]], start, min(stop, end))
        heappush(writes if footprint.write else reads, (stop, index))


def _collide(one: Footprint, other: Footprint) -> bool:
    if one.core == other.core:
        return False
    if one.last.atomic is not None and one.last.atomic == other.last.atomic:
        return False
    return not one.ordered_before(other) and not other.ordered_before(one)
