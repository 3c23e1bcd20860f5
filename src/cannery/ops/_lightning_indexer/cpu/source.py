"""The operands of a call as arrays of units, and the batches of rows and key blocks they are walked in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from cannery.ops._lightning_indexer.geometry import Ints, RowTable, Segments
from cannery.ops._lightning_indexer.plan import budget_runs, take
from cannery.ops._threads.workers import Run

from .lanes import HEAD_DIM, WIDTH

Array = np.ndarray[Any, Any]

# What is kept at a time: packed keys (a longer sequence alone may exceed this) and the rows' dS, q and dq. Both are
# written once and read from the last-level cache.
PACKED_BYTES = 8 << 20
BATCH_BYTES = 12 << 20
ROWS_AT_LEAST = 8  # for the threads to share, however long a row
HEADS_A_STRIP = 8  # see score.score


@dataclass(frozen=True)
class Units:
    """How a dtype is held in 32-bit units: ``values`` of them in one of numpy type ``kind``."""

    kind: Any
    values: int
    rounds_to_half: bool = False


UNITS = {
    torch.bfloat16: Units(np.uint32, 2),
    torch.float16: Units(np.float32, 1, rounds_to_half=True),
    torch.float32: Units(np.float32, 1),
}


@dataclass(frozen=True)
class KeyBlocks:
    """Keys of some consecutive batches, packed in blocks of 64.

    Attributes:
        table: the rows of those batches.
        first_block: (rows,) the first block of each row's batch.
        key: (blocks,) first key of a block in the flattened keys.
        keys: (blocks,) keys in the block.
    """

    table: RowTable
    first_block: Ints
    key: Ints
    keys: Ints


@dataclass(frozen=True)
class Batch:
    """Some rows of a group, with what the kernels need to find their operands.

    Attributes:
        rows: the rows.
        first_block: (rows,) first packed key block.
        q: (rows of q, H, units) queries; ``q_row`` (rows,) says where in it.
        ds_block: (rows + 1,) where each row's dS blocks start; the last element is their number.
    """

    rows: RowTable
    first_block: Ints
    q: Array
    q_row: Ints
    ds_block: Ints


@dataclass(frozen=True)
class Source:
    """Queries, keys and weights of a call: q (T, H, 128), k (T2, 128), w (T, H) with H padded to whole strips."""

    unit: Units
    q: Array
    k: Array
    w: Array

    @classmethod
    def of(cls, q: torch.Tensor, k: torch.Tensor, w: torch.Tensor) -> Source:
        """Take contiguous CPU tensors without copying, except that odd head counts are padded with zeros."""
        pad = -q.shape[1] % HEADS_A_STRIP
        if pad:
            q, w = torch.nn.functional.pad(q, (0, 0, 0, pad)), torch.nn.functional.pad(w, (0, pad))
        return cls(UNITS[q.dtype], _as_units(q), _as_units(k), w.numpy())

    @property
    def heads(self) -> int:
        """Heads, padding included."""
        return int(self.w.shape[1])

    @property
    def head_units(self) -> int:
        """Units of the heads as the summed dimension."""
        return self.heads // self.unit.values

    @property
    def block_bytes(self) -> int:
        """Bytes of one packed key block, in one order."""
        return WIDTH * HEAD_DIM * 4 // self.unit.values

    def pack(self, run: Run, group: KeyBlocks, packer: Any, shape: tuple[int, int]) -> Array:
        """Pack a group's keys: (blocks, *shape) units."""
        out = np.empty((len(group.key), *shape), self.unit.kind)
        lowest, highest = int(group.key.min()), int((group.key + group.keys).max())
        k = self._working(self.k[lowest:highest])
        key = group.key - lowest
        run(lambda first, last: packer(first, last, key, group.keys, k, out), group.keys)
        return out

    def batches(self, group: KeyBlocks) -> Iterator[Batch]:
        """Walk a group's rows within BATCH_BYTES."""
        blocks = -(-group.table.visible // WIDTH)
        row_bytes = self.head_units * 4 * HEAD_DIM + self.heads * 4 * HEAD_DIM
        cost = blocks * (self.head_units * 4 * WIDTH) + row_bytes
        for lo, hi in budget_runs(cost, max(BATCH_BYTES, ROWS_AT_LEAST * int(cost.max()))):
            rows = take(group.table, slice(lo, hi))
            q, q_row = self._queries(rows.token)
            yield Batch(rows, group.first_block[lo:hi], q, q_row, np.concatenate([[0], np.cumsum(blocks[lo:hi])]))

    def _queries(self, token: Ints) -> tuple[Array, Ints]:
        if self.unit.rounds_to_half:
            return self._working(self.q[token]), np.arange(len(token), dtype=np.int64)
        return self.q, token

    def _working(self, array: Array) -> Array:
        return array.astype(np.float32) if self.unit.rounds_to_half else array


def key_blocks(seg: Segments, table: RowTable, block_bytes: int) -> Iterator[KeyBlocks]:
    """Group the batches of a call so that their packed keys, ``block_bytes`` a block, stay within PACKED_BYTES."""
    batch, first_row = np.unique(table.segment, return_index=True)
    if not len(batch):
        return
    longest = np.maximum.reduceat(table.visible, first_row)
    blocks = -(-longest // WIDTH)
    row_ends = np.append(first_row[1:], len(table))
    for lo, hi in budget_runs(blocks * block_bytes, PACKED_BYTES):
        rows = take(table, slice(first_row[lo], row_ends[hi - 1]))
        owner, inside = ramps(blocks[lo:hi])
        start = np.cumsum(blocks[lo:hi]) - blocks[lo:hi]
        yield KeyBlocks(
            rows,
            start[np.searchsorted(batch[lo:hi], rows.segment)],
            seg.k_start[batch[lo:hi]][owner] + inside * WIDTH,
            np.minimum(WIDTH, longest[lo:hi][owner] - inside * WIDTH),
        )


def ramps(counts: Ints) -> tuple[Ints, Ints]:
    """For counts (2, 3): owners (0, 0, 1, 1, 1) and positions (0, 1, 0, 1, 2)."""
    owner = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    return owner, np.arange(len(owner), dtype=np.int64) - (np.cumsum(counts) - counts)[owner]


def _as_units(tensor: torch.Tensor) -> Array:
    if tensor.dtype is not torch.bfloat16:
        return tensor.numpy()
    if tensor.data_ptr() % 4:  # a view may start in the middle of a unit
        tensor = tensor.clone()
    return tensor.view(torch.int16).numpy().view(np.uint32)
