"""Sets of bytes as sorted, disjoint, half-open intervals of integers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator


class IntervalSet:
    """Bytes as sorted, disjoint, non-touching intervals ``[start, stop)``; each operation costs what it touches."""

    __slots__ = ("starts", "stops")

    def __init__(self, start: int = 0, stop: int = 0) -> None:
        self.starts = [start] if stop > start else []
        self.stops = [stop] if stop > start else []

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(zip(self.starts, self.stops, strict=True))

    def __len__(self) -> int:
        return len(self.starts)

    def overlaps(self, start: int, stop: int) -> bool:
        """Whether any byte of ``[start, stop)`` is in the set."""
        at = bisect_right(self.stops, start)
        return at < len(self.starts) and self.starts[at] < stop and start < stop

    def within(self, start: int, stop: int) -> list[tuple[int, int]]:
        """The pieces of ``[start, stop)`` that are in the set."""
        if start >= stop:
            return []
        first = bisect_right(self.stops, start)
        last = bisect_left(self.starts, stop)
        return [(max(self.starts[i], start), min(self.stops[i], stop)) for i in range(first, last)]

    def add(self, start: int, stop: int) -> None:
        """Put the bytes of ``[start, stop)`` into the set."""
        if start >= stop:
            return
        if self.stops and self.stops[-1] == start:  # streaming access: the common case, without a search
            self.stops[-1] = stop
            return
        first = bisect_left(self.stops, start)
        last = bisect_right(self.starts, stop)
        if first < last:
            if self.starts[first] <= start and stop <= self.stops[first]:
                return
            start, stop = min(start, self.starts[first]), max(stop, self.stops[last - 1])
        self.starts[first:last] = [start]
        self.stops[first:last] = [stop]

    def remove(self, start: int, stop: int) -> None:
        """Take the bytes of ``[start, stop)`` out of the set."""
        first = bisect_right(self.stops, start)
        last = bisect_left(self.starts, stop)
        if first >= last or start >= stop:
            return
        left, right = self.starts[first], self.stops[last - 1]
        keep = [(a, b) for a, b in ((left, start), (stop, right)) if a < b]
        self.starts[first:last] = [a for a, _ in keep]
        self.stops[first:last] = [b for _, b in keep]
