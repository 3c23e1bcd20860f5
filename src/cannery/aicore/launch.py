"""A launch: cores, their schedule, and what they leave behind as one returned value."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import numpy as np

from cannery.aicore import messages
from cannery.aicore.checker import Checker
from cannery.aicore.core import Blocked, Core, Observer
from cannery.aicore.crosscore import CrossCore
from cannery.aicore.findings import Collector
from cannery.aicore.footprints import conflicts
from cannery.aicore.limits import limits
from cannery.aicore.memory import Arena, capacity
from cannery.aicore.pipes import PIPES
from cannery.aicore.schedule import Schedule
from cannery.aicore.session import LaunchRecord
from cannery.aicore.sync import SyncUse
from cannery.soc import Soc

Layout = tuple[tuple[str, int, int], ...]
"""Kind, block index and sub-block index of each core."""


class Launch:
    """One launch of a kernel on a chip.

    Args:
        kernel: its name.
        soc: the chip.
        core_num: launched groups; what get_block_num returns.
        layout: the cores.
        check: record and judge.
        seed: of the lazy order; 0 is the laziest.
        vector_barriers: the compiler puts barriers between dependent vector instructions.
        observer: sees every instruction and flag as it is issued.
    """

    def __init__(
        self,
        kernel: str,
        soc: Soc,
        core_num: int,
        layout: Layout,
        *,
        check: bool = False,
        seed: int = 0,
        vector_barriers: bool = True,
        precise: bool = False,
        observer: Observer | None = None,
    ) -> None:
        self.kernel = kernel
        self.soc = soc
        self.core_num = core_num
        self.limits = limits(soc.npu_arch)
        self.seed = seed
        self.precise = precise
        self.observer = observer
        self.collector = Collector(kernel)
        self.crosscore = CrossCore(self)
        self.local_bytes: dict[str, int] = {}
        self.vectors_per_group = 1 + max((sub_block for _, _, sub_block in layout), default=0)
        self.cores = [Core(self, index, *place) for index, place in enumerate(layout)]
        self._schedule: Schedule | None = None
        self._spare: list[Arena] = []
        self._sync = SyncUse()
        if check:
            for core in self.cores:
                in_order = vector_barriers or self.limits.vector_in_order
                core.checker = Checker(core, self.collector, self._sync, vector_in_order=in_order)

    def run(self, body: Callable[[Core], Any]) -> None:
        """Run ``body`` on every core.

        Raises:
            DeadlockError: the kernel cannot go on; or whatever the body raises.
        """
        order = list(range(len(self.cores)))
        if self.seed:
            Random(self.seed).shuffle(order)
        self._schedule = Schedule(order, lambda index: self._run_core(self.cores[index], body), self._resident())
        try:
            self._schedule.run()
            for report, block in self._sync.redundant():
                self.collector.add(report, block)
        finally:
            self.crosscore.finish()
            self.judge_footprints()

    def block(self, core: Core, ready: Callable[[], bool], blocked: Blocked) -> None:
        """Let other cores run until one of them makes ``ready()`` true.

        Raises:
            DeadlockError: none ever will.
        """
        if self._schedule is None:
            raise RuntimeError("a core can only wait for others while its launch runs")
        self._schedule.block(core.index, ready, lambda: core.deadlock(blocked))

    def fresh_arena(self, name: str) -> Arena:
        """A local memory for a core, poisoned; one that a core has done with where there is one."""
        spare = next((arena for arena in self._spare if arena.name == name), None)
        if spare is None:
            return Arena(name, capacity(self.soc, name), precise=self.precise)
        self._spare.remove(spare)
        spare.clear()
        return spare

    def recycle(self, arenas: Iterable[Arena]) -> None:
        """Take back the local memories of a core that has ended."""
        self._spare += arenas

    def judge_footprints(self) -> None:
        """Compare what the cores touched in global memory, and forget it."""
        found = [f for core in self.cores if core.checker is not None for f in core.checker.footprints.take()]
        for conflict in conflicts(found):
            self.collector.add(messages.cross_core(conflict, self.kernel), self.cores[conflict.first.core].block)

    def record(self) -> LaunchRecord:
        """The launch as a value."""
        issued = {name: sum(core.issued[pipe] for core in self.cores) for pipe, name in enumerate(PIPES)}
        return LaunchRecord(
            self.kernel, self.core_num, self.soc.name, self.seed, issued, self.local_bytes, tuple(self.collector)
        )

    def _resident(self) -> int:
        """How many of the launch's cores the chip has."""
        kinds = {core.kind for core in self.cores}
        if kinds == {"aiv"}:
            return self.soc.aiv_cores
        groups = self.soc.aic_cores or self.soc.ai_cores
        return groups * len([core for core in self.cores if core.group == 0])

    def _run_core(self, core: Core, body: Callable[[Core], Any]) -> None:
        completed = False
        with np.errstate(all="ignore"):
            try:
                body(core)
                completed = True
            finally:
                core.finish(completed)
