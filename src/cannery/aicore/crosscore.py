"""Synchronisation between cores: flags, barriers of all cores, and messages through a workspace."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any

from cannery.aicore import messages
from cannery.aicore.core import Blocked
from cannery.aicore.instruction import Flag, Instruction, Site
from cannery.aicore.pipes import S

if TYPE_CHECKING:
    from cannery.aicore.core import Core
    from cannery.aicore.launch import Launch

News = tuple[tuple[int, list[int]], ...]


class CrossFlag:
    """One core's sets of a (flag id, mode), and how often each other core waited for them."""

    __slots__ = ("carried", "done", "sites", "taken")

    def __init__(self) -> None:
        self.done = 0
        self.carried: list[News] = []
        self.sites: list[Site | None] = []
        self.taken: dict[int, int] = {}


class CrossCore:
    """The cross-core state of one launch."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._flags: dict[tuple[int, int, int], CrossFlag] = {}
        self._meetings: dict[Hashable, dict[int, News]] = {}
        self._rounds: dict[tuple[int, Hashable], int] = {}
        self._posted: dict[Hashable, News] = {}

    def set_flag(self, core: Core, flag: int, mode: int, pipe: int, site: Site | None) -> None:
        """cross_core_set_flag: takes effect when the pipe's earlier instructions are complete."""
        mine = self._flag(core.index, flag, mode)
        self._check(core, flag, mine, site)
        mine.sites.append(site)
        mine.carried.append(_carried(core, pipe))

        def effect() -> None:
            mine.done += 1

        instruction = Instruction("cross_core_set_flag", pipe, (), (), site, effect)
        if pipe == S:
            core.scalar(instruction)
        else:
            core.issue(instruction)

    def wait_flag(self, core: Core, flag: int, mode: int, site: Site | None) -> None:
        """cross_core_wait_flag: blocks every pipe of the core.

        Raises:
            DeadlockError: nobody sets it.
        """
        flags = [self._flag(other.index, flag, mode) for other in self._partners(core, mode)]
        ordinals = [source.taken.get(core.index, 0) + 1 for source in flags]

        def ready() -> bool:
            return all(source.done >= ordinal for source, ordinal in zip(flags, ordinals, strict=True))

        self._block(core, ready, f"cross_core_wait_flag({flag}, mode {mode})", site)
        for source, ordinal in zip(flags, ordinals, strict=True):
            source.taken[core.index] = ordinal
            _learn(core, source.carried[ordinal - 1])

    def meet(self, core: Core, key: Hashable, members: Iterable[Core], name: str, site: Site | None) -> None:
        """A barrier: everything issued before on any member is complete before anything issued after on any.

        Raises:
            DeadlockError: a member never comes.
        """
        core.barrier(None, None)
        if core.observer is not None:
            core.observer(core.index, Flag(name, "ALL", 0, site))
        passing = self._rounds[core.index, key] = self._rounds.get((core.index, key), 0) + 1
        party = self._meetings.setdefault((key, passing), {})
        party[core.index] = _carried(core, None)
        members = list(members)
        self._block(core, lambda: all(member.index in party for member in members), name, site)
        self._meetings.pop((key, passing - 1), None)  # everyone is here, so nobody is still there
        for news in party.values():
            _learn(core, news)
        if len(party) == len(self._launch.cores):
            self._settle(party)

    def post(self, core: Core, key: Hashable) -> None:
        """Leave a message that carries everything this core has done."""
        core.barrier(None, None)
        self._posted[key] = _carried(core, None)

    def receive(self, core: Core, key: Hashable, name: str, site: Site | None) -> None:
        """Wait for a message, and take it.

        Raises:
            DeadlockError: nobody leaves it.
        """
        self._block(core, lambda: key in self._posted, name, site)
        _learn(core, self._posted.pop(key))

    def finish(self) -> None:
        """Judge what is left over at the end of the launch."""
        for (index, flag, mode), mine in self._flags.items():
            checker = self._launch.cores[index].checker
            if checker is not None and mine.sites and not mine.taken:
                checker.report(messages.unpaired_cross(flag, mode, mine.sites[-1]))

    def _settle(self, party: dict[int, News]) -> None:
        """All cores of the launch have met: what lies before cannot conflict with what comes. Once per meeting."""
        if not party.get(-1):
            party[-1] = ((-1, []),)
            self._launch.judge_footprints()

    def _flag(self, core: int, flag: int, mode: int) -> CrossFlag:
        return self._flags.setdefault((core, flag, mode), CrossFlag())

    def _partners(self, core: Core, mode: int) -> list[Core]:
        """Whose sets a core waits for: mode 0 all of its kind, 1 the vector cores of its group, 2 the other kind."""
        cores = self._launch.cores
        if mode == 0:
            return [other for other in cores if other.kind == core.kind]
        group = [other for other in cores if other.group == core.group]
        return [other for other in group if (other.kind == core.kind) == (mode == 1)]

    def _check(self, core: Core, flag: int, mine: CrossFlag, site: Site | None) -> None:
        if core.checker is None:
            return
        limits = core.limits
        if not 0 <= flag < limits.cross_core_flags:
            core.checker.report(messages.event_id("cross-core flags", flag, limits.cross_core_flags, site))
        waited = min(mine.taken.values(), default=0)
        if len(mine.sites) - waited >= limits.cross_core_count:
            what = f"cross-core flag {flag} is set more than {limits.cross_core_count} times ahead of its waits"
            core.checker.report(messages.event_misuse(what, site))

    def _block(self, core: Core, ready: Callable[[], bool], name: str, site: Site | None) -> None:
        core.work()
        self._launch.block(core, ready, Blocked("S", name, site))


def _carried(core: Core, pipe: int | None) -> News:
    """What a core's pipe (None: all of it) tells another core."""
    checker = core.checker
    if checker is None:
        return ()
    times = checker.clocks.now.copy() if pipe is None else checker.clocks.snapshot(pipe)
    checker.footprints.close()
    return ((core.index, times), *((other, known.copy()) for other, known in checker.footprints.known.items()))


def _learn(core: Core, news: Any) -> None:
    if core.checker is not None:
        core.checker.footprints.learn([(index, times) for index, times in news if index not in (-1, core.index)])
