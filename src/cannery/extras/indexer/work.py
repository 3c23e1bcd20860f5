"""What rows cost, summed in closed form: a plan for many long documents never lists their rows.

Row ``s`` of a document sees ``max(0, floor((c + s + 1) / r))`` keys with ``c = k_len * r + residual - q_len`` (mask 3),
or all of them (mask 0). Sums of that over evenly spaced rows are sums of floors of an arithmetic sequence.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from cannery.ops._lightning_indexer.geometry import CAUSAL, ArgumentError, Ints, Segments

Floats = np.ndarray


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


PER_KEY = RowCost()


def describe(cost: RowCost) -> str:
    """The cost model in words."""
    parts = [f"{cost.key:g} a visible key"]
    parts += [f"{cost.tile:g} a tile of {cost.tile_keys} keys"] if cost.tile else []
    return f"a row costs {' + '.join([*parts, f'{cost.fixed:g} fixed'])}"


@dataclass(frozen=True)
class Work:
    """The rows of a call and what each costs. Rows are numbered over the used rows of all batches, one after the other.

    Attributes:
        seg: the batches.
        mask_mode, cmp_ratio: as the operators have them.
        cost: what a row costs.
    """

    seg: Segments
    mask_mode: int = CAUSAL
    cmp_ratio: int = 1
    cost: RowCost = PER_KEY

    @cached_property
    def ends(self) -> Ints:
        """(B,) number of the row behind each batch's last."""
        return np.cumsum(self.seg.q_len)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.ends[-1]) if len(self.ends) else 0

    @cached_property
    def cost_before(self) -> Floats:
        """(B + 1,) cost of all rows before each batch, and of all rows."""
        batches = np.arange(len(self.seg.q_len), dtype=np.int64)
        return np.concatenate([[0.0], np.cumsum(self._first_rows(batches, self.seg.q_len))])

    @property
    def total(self) -> float:
        """Cost of all rows."""
        return float(self.cost_before[-1])

    def prefix(self, rows: Ints) -> Floats:
        """Cost of the first ``rows[i]`` rows, for each i."""
        rows = np.asarray(rows, np.int64)
        if not self.rows:
            return np.zeros(rows.shape)
        batch = np.minimum(np.searchsorted(self.ends, rows, side="right"), len(self.ends) - 1)
        inside = rows - (self.ends[batch] - self.seg.q_len[batch])
        return self.cost_before[batch] + self._first_rows(batch, inside)

    def row_at(self, cost: Floats) -> Ints:
        """For each amount, the number of rows whose cost comes nearest to it."""
        low = np.zeros(len(cost), np.int64)
        high = np.full(len(cost), self.rows, np.int64)
        while (low < high).any():
            middle = (low + high) // 2
            enough = self.prefix(middle) >= cost
            high = np.where(enough, middle, high)
            low = np.where(enough, low, middle + 1)
        below = np.maximum(high - 1, 0)
        return np.where(cost - self.prefix(below) < self.prefix(high) - cost, below, high)

    def evenly_spaced(self, step: int) -> Floats:
        """(step,) cost of rows ``i, i + step, i + 2 * step …`` for each i below ``step``."""
        start = self.ends - self.seg.q_len
        first = (np.arange(step)[:, None] - start) % step
        count = np.maximum(0, -(-(self.seg.q_len - first) // step))
        return self._spaced_rows(first, count, step).sum(axis=1)

    def _first_rows(self, batch: Ints, count: Ints) -> Floats:
        """Cost of the first ``count`` rows of each batch."""
        return self._spaced_rows(np.zeros_like(count), count, 1, batch)

    def _spaced_rows(self, first: Ints, count: Ints, step: int, batch: Ints | slice = slice(None)) -> Floats:
        """Cost of ``count`` rows of each batch, ``step`` apart from ``first`` on."""
        cost, ratio, keys = self.cost, self.cmp_ratio, self.seg.k_len[batch]
        tile = ratio * cost.tile_keys
        if self.mask_mode != CAUSAL:
            return count * cost.of(keys)
        position = keys * ratio + self.seg.residual[batch] - self.seg.q_len[batch] + 1 + first
        total = cost.fixed * count.astype(np.float64)
        if cost.key:
            total += cost.key * _floors(position, count, step, ratio)
        if cost.tile:
            total += cost.tile * _floors(position + tile - ratio, count, step, tile)
        return total


def _floors(start: Ints, count: Ints, step: int, divisor: int) -> Ints:
    """Sum of ``max(0, floor((start + step * i) / divisor))`` over ``0 <= i < count``, element by element."""
    skipped = np.clip(-((start - divisor) // step), 0, count)
    start, count = start + step * skipped, count - skipped
    return _floor_sum(count, np.broadcast_to(divisor, count.shape), np.broadcast_to(step, count.shape), start)


def _floor_sum(n: Ints, m: Ints, a: Ints, b: Ints) -> Ints:
    """Sum of ``floor((a * i + b) / m)`` over ``0 <= i < n``, all not negative: Euclid's algorithm on (m, a)."""
    b = np.where(n > 0, b, 0)
    total = np.zeros(n.shape, np.int64)
    while (n > 0).any():
        total += n * (n - 1) // 2 * (a // m) + n * (b // m)
        a, b = a % m, b % m
        top = a * n + b
        n, b, m, a = top // m, top % m, np.maximum(a, 1), m
    return total
