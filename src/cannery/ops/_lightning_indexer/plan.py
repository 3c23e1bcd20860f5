"""Cutting rows into runs by what they cost."""

from __future__ import annotations

import numpy as np

from cannery.ops._lightning_indexer.geometry import Ints, RowTable


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
