"""Ways to share the rows of a call out to cores, and how evenly each does it.

The device deals rows out one by one in turn (*strided*), whatever they cost. The other schedules are what one may do
instead: equal *contiguous* runs of rows, *zig-zag* runs as causal attention is often split, and *cost-aware* runs cut
from the prefix sum of the rows' cost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cannery.extras.indexer.work import Floats, Work
from cannery.ops._lightning_indexer.geometry import ArgumentError, Ints


@dataclass(frozen=True)
class Run:
    """Rows ``start, start + step, …`` below ``stop``."""

    start: int
    stop: int
    step: int = 1

    def __len__(self) -> int:
        return max(0, -(-(self.stop - self.start) // self.step))

    def __str__(self) -> str:
        every = f" every {self.step}" if self.step > 1 else ""
        return f"{self.start}..{self.start + self.step * (len(self) - 1)}{every}" if len(self) else "none"


@dataclass(frozen=True)
class Schedule:
    """Who does which rows.

    Attributes:
        name: how rows are shared out.
        cores: for each core its runs of rows. Rows are numbered over the used rows of all batches, one after the other.
    """

    name: str
    cores: tuple[tuple[Run, ...], ...]

    def rows(self, core: int) -> Ints:
        """Numbers of the rows of a core, ascending within a run: what the operators take as ``rows=``."""
        runs = [np.arange(run.start, run.stop, run.step, dtype=np.int64) for run in self.cores[core]]
        return np.concatenate(runs) if runs else np.zeros(0, np.int64)

    @property
    def counts(self) -> tuple[int, ...]:
        """Number of rows of each core."""
        return tuple(sum(map(len, runs)) for runs in self.cores)


@dataclass(frozen=True)
class Balance:
    """How evenly a schedule shares work out.

    Attributes:
        schedule: who does which rows.
        costs: (cores,) cost of each core's rows.
        makespan: cost of the busiest core.
        ideal: cost of all rows over the number of cores.
    """

    schedule: Schedule
    costs: Floats
    makespan: float
    ideal: float

    @property
    def ratio(self) -> float:
        """Makespan over ideal; 1 is perfect, and what a call without work has."""
        return self.makespan / self.ideal if self.ideal else 1.0


def strided(work: Work, cores: int) -> Schedule:
    """The device's own: core c takes rows ``c + used * i`` with ``used = min(rows, cores)``."""
    used = min(work.rows, cores)
    return Schedule("strided", tuple((Run(core, work.rows, used),) if core < used else () for core in range(cores)))


def contiguous(work: Work, cores: int) -> Schedule:
    """Equal runs of consecutive rows, the first ones a row longer where it does not come out even."""
    return _from_cuts("contiguous", _equal_cuts(work.rows, cores))


def zigzag(work: Work, cores: int) -> Schedule:
    """Twice as many equal runs as cores: core c takes the c-th from the front and the c-th from the back."""
    cuts = _equal_cuts(work.rows, 2 * cores)
    halves = [Run(lo, hi) for lo, hi in pairwise(cuts.tolist())]
    return Schedule("zigzag", tuple((halves[core], halves[-1 - core]) for core in range(cores)))


def cost_aware(work: Work, cores: int) -> Schedule:
    """Runs of consecutive rows of nearly equal cost; no core misses its share by more than the dearest row.

    O(B + cores * log(rows) * log(B)) for B batches: rows are never listed. Work that costs nothing is cut by rows.
    """
    if not work.total:
        return _from_cuts("cost-aware", _equal_cuts(work.rows, cores))
    inner = work.row_at(work.total * np.arange(1, cores) / cores)
    return _from_cuts("cost-aware", np.concatenate([[0], np.maximum.accumulate(inner), [work.rows]]))


SCHEDULES: tuple[Callable[[Work, int], Schedule], ...] = (strided, contiguous, zigzag, cost_aware)


def balance(work: Work, schedule: Schedule) -> Balance:
    """What each core's rows cost."""
    costs = np.array([sum(_run_cost(work, run) for run in runs) for runs in schedule.cores], np.float64)
    used = sum(1 for runs in schedule.cores if runs)
    if schedule.name == "strided" and used:
        costs[:used] = work.evenly_spaced(used)
    return Balance(schedule, costs, float(costs.max(initial=0.0)), work.total / len(schedule.cores))


def compare(work: Work, cores: int) -> tuple[Balance, ...]:
    """The balance of every schedule, the device's own first.

    Raises:
        ArgumentError: fewer than one core.
    """
    if cores < 1:
        raise ArgumentError("cores", str(cores), "at least 1")
    return tuple(balance(work, make(work, cores)) for make in SCHEDULES)


def _run_cost(work: Work, run: Run) -> float:
    if run.step > 1:
        return 0.0  # the strided schedule alone has these, and its costs come all at once
    ends = work.prefix(np.array([run.start, run.stop], np.int64))
    return float(ends[1] - ends[0])


def _equal_cuts(rows: int, parts: int) -> Ints:
    each, over = divmod(rows, parts)
    return np.concatenate([[0], np.cumsum(np.full(parts, each) + (np.arange(parts) < over))]).astype(np.int64)


def _from_cuts(name: str, cuts: Ints) -> Schedule:
    return Schedule(name, tuple((Run(lo, hi),) if hi > lo else () for lo, hi in pairwise(cuts.tolist())))
