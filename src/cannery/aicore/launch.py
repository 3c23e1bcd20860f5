"""A launch: cores and their schedule."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

import numpy as np

from cannery.aicore.cache import ScalarCache, WrittenLines
from cannery.aicore.core import Core, Watcher
from cannery.aicore.crosscore import CrossCore
from cannery.aicore.flags import Blocked
from cannery.aicore.memory import Pool
from cannery.aicore.pipes import PIPES
from cannery.aicore.schedule import Schedule
from cannery.aicore.setup import Setup

_MOST_HEADS: Final = 8


class Launch:
    """One launch: runs a body on each core of a setup; ``watchers`` see what the cores issue."""

    def __init__(self, setup: Setup, watchers: tuple[Watcher, ...] = ()) -> None:
        self.setup = setup
        self._watchers = watchers
        self._pool = Pool(setup.soc, precise=setup.precise)
        self.cores = [Core(setup, self._pool, watchers, index, *place) for index, place in enumerate(setup.layout)]
        written = WrittenLines()
        for core in self.cores:
            core.cache = ScalarCache(core.index, written)
        CrossCore(self.cores, self._block)
        self._schedule: Schedule | None = None
        self._blocked: dict[int, Blocked] = {}

    def run(self, body: Callable[[Core], Any]) -> None:
        """Run ``body`` on every core.

        Raises:
            DeadlockError: the kernel cannot go on; or whatever the body raises.
        """
        order = list(range(len(self.cores)))
        if self.setup.seed:
            Random(self.setup.seed).shuffle(order)
        self._schedule = Schedule(order, lambda index: _run_core(self.cores[index], body), self._resident())
        completed = False
        try:
            self._schedule.run()
            completed = True
        finally:
            for core in self.cores:
                core.cache.clean()
            for watcher in self._watchers:
                watcher.end(completed)

    def issued(self) -> dict[str, int]:
        """Instructions issued per pipe, over all cores."""
        return {name: sum(core.issued[pipe] for core in self.cores) for pipe, name in enumerate(PIPES)}

    def local_bytes(self) -> dict[str, int]:
        """Most bytes in use per local memory."""
        return self._pool.used

    def _block(self, core: Core, ready: Callable[[], bool], blocked: Blocked) -> None:
        """Let other cores run until one of them makes ``ready()`` true.

        Raises:
            DeadlockError: none ever will.
        """
        if self._schedule is None:
            raise RuntimeError("a core can only wait for others while its launch runs")
        self._blocked[core.index] = blocked
        self._schedule.block(core.index, ready, lambda: core.deadlock(blocked, self._others(core)))
        del self._blocked[core.index]

    def _others(self, core: Core) -> list[Blocked]:
        """What the other waiting cores stand at, each place once."""
        own = {_place(core, head) for head in core.heads(self._blocked[core.index])}
        found: dict[Any, Blocked] = {}
        for index, blocked in sorted(self._blocked.items()):
            other = self.cores[index]
            for head in other.heads(blocked) if other is not core else ():
                found.setdefault(_place(other, head), head._replace(core=f"{other.kind} {other.block}"))
        return [head for place, head in found.items() if place not in own][:_MOST_HEADS]

    def _resident(self) -> int:
        """How many of the launch's cores the chip has."""
        soc = self.setup.soc
        if {core.kind for core in self.cores} == {"aiv"}:
            return soc.aiv_cores
        groups = soc.aic_cores or soc.ai_cores
        return groups * len([core for core in self.cores if core.group == 0])


def _place(core: Core, head: Blocked) -> tuple[Any, ...]:
    """What tells heads apart that say the same of several cores of a kind."""
    return core.kind, head.pipe, head.op, head.detail, head.site


def _run_core(core: Core, body: Callable[[Core], Any]) -> None:
    completed = False
    with np.errstate(all="ignore"):
        try:
            body(core)
            completed = True
        finally:
            core.finish(completed)
