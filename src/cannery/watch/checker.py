"""The checker: a watcher that judges a launch by the rules of one core and of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from weakref import WeakSet

from cannery.aicore.core import Core
from cannery.aicore.crosscore import BETWEEN_TWO, INNER
from cannery.aicore.flags import (
    Arrive,
    Barrier,
    CrossFlag,
    CrossSet,
    CrossWait,
    Leave,
    Meeting,
    Post,
    Receive,
    Set,
    Wait,
)  # fmt: skip
from cannery.aicore.instruction import Instruction, Looked, Site
from cannery.aicore.records import CacheClean, Deadlock, Fact, Finish, FlagSpace, Fresh, Record, Step
from cannery.aicore.setup import Setup
from cannery.watch.crossing import Crossing
from cannery.watch.findings import Collector
from cannery.watch.footprints import Conflict, Footprint, conflicts
from cannery.watch.intervals import IntervalSet
from cannery.watch.judge import Judge
from cannery.watch.sides import Side, touching
from cannery.watch.sync import SyncUse

Handlers = dict[type, Callable[[Any], None]]
"""What to do with a record, by its type."""


class Checker:
    """Judges one launch; ``findings`` gathers what is wrong with it."""

    def __init__(self, setup: Setup, findings: Collector) -> None:
        self._setup = setup
        self._findings = findings
        self._judges: dict[int, Judge] = {}
        self._handlers: dict[Core, Handlers] = {}
        self._sync = SyncUse()
        self._crossing = Crossing()
        self._settled: WeakSet[Meeting] = WeakSet()
        self._cross_sets: dict[CrossFlag, Site | None] = {}
        self._flags = IntervalSet()

    def see(self, core: Core, record: Record) -> None:
        """Judge what a core issues."""
        try:
            handlers = self._handlers[core]
        except KeyError:
            handlers = self._begin(core)
        handlers[type(record)](record)

    def end(self, completed: bool) -> None:
        """Judge what can only be said of the whole launch."""
        if completed:
            for fact, core in self._sync.redundant():
                self._findings.add(fact, core)
        for flag, site in self._cross_sets.items():
            if not flag.taken:
                facts = {"id": flag.id, "mode": flag.mode}
                rule = "end_unpaired" if flag.mode == INNER else "cross_set_unpaired"
                self._judges[flag.core].report(Fact(rule, (site,), "", (), facts))
        self._judge_footprints()

    def _begin(self, core: Core) -> Handlers:
        """A judge for a core; what is done with each type of record."""
        judge = Judge(core, self._findings, self._sync, self._setup)
        crossing = self._crossing
        handlers: Handlers = {
            Instruction: judge.instruction,
            Set: judge.set_flag,
            Wait: judge.wait_flag,
            Barrier: judge.barrier,
            Looked: judge.looked,
            Step: judge.step,
            Fresh: judge.fresh,
            Fact: judge.report,
            CacheClean: judge.clean_cache,
            FlagSpace: self._flag_space,
            Deadlock: judge.deadlock,
            Finish: judge.finish,
            CrossSet: partial(self._cross_set, judge),
            CrossWait: partial(crossing.wait_flag, judge),
            Arrive: partial(crossing.arrive, judge),
            Leave: partial(self._leave, judge),
            Post: partial(crossing.post, judge),
            Receive: partial(crossing.receive, judge),
        }
        self._judges[core.index] = judge
        self._handlers[core] = handlers
        return handlers

    def _flag_space(self, record: FlagSpace) -> None:
        """Flags that every core fills with zeros before it uses them (SyncAll)."""
        self._flags.add(record.lower, record.upper)

    def _cross_set(self, judge: Judge, record: CrossSet) -> None:
        flag, _, site = record
        self._cross_sets[flag] = site
        limits = judge.core.limits
        is_cube = judge.core.kind == "aic"
        count = limits.cross_core_flags * (2 if flag.mode in BETWEEN_TWO and is_cube else 1)
        if not 0 <= flag.id < count:
            facts = {"event": "cross-core flags", "id": flag.id, "last": count - 1}
            judge.report(Fact("event_id_range", (site,), "", (), facts))
        most = limits.cross_core_count
        is_message = flag.mode == INNER and not is_cube  # it stands in a queue in global memory
        if flag.sent - min(flag.taken.values(), default=0) > most and not is_message:
            judge.report(Fact("cross_flag_ahead", (site,), "", (), {"id": flag.id, "most": most}))
        self._crossing.set_flag(judge, record)

    def _leave(self, judge: Judge, record: Leave) -> None:
        """Where all cores of the launch have met, what lies before cannot conflict with what comes."""
        meeting = record.meeting
        self._crossing.leave(judge, record)
        if len(meeting.arrived) == len(self._setup.layout) and meeting not in self._settled:
            self._settled.add(meeting)
            self._keep_hidden(self._judge_footprints())

    def _keep_hidden(self, footprints: list[Footprint]) -> None:
        """Remember the writes that a cache hides beyond the meeting: in the writer's lines, or behind another's."""
        for footprint in footprints:
            if not footprint.write:
                continue
            others = (judge.caches.cached for index, judge in self._judges.items() if index != footprint.core)
            behind = (footprint.is_cached and footprint.cleaned is None) or any(
                cached.overlaps(start, stop) for cached in others for start, stop in footprint.bytes
            )
            if behind:
                self._judges[footprint.core].footprints.keep(footprint)

    def _judge_footprints(self) -> list[Footprint]:
        """Compare what the cores touched in global memory, and forget it."""
        in_order = sorted(self._judges.items())
        found = [footprint for _, judge in in_order for footprint in judge.footprints.take()]
        for conflict in conflicts(found):
            if self._flags.within(conflict.lower, conflict.upper) == [(conflict.lower, conflict.upper)]:
                continue
            core = self._judges[conflict.first.core].core
            self._findings.add(_cross_core(conflict, self._judges), core)
        return found


def _cross_core(conflict: Conflict, judges: Mapping[int, Judge]) -> Fact:
    first, second = conflict.first, conflict.second
    facts = {**_side("first", first, conflict), **_side("second", second, conflict)}
    sites, pipes = (first.last.site, second.last.site), (first.last.pipe, second.last.pipe)
    origin = first.access.owner.origin
    shared = (conflict.lower - origin, conflict.upper - origin)
    sides = tuple(_as_side(footprint, judges[footprint.core]) for footprint in (first, second))
    return Fact(conflict.rule, sites, "GM", pipes, facts, sides, shared)


def _as_side(footprint: Footprint, judge: Judge) -> Side:
    """A footprint with the bytes from its first to its last."""
    access, extent = footprint.access, tuple(footprint.bytes)
    whole = access._replace(lower=extent[0][0], upper=extent[-1][1], runs=None)
    stamp = footprint.last
    place = touching(whole, stamp.writes if footprint.write else stamp.reads)
    return Side(stamp, whole, footprint.write, place, judge.core.block, judge.steps)


def _side(prefix: str, side: Footprint, conflict: Conflict) -> dict[str, Any]:
    owner = side.access.owner
    where = f"{owner.label}[{conflict.lower - owner.origin}:{conflict.upper - owner.origin}] (bytes)"
    return {
        f"{prefix}_action": "Write" if side.write else "Read", f"{prefix}_op": side.last.op,
        f"{prefix}_place": where, f"{prefix}_core": side.core,
    }  # fmt: skip
