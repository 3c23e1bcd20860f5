"""Who touched which byte last: the memory of the race checker.

Touched bytes are cut into segments; each keeps its last write and, per pipe, the last read since. That is enough: a
pipe issues in order, so whoever knows a pipe's later access to be complete knows its earlier ones, and an access
ordered after the last write is ordered after what that write was ordered after.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple

from cannery.aicore.instruction import Access, Site
from cannery.aicore.pipes import S, V
from cannery.watch.clocks import Clocks, Snapshot

_SEVERAL: Final = 4
_MOST_SPARSE: Final = 128
"""So many reads of several runs are kept as one each in global memory: more than a pipe's queue is deep."""
_MOST_SPARSE_LOCAL: Final = 4096
_NO_READS: Final[dict[int, Stamp]] = {}  # shared and never changed: a fresh segment has no dict of its own yet


class Stamp(NamedTuple):
    """An access: which pipe, when, from which line.

    ``atomic`` names the combining operation, if any; ``known`` is what the pipe knew to be complete when it was issued;
    ``reads`` and ``writes`` are all that its instruction touches; ``interlocked``: the pipe's next instruction on the
    same bytes waits for it.
    """

    pipe: int
    time: int
    site: Site | None
    op: str
    atomic: str | None
    serial: int
    known: Snapshot
    reads: tuple[Access, ...] = ()
    writes: tuple[Access, ...] = ()
    interlocked: bool = False


class Order:
    """What counts as ordered on one core."""

    __slots__ = ("clocks", "vector_in_order")

    def __init__(self, clocks: Clocks, *, vector_in_order: bool) -> None:
        self.clocks = clocks
        self.vector_in_order = vector_in_order

    def before(self, earlier: Stamp, pipe: int) -> bool:
        """Whether an access issued earlier is complete before the next instruction of a pipe starts."""
        source = earlier.pipe
        if earlier.time <= self.clocks.known[pipe][source]:
            return True
        return source == pipe and (source == S or earlier.interlocked or (source == V and self.vector_in_order))

    def allows(self, earlier: Stamp, write: Stamp) -> bool:
        """Whether a write may follow an earlier access to the same bytes as it stands."""
        if earlier.time <= self.clocks.known[write.pipe][earlier.pipe] or self.before(earlier, write.pipe):
            return True
        return earlier.atomic is not None and earlier.atomic == write.atomic


class Segment:
    """Bytes with the same recent accesses."""

    __slots__ = ("lower", "reads", "upper", "write")

    def __init__(self, lower: int, upper: int, write: Stamp | None, reads: dict[int, Stamp]) -> None:
        self.lower = lower
        self.upper = upper
        self.write = write
        self.reads = reads

    def part(self, lower: int, upper: int) -> Segment:
        """A piece of the segment."""
        return Segment(lower, upper, self.write, self.reads.copy() if self.reads else _NO_READS)

    def newest(self) -> int:
        """The serial number of the last access."""
        last = max((stamp.serial for stamp in self.reads.values()), default=-1)
        return max(last, self.write.serial if self.write else -1)


