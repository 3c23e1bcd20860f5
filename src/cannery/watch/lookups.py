"""Reads whose places are data: a gather's source.

Which bytes are read is known when the instruction takes effect. Until then everything that could race with any byte of
the source is remembered, and judged when the bytes are known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from cannery.aicore.instruction import Access, Instruction, Looked, Lookup
from cannery.watch.history import Stamp
from cannery.watch.intervals import IntervalSet
from cannery.watch.pasts import Past
from cannery.watch.spans import place, spans
from cannery.watch.unwritten import Report

_REMEMBERED: Final = 32


class Suspect(NamedTuple):
    """What may race with a look-up: a write, and where."""

    kind: str
    stamp: Stamp
    lower: int
    upper: int


class Pending:
    """A look-up and what is known of it; ``bytes`` is None until it takes effect."""

    __slots__ = ("access", "bytes", "instruction", "stamp", "suspects", "unwritten")

    def __init__(self, instruction: Instruction, access: Access, stamp: Stamp) -> None:
        self.instruction = instruction
        self.access = access
        self.stamp = stamp
        self.suspects: list[Suspect] = []
        self.unwritten: list[tuple[int, int]] = []
        self.bytes: IntervalSet | None = None


Races = Callable[[Stamp, Stamp, str, Access], None]
"""Reports a race: the earlier access, the later one, the rule, and the bytes."""

Inserted = Callable[[Stamp, Stamp, str, str], bool]
"""Whether the compiler's flag orders an earlier access and a later one: the rule they would break, and the memory."""


class Lookups:
    """The look-ups of one core."""

    def __init__(self, report: Report, raced: Races, inserted: Inserted) -> None:
        self._report = report
        self._raced = raced
        self._inserted = inserted
        self.used = False
        """Whether there has been any."""
        self._open: dict[int, Pending] = {}
        self._done: list[Pending] = []

    def issue(self, instruction: Instruction, lookup: Lookup, stamp: Stamp, past: Past, *, ordered: bool) -> None:
        """A look-up was issued. ``ordered``: nothing is to be said about the order of its pipe."""
        access = lookup.access
        self.used = True
        pending = self._open[id(lookup)] = Pending(instruction, access, stamp)
        pending.unwritten = past.unwritten.within(access.lower, access.upper)
        if not ordered:
            pending.suspects = [
                Suspect("raw", write, lower, upper)
                for write, lower, upper in past.history.writes(access.lower, access.upper)
                if write is not stamp
                and not past.order.before(write, stamp.pipe)
                and not self._inserted(write, stamp, "raw", access.memory.name)
            ]

    def overwrite(self, stamp: Stamp, access: Access, touched: Sequence[tuple[int, int]], past: Past) -> None:
        """A later instruction writes."""
        for pending in (*self._open.values(), *self._done):
            source = pending.access
            if source.memory is not access.memory or past.order.before(pending.stamp, stamp.pipe):
                continue
            over = [Suspect("war", stamp, lower, upper) for lower, upper in touched]
            over = [one for one in over if one.lower < source.upper and source.lower < one.upper]
            if over and self._inserted(pending.stamp, stamp, "war", source.memory.name):
                continue
            if pending.bytes is None:
                pending.suspects += over
            else:
                self._judge(pending, over)

    def take_effect(self, record: Looked) -> None:
        """The bytes are known."""
        pending = self._open.pop(id(record.lookup), None)
        if pending is None:
            return
        size = record.lookup.size
        addresses = sorted(set(record.addresses))
        self._look_outside(pending, [at for at in addresses if not _inside(pending.access, at, size)], size)
        self._look_misaligned(pending, [at for at in addresses if at % size], size)
        pending.bytes = IntervalSet()
        for at in addresses:
            pending.bytes.add(at, at + size)
        self._look_unwritten(pending)
        self._look_aliased(pending)
        self._judge(pending, pending.suspects)
        pending.suspects = []
        self._done = [*self._done[-_REMEMBERED + 1 :], pending]

    def _judge(self, pending: Pending, suspects: Sequence[Suspect]) -> None:
        """Report the suspects that touch the bytes; one for each other instruction."""
        seen: set[int] = set()
        for suspect in suspects:
            assert pending.bytes is not None
            if suspect.stamp.serial in seen or not pending.bytes.overlaps(suspect.lower, suspect.upper):
                continue
            seen.add(suspect.stamp.serial)
            where = pending.access._replace(lower=suspect.lower, upper=suspect.upper)
            first, second = pending.stamp, suspect.stamp
            if suspect.kind == "raw":
                first, second = second, first
            self._raced(first, second, suspect.kind, where)

    def _look_outside(self, pending: Pending, addresses: Sequence[int], size: int) -> None:
        if addresses:
            lower, upper = addresses[0], addresses[-1] + size
            access = pending.access._replace(lower=lower, upper=upper)
            owner = access.owner
            self._tell(
                "read_outside", pending, access, size=len(addresses) * size, length=upper - lower,
                rest=owner.upper - lower,
            )  # fmt: skip

    def _look_misaligned(self, pending: Pending, addresses: Sequence[int], size: int) -> None:
        if addresses:
            access = pending.access._replace(lower=addresses[0], upper=addresses[0] + size)
            self._tell("read_misaligned", pending, access, align=size, length=size)

    def _look_unwritten(self, pending: Pending) -> None:
        assert pending.bytes is not None
        dirty = [piece for lower, upper in pending.unwritten for piece in pending.bytes.within(lower, upper)]
        if dirty:
            size, first = sum(stop - start for start, stop in dirty), dirty[0][0] - pending.access.lower
            self._tell("unwritten_lanes", pending, pending.access, size=size, first=first)

    def _look_aliased(self, pending: Pending) -> None:
        """The destination over what is looked up: the page describes no such overlap, so it is not supported."""
        assert pending.bytes is not None
        target = pending.instruction.writes[0]
        if target.memory is not pending.access.memory:
            return
        if any(pending.bytes.overlaps(lower, upper) for lower, upper in spans(target)):
            facts = {"op": pending.stamp.op, "place": place(target), "source": place(pending.access)}
            self._report("aliasing", pending.stamp, pending.access, facts)

    def _tell(self, rule: str, pending: Pending, access: Access, **facts: int) -> None:
        stamp = pending.stamp
        told = {"op": stamp.op, "place": place(access), "owner": access.owner.label, **facts}
        self._report(rule, stamp, access, told)


def _inside(access: Access, at: int, size: int) -> bool:
    owner = access.owner
    return bool(owner.lower <= at and at + size <= owner.upper)
