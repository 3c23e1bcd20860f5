"""The score tile in plain PyTorch, on any device, and the blocks of rows it is computed for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch

from cannery.ops._lightning_indexer.geometry import Ints
from cannery.ops._lightning_indexer.operands import Operands

# A tile of scores and its few companions stay within this; the keys of a tile within TILE_KEYS.
TILE_BYTES = 4 << 20
TILE_KEYS = 2048


@dataclass(frozen=True)
class RowBlock:
    """Consecutive rows of one batch.

    Attributes:
        token: (R,) rows in the flattened tensors.
        visible: (R, 1) keys each of them sees.
        k_start: the batch's first key.
        keys: the largest of ``visible``.
    """

    token: torch.Tensor
    visible: torch.Tensor
    k_start: int
    keys: int


@dataclass(frozen=True)
class Finite:
    """A matrix whose rows are taken apart from what is wrong with them.

    Attributes:
        values: the matrix with NaN and infinities replaced by 0: they would reach pairs that do not see each other, as
            0 * NaN is NaN.
        bad: (rows,) where something was replaced; whoever sees such a row gets NaN.
    """

    values: torch.Tensor
    bad: torch.Tensor

    @classmethod
    def of(cls, x: torch.Tensor) -> Finite:
        """Take x (rows, ...) apart."""
        good = x.isfinite()
        return cls(torch.where(good, x, 0), ~good.flatten(1).all(1))


@dataclass(frozen=True)
class Tile:
    """Keys ``first .. last - 1`` of a block's batch.

    Attributes:
        positive: relu(S), (R, H, C).
        seen: which of the keys each row sees, (R, C).
        logits: I, (R, C).
    """

    first: int
    last: int
    positive: torch.Tensor
    seen: torch.Tensor
    logits: torch.Tensor


def row_blocks(call: Operands) -> Iterator[RowBlock]:
    """Cut the rows with work into blocks whose tiles fit TILE_BYTES; a batch's blocks depend on that batch alone."""
    table, device = call.table, call.q.device
    batch, first_row = np.unique(table.segment, return_index=True)
    for index, lo, hi in zip(batch, first_row, [*first_row, len(table)][1:], strict=True):
        k_start = int(call.seg.k_start[index])
        for part in _parts(table.visible[lo:hi], call.q.shape[1] * call.w.element_size()):
            visible = table.visible[lo:hi][part]
            yield RowBlock(
                torch.from_numpy(table.token[lo:hi][part]).to(device),
                torch.from_numpy(visible).to(device)[:, None],
                k_start,
                int(visible.max()),
            )


def _parts(visible: Ints, key_bytes: int) -> Iterator[slice]:
    """Slices of a batch's rows, each within TILE_BYTES at its widest row."""
    start = 0
    while start < len(visible):
        count = min(_fitting(visible[start], key_bytes), len(visible) - start)
        while count > 1 and count > _fitting(visible[start : start + count].max(), key_bytes):
            count = (count + 1) // 2
        yield slice(start, start + count)
        start += count


def _fitting(keys: int, key_bytes: int) -> int:
    return max(1, TILE_BYTES // (min(int(keys), TILE_KEYS) * key_bytes))


def tiles(q: torch.Tensor, w: torch.Tensor, k: Finite, block: RowBlock) -> Iterator[Tile]:
    """Walk a block's keys: q (R, H, D), w (R, H) of the block, k (keys, D) of its batch, all in working precision."""
    for first in range(0, block.keys, TILE_KEYS):
        last = min(first + TILE_KEYS, block.keys)
        seen = torch.arange(first, last, device=q.device) < block.visible
        positive = torch.matmul(q.flatten(0, 1), k.values[first:last].T).relu_().unflatten(0, q.shape[:2])
        logits = torch.matmul(w[:, None], positive)[:, 0].masked_fill_(k.bad[first:last], torch.nan)
        yield Tile(first, last, positive, seen, logits)
