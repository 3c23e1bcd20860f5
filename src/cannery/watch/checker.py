"""The checker: a watcher that judges a launch by the rules of one core and of several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from weakref import WeakSet

from cannery.aicore.core import CacheClean, Core, Deadlock, Fact, Finish, Fresh, Record
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
from cannery.aicore.instruction import Instruction, Site
from cannery.aicore.setup import Setup
from cannery.watch.crossing import Crossing
from cannery.watch.findings import Collector
from cannery.watch.footprints import Conflict, Footprint, conflicts
from cannery.watch.judge import Judge
from cannery.watch.sync import SyncUse


class Checker:
    """Judges one launch; ``findings`` gathers what is wrong with it."""

    def __init__(self, setup: Setup, findings: Collector) -> None:
        self._setup = setup
        self._findings = findings
        self._judges: dict[int, Judge] = {}
        self._sync = SyncUse()
        self._crossing = Crossing()
        self._settled: WeakSet[Meeting] = WeakSet()
        self._cross_sets: dict[CrossFlag, Site | None] = {}

    def see(self, core: Core, record: Record) -> None:
        """Judge what a core issues."""
        judge = self._judges.get(core.index)
        if judge is None:
            judge = self._judge(core)
        if type(record) is Instruction:
            judge.instruction(record)
        else:
            _SEEN[type(record)](self, judge, record)

    def end(self, completed: bool) -> None:
        """Judge what can only be said of the whole launch."""
        if completed:
            for fact, core in self._sync.redundant():
                self._findings.add(fact, core)
        for flag, site in self._cross_sets.items():
            if not flag.taken:
                facts = {"id": flag.id, "mode": flag.mode}
                self._judges[flag.core].report(Fact("cross_set_unpaired", (site,), "", (), facts))
        self._judge_footprints()

    def _judge(self, core: Core) -> Judge:
        judge = Judge(core, self._findings, self._sync, vector_in_order=self._setup.vector_in_order)
        self._judges[core.index] = judge
        return judge

    def _cross_set(self, judge: Judge, record: CrossSet) -> None:
        flag, pipe, site = record
        self._cross_sets[flag] = site
        limits = judge.core.limits
        if not 0 <= flag.id < limits.cross_core_flags:
            facts = {"event": "cross-core flags", "id": flag.id, "last": limits.cross_core_flags - 1}
            judge.report(Fact("event_id_range", (site,), "", (), facts))
        most = limits.cross_core_count
        if flag.sent - min(flag.taken.values(), default=0) > most:
            judge.report(Fact("cross_flag_ahead", (site,), "", (), {"id": flag.id, "most": most}))
        self._crossing.set_flag(judge, flag, pipe)

    def _leave(self, judge: Judge, record: Leave) -> None:
        """Where all cores of the launch have met, what lies before cannot conflict with what comes."""
        meeting = record.meeting
        self._crossing.leave(judge, meeting)
        if len(meeting.arrived) == len(self._setup.layout) and meeting not in self._settled:
            self._settled.add(meeting)
            self._judge_footprints()

    def _judge_footprints(self) -> None:
        """Compare what the cores touched in global memory, and forget it."""
        in_order = sorted(self._judges.items())
        found = [footprint for _, judge in in_order for footprint in judge.footprints.take()]
        for conflict in conflicts(found):
            core = self._judges[conflict.first.core].core
            self._findings.add(_cross_core(conflict), core)


def _cross_core(conflict: Conflict) -> Fact:
    first, second = conflict.first, conflict.second
    facts = {**_side("first", first, conflict), **_side("second", second, conflict)}
    sites, pipes = (first.last.site, second.last.site), (first.last.pipe, second.last.pipe)
    return Fact("cross_core", sites, "GM", pipes, facts)


def _side(prefix: str, side: Footprint, conflict: Conflict) -> dict[str, Any]:
    owner = side.access.owner
    where = f"{owner.label}[{conflict.lower - owner.origin}:{conflict.upper - owner.origin}] (bytes)"
    return {
        f"{prefix}_action": "Write" if side.write else "Read", f"{prefix}_op": side.last.op,
        f"{prefix}_place": where, f"{prefix}_core": side.core,
    }  # fmt: skip


_SEEN: Final[dict[type, Callable[[Checker, Judge, Any], None]]] = {
    Set: lambda _, judge, record: judge.set_flag(record),
    Wait: lambda _, judge, record: judge.wait_flag(record),
    Barrier: lambda _, judge, record: judge.barrier(record),
    Fresh: lambda _, judge, record: judge.fresh(record),
    Fact: lambda _, judge, record: judge.report(record),
    CacheClean: lambda _, judge, record: judge.clean_cache(),
    Deadlock: lambda _, judge, record: judge.deadlock(record),
    Finish: lambda _, judge, record: judge.finish(record),
    CrossSet: Checker._cross_set,
    CrossWait: lambda checker, judge, record: checker._crossing.wait_flag(judge, record),
    Arrive: lambda checker, judge, record: checker._crossing.arrive(judge, record.meeting),
    Leave: Checker._leave,
    Post: lambda checker, judge, record: checker._crossing.post(judge, record.key),
    Receive: lambda checker, judge, record: checker._crossing.receive(judge, record.key),
}
