"""The scalar unit's data cache: what it reads and writes of global memory goes through lines of 64 bytes.

A read fills its line, and what others write to it later is not seen until the line is invalidated. A write stays in its
line, and the copy engines and other cores see the old bytes until the line is cleaned. A core's lines are written back
when the launch ends (mirror-cann/asc-devkit, DataCacheCleanAndInvalid, @82b89a15f).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from cannery.aicore.memory import GlobalBuffer

LINE: Final = 64
"""Bytes of a line; lines begin at multiples of it from the start of an array."""
_ALL: Final = (1 << LINE) - 1

Bytes = np.ndarray[Any, Any]


def line_parts(origin: int, lower: int, upper: int) -> Iterator[tuple[int, int]]:
    """The lines of ``[lower, upper)`` in an array at ``origin``: where each starts, and its bytes there as bits."""
    start = lower - (lower - origin) % LINE
    while start < upper:
        first, last = max(lower - start, 0), min(upper - start, LINE)
        yield start, (1 << last) - (1 << first)
        start += LINE


class WrittenLines:
    """Which bytes of which lines the cores of a launch have written back, and in what order."""

    def __init__(self) -> None:
        self.moment = 0
        self._written: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)

    def add(self, start: int, core: int, bits: int) -> None:
        """A core has written bytes of a line back."""
        self.moment += 1
        self._written[start].append((self.moment, core, bits))

    def since(self, start: int, moment: int, core: int) -> int:
        """The bytes of a line that other cores have written back after a moment."""
        bits = 0
        for when, who, written in self._written.get(start, ()):
            if when > moment and who != core:
                bits |= written
        return bits


class _Line:
    """One line: its bytes, which of them are valid, which were changed, and when it was filled."""

    __slots__ = ("buffer", "data", "dirty", "filled", "valid")

    def __init__(self, buffer: GlobalBuffer) -> None:
        self.buffer = buffer
        self.data: Bytes = np.empty(LINE, np.uint8)
        self.valid = 0
        self.dirty = 0
        self.filled = 0


class ScalarCache:
    """The data cache of one core's scalar unit."""

    def __init__(self, core: int, written: WrittenLines) -> None:
        self._core = core
        self._written = written
        self._lines: dict[int, _Line] = {}

    def load(self, buffer: GlobalBuffer, lower: int, size: int) -> Bytes:
        """A copy of ``size`` bytes from a host address on."""
        parts = [
            self._line(buffer, start, bits).data[_span(bits)]
            for start, bits in line_parts(buffer.base, lower, lower + size)
        ]
        return np.concatenate(parts)

    def store(self, buffer: GlobalBuffer, lower: int, raw: Bytes) -> None:
        """Write bytes from a host address on, into the lines."""
        at = 0
        for start, bits in line_parts(buffer.base, lower, lower + len(raw)):
            line, span = self._line(buffer, start, bits), _span(bits)
            line.data[span] = raw[at : at + span.stop - span.start]
            line.dirty |= bits
            at += span.stop - span.start

    def clean(self, lower: int | None = None, upper: int | None = None) -> None:
        """Write changed bytes back and forget the lines' bytes: those in ``[lower, upper)``, or all."""
        for start, line in list(self._lines.items()):
            bits = _ALL if lower is None or upper is None else _bits_inside(start, lower, upper)
            if bits:
                self._write_back(start, line, bits)
                line.valid &= ~bits
                line.dirty &= ~bits
                if not line.valid:
                    del self._lines[start]

    def _line(self, buffer: GlobalBuffer, start: int, bits: int) -> _Line:
        """The line with some of its bytes valid."""
        line = self._lines.get(start)
        if line is None:
            line = self._lines[start] = _Line(buffer)
        if line.valid & bits != bits:
            fresh = buffer.load(start - buffer.base, LINE)
            missing = _mask(_ALL & ~line.valid)
            line.data[missing] = fresh[missing]
            line.valid = _ALL
            line.filled = self._written.moment
        return line

    def _write_back(self, start: int, line: _Line, bits: int) -> None:
        """A line goes back whole: what another core's line brought meanwhile is overwritten."""
        changed = line.dirty & bits
        if not changed:
            return
        lost = self._written.since(start, line.filled, self._core) & line.valid & bits
        buffer = line.buffer
        offset = start - buffer.base
        first, last = buffer.clip(offset, LINE)
        mask = _mask(changed | lost)[first - offset : last - offset]
        buffer.data[first:last][mask] = line.data[first - offset : last - offset][mask]
        self._written.add(start, self._core, changed)


def _span(bits: int) -> slice:
    return slice((bits & -bits).bit_length() - 1, bits.bit_length())


def _mask(bits: int) -> np.ndarray[Any, Any]:
    return np.unpackbits(np.frombuffer(bits.to_bytes(LINE // 8, "little"), np.uint8), bitorder="little").astype(bool)


def _bits_inside(start: int, lower: int, upper: int) -> int:
    first, last = max(lower - start, 0), min(upper - start, LINE)
    return (1 << last) - (1 << first) if first < last else 0
