"""What the scalar unit's data cache hides on one core: what it wrote from others, what others wrote from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from cannery.aicore.cache import LINE, line_parts
from cannery.aicore.instruction import Access
from cannery.aicore.pipes import S
from cannery.watch.clocks import Clocks, Snapshot
from cannery.watch.footprints import Knowledge
from cannery.watch.history import Stamp
from cannery.watch.intervals import IntervalSet
from cannery.watch.sides import touching
from cannery.watch.spans import spans

_ALL: Final = (1 << LINE) - 1
Side = tuple[Stamp, Access]


class CacheLine:
    """What is known of a line; bytes as bits.

    Attributes:
        valid: in the cache.
        dirty: changed there.
        leaving: what was cleaned, and when; a pipe that does not know of that may be too early.
        known: what the scalar unit knew of the other pipes when the line was filled.
        filled: what the core knew of other cores then.
        writer: the scalar unit's last write.
    """

    __slots__ = ("dirty", "filled", "known", "leaving", "valid", "writer")

    def __init__(self) -> None:
        self.valid = self.dirty = 0
        self.leaving: list[tuple[int, int]] = []
        self.known: Snapshot = []
        self.filled: Knowledge = {}
        self.writer: Side | None = None

    def hides(self, bits: int, known: int) -> bool:
        """Whether any of the bytes has not left the cache, as far as a pipe knows that knows the scalar unit so far."""
        return bool(self.dirty & bits) or any(left & bits and time > known for left, time in self.leaving)

    def forget(self, bits: int) -> None:
        """These bytes have left the cache, or are changed again."""
        self.dirty &= ~bits
        self.leaving = [(left & ~bits, time) for left, time in self.leaving if left & ~bits]


class CacheUse:
    """The lines of one core; ``report`` takes what is wrong."""

    def __init__(self, clocks: Clocks, report: Callable[[str, Side, Side], None]) -> None:
        self._clocks = clocks
        self._report = report
        self._lines: dict[int, CacheLine] = {}
        self.cached = IntervalSet()
        """The bytes of all lines that were filled."""

    def touch(self, side: Side, write: bool, others: Knowledge, copies: list[Stamp], raced: bool) -> Knowledge:
        """A read or a write of the scalar unit.

        Args:
            side: the access.
            others: what the core knows of other cores.
            copies: who wrote these bytes last.
            raced: it is a race already.

        Gives what the core knew of other cores when the line was filled.
        """
        _, access = side
        seen = others
        for start, bits in line_parts(access.owner.origin, access.lower, access.upper):
            line = self._line(start)
            if line.valid & bits != bits:
                line.valid, line.filled, line.known = _ALL, others, self._clocks.known[S]
            elif not write:
                self._look_for_stale(line, side, copies, raced)
            seen = line.filled
            if write:
                line.forget(bits)
                line.dirty |= bits
                line.writer = side
        return seen

    def _look_for_stale(self, line: CacheLine, side: Side, copies: list[Stamp], raced: bool) -> None:
        """The core's own copies that were not complete when the line was filled."""
        for copy in copies:
            if copy.pipe != S and copy.time > line.known[copy.pipe]:
                if not raced:
                    self._report("stale_line", (copy, _written(copy, side[1])), side)
                line.known = self._clocks.known[S]

    def copy(self, side: Side, raced: bool) -> None:
        """A copy engine reads or writes; ``raced``: that is a race with the scalar unit already."""
        if not self._lines:
            return
        stamp, access = side
        for line, bits in self._lines_in(access):
            if line.hides(bits, self._clocks.known[stamp.pipe][S]):
                line.forget(bits)
                if not raced and line.writer is not None:
                    self._report("dirty_line", line.writer, side)

    def clean(self, lower: int | None, upper: int | None, time: int) -> None:
        """Lines were cleaned and invalidated at a time of the scalar unit; without a range all of them."""
        for start, line in self._lines.items():
            bits = _ALL if lower is None or upper is None else _inside(start, lower, upper)
            if line.dirty & bits:
                line.leaving.append((line.dirty & bits, time))
            line.valid &= ~bits
            line.dirty &= ~bits

    def _line(self, start: int) -> CacheLine:
        line = self._lines.get(start)
        if line is None:
            line = self._lines[start] = CacheLine()
            self.cached.add(start, start + LINE)
        return line

    def _lines_in(self, access: Access) -> Iterator[tuple[CacheLine, int]]:
        for lower, upper in spans(access):
            for first, last in self.cached.within(lower, upper):
                for start, bits in line_parts(access.owner.origin, first, last):
                    line = self._lines.get(start)
                    if line is not None:
                        yield line, bits


def _written(copy: Stamp, access: Access) -> Access:
    """What a copy wrote of the bytes of an access."""
    place = touching(access, copy.writes)
    return copy.writes[place] if place >= 0 else access


def _inside(start: int, lower: int, upper: int) -> int:
    first, last = max(lower - start, 0), min(upper - start, LINE)
    return (1 << last) - (1 << first) if first < last else 0
