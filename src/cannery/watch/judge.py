"""The judge of one core: looks at every instruction and flag when it is issued.

Judging in issue order keeps findings independent of the lazy order in which effects happen. After a race is found the
two accesses count as ordered, so that one missing flag is one finding and not a chain of consequences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cannery.aicore.core import Core
from cannery.aicore.flags import Barrier, Set, Wait
from cannery.aicore.instruction import Access, Instruction, Looked, Lookup
from cannery.aicore.pipes import PIPES, S, V
from cannery.aicore.records import CacheClean, Deadlock, Fact, Finish, Fresh, Step
from cannery.aicore.setup import Setup
from cannery.watch.aliasing import clashing, shares_bytes
from cannery.watch.caches import CacheUse
from cannery.watch.clocks import Clocks
from cannery.watch.debts import Debts
from cannery.watch.eventuse import EventUse
from cannery.watch.findings import Collector, Finding
from cannery.watch.footprints import Footprints
from cannery.watch.history import Stamp
from cannery.watch.inserted import is_inserted
from cannery.watch.lookups import Lookups
from cannery.watch.pasts import Pasts
from cannery.watch.rules import Rule
from cannery.watch.sides import Side, overlap, place_of, touching
from cannery.watch.spans import place, spans
from cannery.watch.steps import Steps
from cannery.watch.sync import SyncUse
from cannery.watch.unwritten import Unwritten

Race = tuple[Stamp, str, Access]
"""The earlier access, the rule, and the later access."""


class Judge:
    """Clocks, pasts and findings of one core.

    ``setup`` says what the compiler and the hardware order by themselves.
    """

    def __init__(self, core: Core, findings: Collector, sync: SyncUse, setup: Setup) -> None:
        self.core = core
        self.clocks = Clocks()
        self._alone = len(setup.layout) == 1
        self.footprints = Footprints(core.index, alone=self._alone)
        self.steps = Steps()
        self.serial = 0
        self._findings = findings
        self._auto_sync = core.auto_sync
        self._pasts = Pasts(self.clocks, vector_in_order=setup.vector_in_order)
        self._sync = sync
        self._unwritten = Unwritten(self._pasts, self._report_one)
        self._debts = Debts(self.clocks)
        self.caches = CacheUse(self.clocks, self._report_hidden)
        self._lookups = Lookups(self._report_one, self._report_race, self._is_inserted)
        self._events = EventUse(core, self._debts, sync, self.report)

    def report(self, fact: Fact) -> None:
        """Count an occurrence of a finding."""
        self._findings.add(fact, self.core, self.serial)

    def instruction(self, instruction: Instruction) -> None:
        """Judge an instruction: liveness, bounds, alignment, never-written bytes, races."""
        self.serial += 1
        pipe = instruction.pipe
        time = self.clocks.issue(pipe)
        stamp = Stamp(
            pipe, time, instruction.site, instruction.op, instruction.atomic, self.serial, self.clocks.known[pipe],
            instruction.reads, instruction.writes, instruction.interlocked,
        )  # fmt: skip
        reads = self._judged(stamp, instruction.reads, "read")
        writes = self._judged(stamp, instruction.writes, "write")
        self._unwritten.flow(instruction, stamp, reads, writes)
        if pipe == V and writes and reads:
            self._aliasing(stamp, reads, writes[0])
        for target, other in instruction.apart:
            if shares_bytes(target, other):
                self._shared("not_apart", stamp, target, other)
        judged = not self._debts.owed[pipe] and not self.core.in_order
        if judged:
            self._races(stamp, reads, writes)
        if instruction.lookup is not None:
            self._look_up(instruction, instruction.lookup, stamp, judged)

    def looked(self, record: Looked) -> None:
        """A look-up has taken effect."""
        self._lookups.take_effect(record)

    def _look_up(self, instruction: Instruction, lookup: Lookup, stamp: Stamp, judged: bool) -> None:
        """A read at places that are data; what is wrong with its tensor is said at once."""
        owner = lookup.access.owner
        if owner.trusted:
            return
        if not owner.alive:
            self._unsound("read_freed", stamp, lookup.access, write=False)
            return
        self._lookups.issue(instruction, lookup, stamp, self._pasts[owner.memory], ordered=not judged)

    def _aliasing(self, stamp: Stamp, reads: Sequence[Access], target: Access) -> None:
        source = clashing(stamp.op, target, reads)
        if source is not None:
            self._shared("aliasing", stamp, target, source)

    def _shared(self, rule: str, stamp: Stamp, target: Access, other: Access) -> None:
        """A destination shares bytes with another operand as it must not."""
        facts = {"op": stamp.op, "place": place(target), "source": place(other)}
        write = any(other is one for one in stamp.writes)
        sides = (self._side(stamp, target, write=True), self._side(stamp, other, write=write))
        shared = overlap(target, other)
        self.report(Fact(rule, (stamp.site,), target.memory.name, (stamp.pipe,), facts, sides, shared))

    def set_flag(self, record: Set) -> None:
        """A flag was set."""
        self.serial += 1
        self._events.set(record)

    def wait_flag(self, record: Wait) -> None:
        """A wait was issued."""
        self.serial += 1
        self._events.wait(record, self.serial)

    def barrier(self, record: Barrier) -> None:
        """A pipe_barrier."""
        self.serial += 1
        pipe, site = record
        has_work = any(self.clocks.now)
        news = self.clocks.barrier_all() if pipe is None else self.clocks.barrier(pipe)
        if site is not None and has_work:
            self._sync.barrier(site, self.core, news)

    def clean_cache(self, record: CacheClean) -> None:
        """The scalar unit's cache was cleaned and invalidated: an instruction of its own."""
        self.serial += 1
        time = self.clocks.issue(S)
        self.caches.clean(record.lower, record.upper, time)
        self.footprints.clean(record.lower, record.upper, time)

    def fresh(self, record: Fresh) -> None:
        """A buffer was handed out: its contents are undefined again."""
        self._pasts[record.memory].unwritten.add(record.lower, record.upper)

    def deadlock(self, record: Deadlock) -> None:
        """The core cannot go on. What depends on order beyond the first wait without a set never happens on a chip."""
        first, block = self._events.first_unanswered(), self.core.block
        if first is not None:

            def beyond(finding: Finding, rule: Rule, serial: int) -> bool:
                return rule.presumes_waits and finding.core == block and serial > (first or 0)

            self._findings.drop(beyond)
        placed = [head for head in record.heads if head.site is not None]
        sites = tuple(head.site for head in placed)
        self.report(
            Fact("deadlock", sites, "", tuple(PIPES.index(head.pipe) for head in placed), {"heads": record.heads})
        )

    def finish(self, record: Finish) -> None:
        """End of the kernel: flags left over."""
        self._events.left_over(record.completed)

    def _judged(self, stamp: Stamp, accesses: Sequence[Access], action: str) -> Sequence[Access]:
        """The accesses to judge further: all of them, unless one is not as it should be."""
        for access in accesses:
            owner, lower = access.owner, access.lower
            if lower < owner.lower or access.upper > owner.upper or lower % access.align:
                break
            if owner.trusted or not owner.alive:
                break
        else:
            return accesses
        return [access for access in accesses if self._sound(stamp, access, action)]

    def _sound(self, stamp: Stamp, access: Access, action: str) -> bool:
        """Whether an access is to be judged further: memory that is not the tensor's any more is its own finding."""
        owner, write = access.owner, action == "write"
        if owner.trusted:
            return False
        if not owner.alive:
            self._unsound(f"{action}_freed", stamp, access, write=write)
            return False
        if access.lower % access.align:
            self._unsound(f"{action}_misaligned", stamp, access, write=write)
        if access.lower < owner.lower or access.upper > owner.upper:
            self._unsound(f"{action}_outside", stamp, access, write=write)
        return True

    def _unsound(self, rule: str, stamp: Stamp, access: Access, *, write: bool) -> None:
        owner = access.owner
        facts = {
            "op": stamp.op, "place": place(access), "owner": owner.label, "align": access.align,
            "length": access.upper - access.lower, "rest": owner.upper - access.lower,
            "size": max(0, owner.lower - access.lower) + max(0, access.upper - owner.upper),
        }  # fmt: skip
        self._report_one(rule, stamp, access, facts, write=write)

    def _report_one(
        self, rule: str, stamp: Stamp, access: Access, facts: dict[str, Any], *, write: bool = False
    ) -> None:  # fmt: skip
        """Report what is wrong with one access."""
        side = self._side(stamp, access, write=write)
        self.report(Fact(rule, (stamp.site,), access.memory.name, (stamp.pipe,), facts, (side,)))

    def _races(self, stamp: Stamp, reads: Sequence[Access], writes: Sequence[Access]) -> None:
        """Find and record; writes are looked at before the own reads hide earlier ones, and recorded last."""
        overwritten: list[Race] = []
        found: list[Race] = []
        pasts = self._pasts
        targets = [(access, pasts[access.memory], spans(access)) for access in writes]
        for access, past, touched in targets:
            sparse = past.history.sparse_conflicts(access, stamp, past.order)
            if sparse:
                overwritten += [(earlier, "war", access) for earlier in sparse]
            for lower, upper in touched:
                for earlier, kind in past.history.conflicts(lower, upper, stamp, past.order):
                    if kind == "war" or not sparse:  # where reads race, their write's race is a consequence
                        overwritten.append((earlier, kind, access))
        for access in reads:
            past = pasts[access.memory]
            if access.runs is not None and past.history.read_sparse(access, stamp, past.order):
                continue
            for lower, upper in spans(access):
                for earlier in past.history.read(lower, upper, stamp, past.order):
                    found.append((earlier, "raw", access))
        for access, past, touched in targets:
            for lower, upper in touched:
                past.history.write(lower, upper, stamp)
            if self._lookups.used:
                self._lookups.overwrite(stamp, access, touched, past)
        left: Sequence[Race] = ()
        if found or overwritten:
            left = self._left_by_compiler(stamp, [*found, *overwritten])
            self._report_races(stamp, left)
        if stamp.pipe == S or not self._alone or self.caches.cached.starts:
            self._look_behind_caches(stamp, reads, writes, left)

    def _look_behind_caches(
        self, stamp: Stamp, reads: Sequence[Access], writes: Sequence[Access], left: Sequence[Race]
    ) -> None:  # fmt: skip
        """Accesses to global memory, where another core or the scalar unit's cache may see them."""
        gm = self.core.gm
        for access in reads:
            if access.memory is gm:
                self._look_behind_cache(stamp, access, False, left)
        for access in writes:
            if access.memory is gm:
                self._look_behind_cache(stamp, access, True, left)

    def _look_behind_cache(self, stamp: Stamp, access: Access, write: bool, raced: Sequence[Race]) -> None:
        """What the scalar unit's cache hides. A race with the scalar unit is one finding, not two."""
        side = (stamp, access)
        if stamp.pipe != S:
            self.footprints.add(access, stamp, write)
            self.caches.copy(side, any(earlier.pipe == S for earlier, *_ in raced))
            return
        copies = [write for write, *_ in self._pasts[access.memory].history.writes(access.lower, access.upper)]
        seen = self.caches.touch(side, write, self.footprints.known, copies, bool(raced))
        self.footprints.add(access, stamp, write, seen)

    def _left_by_compiler(self, stamp: Stamp, found: Sequence[Race]) -> Sequence[Race]:
        """The races that remain. What the compiler's flags order is known to be complete from here on."""
        if not self._auto_sync:
            return found
        left: list[Race] = []
        for race in found:
            earlier, kind, access = race
            if not self._is_inserted(earlier, stamp, kind, access.memory.name):
                left.append(race)
        return left

    def _is_inserted(self, earlier: Stamp, later: Stamp, kind: str, memory: str) -> bool:
        """Whether the compiler orders two accesses that would race; then the later one's pipe knows the earlier one."""
        if not self._auto_sync or not is_inserted(earlier.pipe, later.pipe, kind, memory):
            return False
        self._insert_flag(earlier, later.pipe)
        return True

    def _insert_flag(self, earlier: Stamp, pipe: int) -> None:
        """Let a pipe know an access, and what that access's pipe knew, as the compiler's flag does."""
        carried = earlier.known.copy()
        carried[earlier.pipe] = max(carried[earlier.pipe], earlier.time)
        self.clocks.learn(pipe, carried)

    def step(self, record: Step) -> None:
        """A loop of the program goes on."""
        self.steps.add(self.serial, record)

    def _side(self, stamp: Stamp, access: Access, *, write: bool) -> Side:
        """An access of an instruction, for a finding."""
        place = place_of(access, stamp.writes if write else stamp.reads)
        return Side(stamp, access, write, place, self.core.block, self.steps)

    def _other_side(self, stamp: Stamp, access: Access, *, write: bool) -> Side:
        """What an earlier instruction did to the bytes of an access."""
        accesses = stamp.writes if write else stamp.reads
        place = touching(access, accesses)
        there = accesses[place] if place >= 0 else access
        return Side(stamp, there, write, place, self.core.block, self.steps)

    def _report_race(self, earlier: Stamp, later: Stamp, kind: str, access: Access) -> None:
        facts = {
            "place": place(access), "first_op": earlier.op, "first_serial": earlier.serial, "second_op": later.op,
            "second_serial": later.serial,
        }  # fmt: skip
        sites, pipes = (earlier.site, later.site), (earlier.pipe, later.pipe)
        first = self._other_side(earlier, access, write=kind != "war")
        second = self._other_side(later, access, write=kind != "raw")
        shared = overlap(first.access, second.access)
        self.report(Fact(kind, sites, access.memory.name, pipes, facts, (first, second), shared))

    def _report_hidden(self, rule: str, first: tuple[Stamp, Access], second: tuple[Stamp, Access]) -> None:
        """Report that the second access does not see the first, or overwrites it."""
        (earlier, there), (later, here) = first, second
        facts = {
            "first_op": earlier.op, "first_serial": earlier.serial, "second_op": later.op,
            "second_serial": later.serial, "first_place": place(there), "place": place(here),
        }  # fmt: skip
        sites, pipes = (earlier.site, later.site), (earlier.pipe, later.pipe)
        one = self._side(earlier, there, write=True)
        two = self._side(later, here, write=any(here is write for write in later.writes))
        self.report(Fact(rule, sites, "GM", pipes, facts, (one, two), overlap(there, here)))

    def _report_races(self, stamp: Stamp, found: Sequence[Race]) -> None:
        """Two instructions race once: reading what the earlier one wrote comes before overwriting it."""
        read: set[int] = set()
        for earlier, kind, access in found:
            if kind != "raw" and earlier.serial in read:
                continue
            if kind == "raw":
                read.add(earlier.serial)
            self._report_race(earlier, stamp, kind, access)
        for earlier, _, _ in found:
            self.clocks.suppose(stamp.pipe, earlier.pipe, earlier.time)
            self._sync.supposed(earlier.pipe, stamp.pipe)
