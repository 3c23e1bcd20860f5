"""Sharing rows out by what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np

from cannery.ops._lightning_indexer.geometry import ArgumentError, Ints, RowTable


@dataclass(frozen=True)
class RowCost:
    """What one row costs, in units of one visible key.

    Attributes:
        key: per visible key.
        tile: per started tile of ``tile_keys`` keys.
        fixed: per row, whatever it sees.
        tile_keys: keys of a tile.

    Raises:
        ArgumentError: a cost that is negative or not a finite number, a tile without keys.
    """

    key: float = 1.0
    tile: float = 0.0
    fixed: float = 0.0
    tile_keys: int = 128

    def __post_init__(self) -> None:
        for name in ("key", "tile", "fixed"):
            if not 0 <= getattr(self, name) < inf:
                raise ArgumentError(name, str(getattr(self, name)), "a finite cost, at least 0")
        if self.tile_keys < 1:
            raise ArgumentError("tile_keys", str(self.tile_keys), "at least 1")

    def of(self, visible: Ints) -> np.ndarray:
        """Cost of rows that see ``visible`` keys each: float64, same shape."""
        tiles = -(-visible // self.tile_keys)
        return self.key * visible + self.tile * tiles + self.fixed


def balanced_cuts(cost: np.ndarray, parts: int) -> Ints:
    """Cut a sequence of costs into ``parts`` runs of nearly equal sums: ``parts + 1`` boundaries, see ``cuts_at``."""
    if parts < 1:
        raise ValueError(f"parts: found {parts}, expected at least 1")
    return cuts_at(cost, np.arange(1, parts) / parts)


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


def row_parts(table: RowTable, parts: int, cost: RowCost | None = None) -> list[RowTable]:
    """Share the rows of a table out to ``parts`` workers in contiguous runs of nearly equal cost."""
    cuts = balanced_cuts((cost or RowCost()).of(table.visible), parts)
    return [take(table, slice(lo, hi)) for lo, hi in pairwise(cuts)]


def take(table: RowTable, part: slice) -> RowTable:
    """The rows of one contiguous part."""
    return RowTable(table.token[part], table.segment[part], table.visible[part])
