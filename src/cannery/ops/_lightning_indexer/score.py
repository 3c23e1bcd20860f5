"""The score tile in plain PyTorch, on any device, and the blocks and parts of rows it is computed for.

What is cut, and where, depends on lengths alone: a product has the same operands on any number of threads.
"""

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
# Parts of a tile that threads share: so many runs of rows, then as many runs of keys, none shorter than PART_KEYS.
TILE_PARTS = 8
PART_KEYS = 64


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
    """Some rows of a block against keys ``first .. last - 1`` of its batch.

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
        for part in _blocks(table.visible[lo:hi], _key_bytes(call)):
            visible = table.visible[lo:hi][part]
            yield RowBlock(
                torch.from_numpy(table.token[lo:hi][part]).to(device),
                torch.from_numpy(visible).to(device)[:, None],
                k_start,
                int(visible.max()),
            )


def _blocks(visible: Ints, key_bytes: int) -> Iterator[slice]:
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


def _key_bytes(call: Operands) -> int:
    return call.q.shape[1] * call.w.element_size()


def waves(call: Operands) -> Iterator[list[RowBlock]]:
    """Runs of blocks to compute together: of different batches, and within TILE_BYTES."""
    wave: list[RowBlock] = []
    size = 0
    for block in row_blocks(call):
        added = len(block.token) * min(block.keys, TILE_KEYS) * _key_bytes(call)
        if wave and (size + added > TILE_BYTES or block.k_start == wave[-1].k_start):
            yield wave
            wave, size = [], 0
        wave.append(block)
        size += added
    if wave:
        yield wave


def row_parts(call: Operands, block: RowBlock) -> list[slice]:
    """Runs of a block's rows for threads to share; on another device than the host all rows are one."""
    rows = len(block.token)
    return slices(rows, max(1, _fitting(block.keys, _key_bytes(call)) // TILE_PARTS) if _is_on_host(block) else rows)


def key_parts(block: RowBlock, keys: int) -> list[slice]:
    """Runs of a tile's keys for threads to share; on another device than the host all keys are one."""
    return slices(keys, max(PART_KEYS, -(-keys // TILE_PARTS)) if _is_on_host(block) else keys)


def working_keys(call: Operands, block: RowBlock) -> Finite:
    """The block's keys in working precision."""
    return Finite.of(call.k[block.k_start : block.k_start + block.keys].to(call.working))


def _is_on_host(block: RowBlock) -> bool:
    return block.token.device.type == "cpu"


def slices(count: int, step: int) -> list[slice]:
    """``0 .. count - 1`` in runs of ``step``."""
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]


def tile(q: torch.Tensor, w: torch.Tensor, k: Finite, visible: torch.Tensor, first: int, last: int) -> Tile:
    """Scores of some rows and the keys ``first .. last - 1`` of their batch.

    q (R, H, D), w (R, H), k (keys, D) in working precision, visible (R, 1).
    """
    seen = torch.arange(first, last, device=q.device) < visible
    positive = torch.matmul(q.flatten(0, 1), k.values[first:last].T).relu_().unflatten(0, q.shape[:2])
    logits = torch.matmul(w[:, None], positive)[:, 0].masked_fill_(k.bad[first:last], torch.nan)
    return Tile(first, last, positive, seen, logits)


def tile_bounds(keys: int) -> list[tuple[int, int]]:
    """First key and end of each tile of a block."""
    return [(part.start, part.stop) for part in slices(keys, TILE_KEYS)]
