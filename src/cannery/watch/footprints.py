"""What a core touches in global memory, for the comparison with other cores.

An epoch is the stretch between two cross-core synchronisations of a core: within one, what it knows of other cores
does not change. Footprints merge adjacent accesses of the same line, so that a streamed tensor is one interval.

The scalar unit works through its cache. Others see what it writes from when it was cleaned on; what it reads is as old
as the line that it reads from; and a line goes back whole, over what another core's line has brought.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from typing import Any, Final, NamedTuple

from cannery.aicore.cache import LINE
from cannery.aicore.instruction import Access, Runs
from cannery.aicore.pipes import COUNT, S
from cannery.watch.history import Stamp
from cannery.watch.intervals import IntervalSet

_REMEMBERED: Final = 1024
Knowledge = dict[int, list[int]]
"""What a core knows of others: by core, the last complete instruction of each of its pipes."""


class Footprint:
    """The bytes that one line of one core touched on one pipe in one epoch.

    Attributes:
        known: what the core knew of others.
        seen: what its view of these bytes includes: ``known``, or, for the scalar unit, what was known when the cache
            line was filled.
        cleaned: when the scalar unit's write left the cache, None where it has not.
        added: runs that are in ``bytes`` already, by where they begin.
        settled: all cores have met since, and it was compared with what they did before.
    """

    __slots__ = ("access", "added", "bytes", "cleaned", "core", "known", "last", "seen", "settled", "write")

    def __init__(
        self, core: int, access: Access, stamp: Stamp, write: bool, known: Knowledge, seen: Knowledge
    ) -> None:  # fmt: skip
        self.core = core
        self.access = access
        self.write = write
        self.known = known
        self.seen = seen
        self.last = stamp
        self.bytes = IntervalSet()
        self.added: dict[tuple[int, int], Runs] = {}
        self.cleaned: int | None = None
        self.settled = False

    @property
    def is_cached(self) -> bool:
        """Whether it went through the scalar unit's cache."""
        return self.last.pipe == S

    def ordered_before(self, other: Footprint) -> bool:
        """Whether all of these accesses are known complete to the other core in the other's epoch."""
        times = other.known.get(self.core)
        return times is not None and self.last.time <= times[self.last.pipe]

    def seen_by(self, other: Footprint) -> bool:
        """Whether these writes, being ordered before, are in what the other core looks at."""
        time = self.cleaned if self.is_cached else self.last.time
        times = other.seen.get(self.core)
        return time is not None and times is not None and time <= times[self.last.pipe]

    def lines(self) -> IntervalSet:
        """The bytes of the cache lines it touches."""
        origin, whole = self.access.owner.origin, IntervalSet()
        for start, stop in self.bytes:
            whole.add(start - (start - origin) % LINE, stop + (origin - stop) % LINE)
        return whole

    def split(self, lower: int, upper: int) -> Footprint | None:
        """Take the bytes of a range out; they, as a footprint of their own."""
        inside = self.bytes.within(lower, upper)
        if not inside:
            return None
        part = Footprint(self.core, self.access, self.last, self.write, self.known, self.seen)
        part.settled = self.settled
        for start, stop in inside:
            part.bytes.add(start, stop)
        self.bytes.remove(lower, upper)
        return part


class Footprints:
    """The footprints of one core since the last barrier of all cores; a core that is ``alone`` leaves none."""

    __slots__ = ("_alone", "_core", "_current", "_dirty", "_past", "known")

    def __init__(self, core: int, *, alone: bool = False) -> None:
        self._core = core
        self._alone = alone
        self._past: list[Footprint] = []
        self._dirty: list[Footprint] = []
        self._current: dict[Any, Footprint] = {}
        self.known: Knowledge = {}

    def add(self, access: Access, stamp: Stamp, write: bool, seen: Knowledge | None = None) -> None:
        """Add an access to global memory; ``seen``: what was known when its cache line was filled, if it has one."""
        if self._alone:
            return
        seen = self.known if seen is None else seen
        key = (write, stamp.pipe, stamp.site, stamp.atomic, access.owner.label, id(seen))
        footprint = self._current.get(key)
        if footprint is None:
            footprint = self._current[key] = Footprint(self._core, access, stamp, write, self.known, seen)
        footprint.last = stamp
        lower, upper = max(access.lower, access.owner.lower), min(access.upper, access.owner.upper)
        if access.runs is None:
            footprint.bytes.add(lower, upper)
            return
        if footprint.added.get((access.lower, id(access.runs))) is access.runs:
            return
        if len(footprint.added) >= _REMEMBERED:
            footprint.added.clear()
        footprint.added[access.lower, id(access.runs)] = access.runs
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

    def clean(self, lower: int | None, upper: int | None, time: int) -> None:
        """The scalar unit's writes to a range, or all of them, have left its cache at a time."""
        self.close()
        kept: list[Footprint] = []
        for footprint in self._dirty:
            part = footprint if lower is None or upper is None else footprint.split(lower, upper)
            if part is not None:
                part.cleaned = time
            if part is not footprint:
                self._past += [] if part is None else [part]
                kept += [footprint] if footprint.bytes else []
        self._dirty = kept

    def close(self) -> None:
        """End an epoch: what follows is not covered by a flag set now."""
        for footprint in self._current.values():
            self._past.append(footprint)
            if footprint.write and footprint.is_cached:
                self._dirty.append(footprint)
        self._current = {}

    def take(self) -> list[Footprint]:
        """All footprints so far, and forget them."""
        self.close()
        taken, self._past, self._dirty = self._past, [], []
        return taken

    def keep(self, footprint: Footprint) -> None:
        """A footprint that matters beyond a meeting of all cores: what caches do not show yet."""
        footprint.settled = True
        self._past.append(footprint)
        if footprint.write and footprint.is_cached and footprint.cleaned is None:
            self._dirty.append(footprint)


