"""The checker of one core: judges every instruction and flag when it is issued.

Judging in issue order keeps findings independent of the lazy order in which effects happen. After a race is found the
two accesses count as ordered, so that one missing flag is one finding and not a chain of consequences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from cannery.aicore import messages
from cannery.aicore.clocks import Clocks
from cannery.aicore.debts import Debts
from cannery.aicore.findings import Collector, Finding, Report
from cannery.aicore.footprints import Footprints
from cannery.aicore.history import Order, Stamp
from cannery.aicore.instruction import Access, Instruction, Site
from cannery.aicore.pipes import ENDS, EVENTS, S
from cannery.aicore.sync import SyncUse
from cannery.aicore.unwritten import Unwritten

if TYPE_CHECKING:
    from cannery.aicore.core import Blocked, Core, Event

_HYPOTHETICAL: Final = frozenset({"RAW", "WAR", "WAW", "EVENT_ID"})
"""Kinds that mean nothing behind a wait that never ends."""

Race = tuple[Stamp, str, Access]
"""The earlier access, the kind, and the later access."""


class Checker:
    """Clocks, histories and findings of one core.

    ``vector_in_order``: dependent vector instructions need no barrier, because the compiler inserts it or the hardware
    orders them.
    """

    def __init__(self, core: Core, collector: Collector, sync: SyncUse, *, vector_in_order: bool) -> None:
        self.core = core
        self.clocks = Clocks()
        self.footprints = Footprints(core.index)
        self.serial = 0
        self._collector = collector
        self._event_ids = core.limits.event_ids
        self._local = Order(self.clocks, vector_in_order=vector_in_order, scalar_in_order=True)
        # The scalar unit writes global memory through its cache: issue order does not carry it to the copy engines.
        self._global = Order(self.clocks, vector_in_order=vector_in_order, scalar_in_order=False)
        self._sync = sync
        self._unwritten = Unwritten(self.report)
        self._debts = Debts(self.clocks)

    def report(self, report: Report) -> None:
        """Count an occurrence of a finding."""
        self._collector.add(report, self.core.block, self.serial)

    def instruction(self, instruction: Instruction) -> None:
        """Judge an instruction: liveness, bounds, alignment, never-written bytes, races."""
        self.serial += 1
        pipe = instruction.pipe
        stamp = Stamp(
            pipe, self.clocks.issue(pipe), instruction.site, instruction.name, instruction.atomic, self.serial
        )
        reads = self._judged(instruction, instruction.reads, "read")
        writes = self._judged(instruction, instruction.writes, "write")
        self._unwritten.flow(instruction, reads, writes)
        if not self._debts.any(pipe) and not self.core.in_order:
            self._races(stamp, reads, writes)

    def set_flag(self, event: Event, site: Site | None, internal: str) -> None:
        """A flag was set. An answer to a wait issued earlier reaches that wait's pipe now."""
        self.serial += 1
        if not 0 <= event.id < self._event_ids:
            self._bad_id(event, site)
        if event.sent - event.awaited > 1:
            self.report(messages.set_twice(event, site))
        flag = self._debts.carry(event.source, site, internal)
        if event.orphans:
            wait_site, debt = event.orphans.popleft()
            self._debts.settle(debt, flag, (other for event in self.core.events() for other in event.carried))
            self._sync.needed(site, wait_site)
        else:
            event.carried.append(flag)

    def wait_flag(self, event: Event, site: Site | None, internal: str) -> None:
        """A wait was issued. While its set is still to come, nothing can be said about the waiting pipe."""
        self.serial += 1
        if not internal and not 0 <= event.id < self._event_ids:  # a queue's ids are judged where it sets them
            self._bad_id(event, site)
        destination = ENDS[event.number][1]
        if not event.carried:
            event.orphans.append((site, self.serial))
            self._debts.owe(destination, self.serial)
            return
        flag = event.carried.popleft()
        news = self._debts.receive(destination, flag)
        if not internal and not flag.internal:
            self._sync.pair(ENDS[event.number], (flag.site, site), self.core.block, news, flag.times[event.source] == 0)

    def barrier(self, pipe: int | None, site: Site | None) -> None:
        """A pipe_barrier; None stands for all pipes."""
        self.serial += 1
        has_work = any(self.clocks.now)
        news = self.clocks.barrier_all() if pipe is None else self.clocks.barrier(pipe)
        if site is not None and has_work:
            self._sync.barrier(site, self.core.block, news)

    def clean_cache(self) -> None:
        """The scalar unit's writes to global memory have left its cache: they count as issued in order."""
        for known in self.clocks.known:
            known[S] = self.clocks.now[S]

    def fresh(self, memory: Any, lower: int, upper: int) -> None:
        """A buffer was handed out: its contents are undefined again."""
        memory.unwritten.add(lower, upper)

    def deadlock(self, heads: Sequence[Blocked]) -> None:
        """The core cannot go on. What depends on order beyond the first wait without a set never happens on a chip."""
        unanswered = [serial for event in self.core.events() for _, serial in event.orphans]
        if unanswered:
            first = min(unanswered)
            self._collector.drop(lambda finding, serial: _beyond(finding, serial, first, self.core.block))
        self.report(messages.deadlock(self.core.launch.kernel, self.core.block, heads))

    def finish(self, completed: bool) -> None:
        """End of the kernel: flags left over."""
        for event in self.core.events():
            for site, _ in event.orphans:
                self.report(messages.unanswered(event, site))
            if completed:
                for flag in event.carried:
                    self.report(messages.unpaired(event, flag.site, flag.internal))

    def _bad_id(self, event: Event, site: Site | None) -> None:
        self.report(messages.event_id(EVENTS[event.number], event.id, self._event_ids, site))

    def _judged(self, instruction: Instruction, accesses: Sequence[Access], action: str) -> Sequence[Access]:
        """The accesses to judge further: all of them, unless one is not as it should be."""
        for access in accesses:
            owner, lower = access.owner, access.lower
            if lower < owner.lower or access.upper > owner.upper or lower % access.align:
                break
            if owner.trusted or not owner.alive:
                break
        else:
            return accesses
        return [access for access in accesses if self._sound(instruction, access, action)]

    def _sound(self, instruction: Instruction, access: Access, action: str) -> bool:
        """Whether an access is to be judged further: memory that is not the tensor's any more is its own finding."""
        owner = access.owner
        if owner.trusted:
            return False
        if not owner.alive:
            self.report(messages.use_after_free(instruction, access, action))
            return False
        if access.lower % access.align:
            self.report(messages.misaligned(instruction, access, action))
        if access.lower < owner.lower or access.upper > owner.upper:
            self.report(messages.out_of_bounds(instruction, access, action))
        return True

    def _races(self, stamp: Stamp, reads: Sequence[Access], writes: Sequence[Access]) -> None:
        """Find and record; writes are looked at before the own reads hide earlier ones, and recorded last."""
        overwritten: list[Race] = []
        found: list[Race] = []
        for access in writes:
            order, history = self._order(access, stamp, True), access.memory.history
            for lower, upper in spans(access):
                for earlier, kind in history.conflicts(lower, upper, stamp, order):
                    overwritten.append((earlier, kind, access))
        for access in reads:
            order, history = self._order(access, stamp, False), access.memory.history
            for lower, upper in spans(access):
                for earlier in history.read(lower, upper, stamp, order):
                    found.append((earlier, "RAW", access))
        for access in writes:
            history = access.memory.history
            for lower, upper in spans(access):
                history.write(lower, upper, stamp)
        if found or overwritten:
            self._report_races(stamp, [*found, *overwritten])

    def _order(self, access: Access, stamp: Stamp, write: bool) -> Order:
        if access.memory is not self.core.gm:
            return self._local
        self.footprints.add(access, stamp, write)
        return self._global

    def _report_races(self, stamp: Stamp, found: Sequence[Race]) -> None:
        """Two instructions race once: reading what the earlier one wrote comes before overwriting it."""
        kernel, block = self.core.launch.kernel, self.core.block
        read: set[int] = set()
        for earlier, kind, access in found:
            if kind != "RAW" and earlier.serial in read:
                continue
            if kind == "RAW":
                read.add(earlier.serial)
            self.report(messages.race(kind, earlier, stamp, access, kernel, block, self.core.kind))
        for earlier, _, _ in found:
            self.clocks.suppose(stamp.pipe, earlier.pipe, earlier.time)
            self._sync.supposed(earlier.pipe, stamp.pipe)


def spans(access: Access) -> Sequence[tuple[int, int]]:
    """The bytes an access touches inside its tensor, as absolute intervals."""
    owner = access.owner
    lower, upper = access.lower, access.upper
    if access.runs is None:
        if lower < owner.lower or upper > owner.upper:
            lower, upper = max(lower, owner.lower), min(upper, owner.upper)
        return ((lower, upper),) if lower < upper else ()
    base = access.lower
    cut = ((max(base + a, owner.lower), min(base + b, owner.upper)) for a, b in access.runs)
    return [(lower, upper) for lower, upper in cut if lower < upper]


def _beyond(finding: Finding, serial: int, first: int, block: int) -> bool:
    return finding.kind in _HYPOTHETICAL and finding.core == block and serial > first