class History:
    """The recent accesses to one memory by one core.

    A local memory has at most one segment a byte range in use. Global memory is streamed through: beyond ``limit``
    segments the older half is dropped. What is dropped was issued thousands of instructions ago, far beyond the depth
    of a pipe's queue, so it is complete on any chip.
    """

    __slots__ = ("_at", "_limit", "_lowers", "_sparse", "segments")

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self._lowers: list[int] = []
        self._at: dict[int, Segment] = {}  # by lower end: most accesses are to the very bytes of an earlier one
        self._sparse: dict[tuple[int, int, int], tuple[Access, Stamp]] = {}
        self.segments: list[Segment] = []

    def read_sparse(self, access: Access, stamp: Stamp, order: Order) -> bool:
        """Record a read of several runs as one, where nothing between its ends was written that it could race with;
        whether that was so.
        """
        if access.runs is None or len(access.runs) < _SEVERAL:
            return False
        first, last = self._range(access.lower, access.upper)
        if last - first > _SEVERAL:
            return False
        pipe = stamp.pipe
        for segment in self.segments[first:last]:
            if segment.write is not None and not order.before(segment.write, pipe):
                return False
        key = access.lower, id(access.runs), pipe
        self._sparse.pop(key, None)  # the newest come last
        self._sparse[key] = access, stamp
        most = _MOST_SPARSE_LOCAL if self._limit is None else _MOST_SPARSE
        if len(self._sparse) > most:
            self._sparse = dict(list(self._sparse.items())[most // 2 :])
        return True

    def sparse_conflicts(self, access: Access, stamp: Stamp, order: Order) -> list[Stamp]:
        """The reads recorded as one that a write races with; to be asked with ``conflicts``. What the write covers is
        forgotten: whoever is ordered after the write is ordered after them.
        """
        if not self._sparse:
            return []
        lower, upper = access.lower, access.upper
        near = [(key, one) for key, one in self._sparse.items() if one[0].lower < upper and lower < one[0].upper]
        runs = access.runs or ((0, upper - lower),)
        raced: list[Stamp] = []
        for key, (there, read) in near:
            if not order.allows(read, stamp) and any(there.touches(lower + a, lower + b) for a, b in runs):
                raced.append(read)
            if access.runs is None and lower <= there.lower and there.upper <= upper:
                del self._sparse[key]
        return raced

    def read(self, lower: int, upper: int, stamp: Stamp, order: Order) -> list[Stamp]:
        """Record a read; the writes it races with."""
        segments = self._cover(lower, upper)
        pipe = stamp.pipe
        raced: list[Stamp] = []
        for segment in segments:
            write = segment.write
            if write is not None and not order.before(write, pipe) and write not in raced:
                raced.append(write)
            if segment.reads:
                segment.reads[pipe] = stamp
            else:
                segment.reads = {pipe: stamp}
        return raced

    def conflicts(self, lower: int, upper: int, stamp: Stamp, order: Order) -> list[tuple[Stamp, str]]:
        """The accesses a write races with, and whether each is a "war" or a "waw"; to be asked before ``write``,
        and before the same instruction's reads are recorded.

        A segment's reads stand for its last write: whoever is ordered after them is ordered after it, and where they
        race, the write's race is a consequence of theirs.
        """
        raced: list[tuple[Stamp, str]] = []
        for segment in self._touched(lower, upper):
            if segment.reads:
                for read in segment.reads.values():
                    if not order.allows(read, stamp) and (read, "war") not in raced:
                        raced.append((read, "war"))
            elif segment.write is not None:
                write = segment.write
                if not order.allows(write, stamp) and (write, "waw") not in raced:
                    raced.append((write, "waw"))
        return raced

    def writes(self, lower: int, upper: int) -> list[tuple[Stamp, int, int]]:
        """Who wrote these bytes last, and where."""
        first, last = self._range(lower, upper)
        return [
            (segment.write, max(segment.lower, lower), min(segment.upper, upper))
            for segment in self.segments[first:last]
            if segment.write is not None
        ]

    def write(self, lower: int, upper: int, stamp: Stamp) -> None:
        """Record a write."""
        only = self._at.get(lower)
        if only is not None and only.upper == upper:
            only.write = stamp
            only.reads = _NO_READS
            return
        self._replace(*self._range(lower, upper), lower, upper, stamp)

    def _touched(self, lower: int, upper: int) -> Sequence[Segment]:
        """The segments with any of these bytes."""
        only = self._at.get(lower)
        if only is not None and only.upper == upper:
            return (only,)
        first, last = self._range(lower, upper)
        return self.segments[first:last]

    def _range(self, lower: int, upper: int) -> tuple[int, int]:
        lowers = self._lowers
        first = bisect_right(lowers, lower) - 1
        if first < 0 or self.segments[first].upper <= lower:
            first += 1
        return first, bisect_left(lowers, upper, first)

    def _replace(self, first: int, last: int, lower: int, upper: int, stamp: Stamp) -> None:
        pieces = [Segment(lower, upper, stamp, _NO_READS)]
        if first < last:
            head, tail = self.segments[first], self.segments[last - 1]
            if head.lower < lower:
                pieces.insert(0, head.part(head.lower, lower))
            if tail.upper > upper:
                pieces.append(tail.part(upper, tail.upper))
        self._put(first, last, pieces)

    def _cover(self, lower: int, upper: int) -> Sequence[Segment]:
        only = self._at.get(lower)
        if only is not None and only.upper == upper:
            return (only,)
        return self._split(*self._range(lower, upper), lower, upper)

    def _split(self, first: int, last: int, lower: int, upper: int) -> list[Segment]:
        pieces: list[Segment] = []
        inner: list[Segment] = []
        at = lower
        for segment in self.segments[first:last]:
            if segment.lower < lower:
                pieces.append(segment.part(segment.lower, lower))
            if at < segment.lower:
                inner.append(Segment(at, segment.lower, None, _NO_READS))
            inner.append(segment.part(max(segment.lower, lower), min(segment.upper, upper)))
            at = inner[-1].upper
        if at < upper:
            inner.append(Segment(at, upper, None, _NO_READS))
        pieces += inner
        if first < last and self.segments[last - 1].upper > upper:
            tail = self.segments[last - 1]
            pieces.append(tail.part(upper, tail.upper))
        self._put(first, last, pieces)
        return inner

    def _put(self, first: int, last: int, pieces: list[Segment]) -> None:
        for lower in self._lowers[first:last]:
            del self._at[lower]
        self.segments[first:last] = pieces
        self._lowers[first:last] = [piece.lower for piece in pieces]
        self._at.update([(piece.lower, piece) for piece in pieces])
        if self._limit is not None and len(self.segments) > self._limit:
            self._forget_older_half()

    def _forget_older_half(self) -> None:
        serials = sorted(segment.newest() for segment in self.segments)
        middle = serials[len(serials) // 2]
        self.segments = [segment for segment in self.segments if segment.newest() >= middle]
        self._lowers = [segment.lower for segment in self.segments]
        self._at = dict(zip(self._lowers, self.segments, strict=True))
