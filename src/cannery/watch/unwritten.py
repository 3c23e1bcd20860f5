"""Never-written bytes of local memory, and how they spread.

Moves copy the state; a lane-wise vector instruction passes it to its result lane with a warning; where such bytes
become a value that someone relies on (global memory, a scalar, a reduction, a comparison) it is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cannery.aicore.instruction import CONSUME, FILL, LANES, Access, Instruction
from cannery.aicore.memory import Arena
from cannery.watch.history import Stamp
from cannery.watch.intervals import IntervalSet
from cannery.watch.pasts import Pasts
from cannery.watch.spans import place

Pieces = list[tuple[int, int]]
Report = Callable[[str, Stamp, Access, dict[str, Any]], None]
"""Takes a rule, and what it is about."""


class Unwritten:
    """Follows the state through the instructions of a core; ``report`` takes what it finds."""

    __slots__ = ("_pasts", "_report")

    def __init__(self, pasts: Pasts, report: Report) -> None:
        self._pasts = pasts
        self._report = report

    def flow(self, instruction: Instruction, stamp: Stamp, reads: Sequence[Access], writes: Sequence[Access]) -> None:
        """Update the state for an instruction whose accesses are sound."""
        spread: Pieces = []
        pasts = self._pasts
        for access in reads:
            unwritten = pasts[access.memory].unwritten
            if unwritten.starts and unwritten.overlaps(access.lower, access.upper):
                dirty = _dirty(access, unwritten)
                if dirty:
                    spread += self._read(instruction, stamp, access, dirty)
        for access in writes:
            unwritten = pasts[access.memory].unwritten
            if unwritten.starts and unwritten.overlaps(access.lower, access.upper):
                _mark_written(access, unwritten)
        if spread:
            self._place(instruction.writes[0], spread)
        for lower, upper in instruction.unwritten:
            pasts[instruction.writes[0].memory].unwritten.add(lower, upper)

    def _read(self, instruction: Instruction, stamp: Stamp, access: Access, dirty: Pieces) -> Pieces:
        """Judge a read of never-written bytes; the ordinals of the result that they pass on to."""
        if instruction.flow == FILL:
            return []
        reaches = instruction.flow == CONSUME or any(w.memory.name == "GM" for w in instruction.writes)
        if reaches or instruction.flow == LANES:
            size = sum(stop - start for start, stop in dirty)
            facts = {"op": instruction.op, "place": place(access), "size": size, "first": dirty[0][0]}
            rule = "unwritten_value" if reaches else "unwritten_lanes"
            self._report(rule, stamp, access, facts)
        if reaches:
            return []
        return (
            _scaled(access, dirty, instruction.writes[0]) if instruction.spread is None else instruction.spread(dirty)
        )

    def _place(self, target: Access, pieces: Pieces) -> None:
        """Mark ordinals of the target as never written."""
        if not isinstance(target.memory, Arena):
            return
        unwritten = self._pasts[target.memory].unwritten
        at = 0
        for start, stop in target.runs or ((0, target.upper - target.lower),):
            for a, b in pieces:
                first, last = max(a, at), min(b, at + stop - start)
                unwritten.add(target.lower + start + first - at, target.lower + start + last - at)
            at += stop - start


def _dirty(access: Access, unwritten: IntervalSet) -> Pieces:
    """Never-written bytes inside the tensor, as ordinals: positions among the touched bytes, in lane order."""
    found: Pieces = []
    at = 0
    lower, upper = access.owner.lower, access.owner.upper
    for start, stop in access.runs or ((0, access.upper - access.lower),):
        first = access.lower + start
        for a, b in unwritten.within(max(first, lower), min(access.lower + stop, upper)):
            found.append((at + a - first, at + b - first))
        at += stop - start
    return found


def _scaled(source: Access, dirty: Pieces, target: Access) -> Pieces:
    """Ordinals of the source as ordinals of the target, for conversions between widths."""
    have, want = source.size, target.size
    if have == want:
        return dirty
    return [(a * want // have, -(-b * want // have)) for a, b in dirty]


def _mark_written(access: Access, unwritten: IntervalSet) -> None:
    if access.runs is None:
        unwritten.remove(access.lower, access.upper)
        return
    for start, stop in access.runs:
        unwritten.remove(access.lower + start, access.lower + stop)