class Conflict(NamedTuple):
    """Two accesses of different cores to the same bytes, or lines, that are not as they should be.

    ``rule``: "cross_core" where nothing orders them; "cross_core_line" where only lines are shared;
    "dirty_line_between" and "stale_line_between" where the second is ordered after the first and does not see it.
    """

    rule: str
    first: Footprint
    second: Footprint
    lower: int
    upper: int


def conflicts(footprints: list[Footprint]) -> Iterator[Conflict]:
    """Overlaps between cores where one writes and nothing orders them, or a cache stands between, in a sweep over the
    addresses.

    A pair of footprints is reported once: by its bytes, else by the cache lines that the two cores' scalar units write.
    """
    if not any(footprint.write for footprint in footprints):
        return
    seen: set[tuple[int, int]] = set()
    yield from _swept(footprints, seen, lambda footprint: footprint.bytes, _wrong)
    cached = [footprint for footprint in footprints if footprint.write and footprint.is_cached]
    if len(cached) > 1:
        numbers = {id(footprint): at for at, footprint in enumerate(footprints)}
        pairs = {(id(footprints[a]), id(footprints[b])) for a, b in seen}
        for conflict in _swept(cached, set(), Footprint.lines, _wrong_line):
            first, second = sorted((conflict.first, conflict.second), key=lambda side: numbers[id(side)])
            if (id(first), id(second)) not in pairs:
                yield conflict


Verdict = Callable[[Footprint, Footprint], str]
"""What is wrong with two footprints, in the order of their ordinals: a rule, or "" where nothing is."""


def _swept(
    footprints: list[Footprint], seen: set[tuple[int, int]], extent: Callable[[Footprint], IntervalSet], wrong: Verdict
) -> Iterator[Conflict]:
    pieces = sorted(
        ((start, stop, index) for index, f in enumerate(footprints) for start, stop in extent(f)), key=lambda p: p[0]
    )
    reads: list[tuple[int, int]] = []
    writes: list[tuple[int, int]] = []
    for start, stop, index in pieces:
        footprint = footprints[index]
        for active in (writes, reads) if footprint.write else (writes,):
            while active and active[0][0] <= start:
                heappop(active)
            for end, other in active:
                pair = (min(index, other), max(index, other))
                if pair not in seen:
                    one, two = footprints[pair[0]], footprints[pair[1]]
                    rule = wrong(one, two)
                    if rule:
                        seen.add(pair)
                        if rule.endswith("between") and two.ordered_before(one):
                            one, two = two, one
                        yield Conflict(rule, one, two, start, min(stop, end))
        heappush(writes if footprint.write else reads, (stop, index))


def _wrong(one: Footprint, other: Footprint) -> str:
    if one.core == other.core or (one.settled and other.settled):
        return ""
    if one.last.atomic is not None and one.last.atomic == other.last.atomic:
        return ""
    if one.ordered_before(other):
        return _hidden(one, other)
    return _hidden(other, one) if other.ordered_before(one) else "cross_core"


def _hidden(first: Footprint, second: Footprint) -> str:
    """What a cache hides of a write from an access that is ordered after it."""
    if not first.write or not (first.is_cached or (second.is_cached and not second.write)):
        return ""
    if first.seen_by(second):
        return ""
    reads_old = second.is_cached and (not first.is_cached or first.cleaned is not None)
    return "stale_line_between" if reads_old else "dirty_line_between"


def _wrong_line(one: Footprint, other: Footprint) -> str:
    """Two scalar units write one line: the later one must have filled it after the earlier one was cleaned."""
    if one.core == other.core or (one.settled and other.settled):
        return ""
    if one.ordered_before(other):
        return "" if one.seen_by(other) else "dirty_line_between"
    if other.ordered_before(one):
        return "" if other.seen_by(one) else "dirty_line_between"
    return "cross_core_line"
