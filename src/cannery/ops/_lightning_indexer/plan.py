"""Cutting rows into runs by what they cost."""

from __future__ import annotations

import numpy as np

from cannery.ops._lightning_indexer.geometry import Ints, RowTable


def cuts_at(cost: np.ndarray, shares: np.ndarray) -> Ints:
    """Cut a sequence of costs where its prefix sums come nearest to ascending ``shares`` (0 .. 1) of the total.

    Returns ``len(shares) + 2`` ascending boundaries, first 0 and last ``len(cost)``; no cut misses its share by more
    than half the cost it falls into. O(N + shares log N).
    """
    if not len(cost):
        return np.zeros(len(shares) + 2, np.int64)
    ends = np.concatenate([[0.0], np.cumsum(cost, dtype=np.float64)])
    wanted = ends[-1] * shares
    above = np.searchsorted(ends, wanted).clip(1, len(cost))
    below = above - 1
    nearest = np.where(wanted - ends[below] < ends[above] - wanted, below, above)
    return np.concatenate([[0], np.maximum.accumulate(nearest), [len(cost)]]).astype(np.int64)


def budget_runs(cost: Ints, budget: int) -> list[tuple[int, int]]:
    """Cut a sequence into the longest runs that stay within ``budget``; a single dearer element is a run of its own."""
    ends = np.cumsum(cost)
    runs, start, spent = [], 0, 0
    while start < len(cost):
        stop = max(start + 1, int(np.searchsorted(ends, spent + budget, side="right")))
        runs.append((start, stop))
        start, spent = stop, int(ends[stop - 1])
    return runs


def take(table: RowTable, part: slice) -> RowTable:
    """The rows of one contiguous part."""
    return RowTable(table.token[part], table.segment[part], table.visible[part])
