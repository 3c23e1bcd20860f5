"""Row moves between a padded batch and its packed rows: pure copies, bit for bit, any dtype, any device.

A *row* is what stands at one (sample, position) of a batch ``(B, S, ...)``; its trailing dims may have any rank. Packed
rows ``(N, ...)`` hold the first ``lengths[i]`` rows of each sample i, in order, so ``N = sum(lengths)``.

Two ways to move them, each faster where the other is slow:

- *indexed*: one gather or scatter whose element is up to 16 bytes wide whatever the dtype, so that torch splits the
  whole move evenly over its threads. The index is built for a bounded number of rows at a time.
- *segments*: one plain copy per sample, for rows too narrow or too odd to be widened.

Nothing here validates: callers have checked shapes, lengths and buffers before the first write. Strides are free on the
side that is read; the side that is written is contiguous.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from cannery.ops._ragged import memory

# Where the two ways break even on a CPU: rows of 256 bytes keep the 8-byte index below 4 % of what is moved, and a
# copy of 16 KiB takes longer than starting it.
_INDEXED_ROW_BYTES = 256
_SEGMENT_BYTES = 16 << 10
# Rows indexed at a time: 2 MiB of index.
_BLOCK_ROWS = 1 << 18

_WIDE_DTYPE = {16: torch.complex128, 8: torch.int64, 4: torch.int32, 2: torch.int16, 1: torch.uint8}


@torch.no_grad()
def pack_rows(x: Tensor, lengths: Sequence[int], out: Tensor | None = None) -> Tensor:
    """Packed rows of a padded batch: ``out[P_i + t] = x[i, t]`` for ``t < lengths[i]``, P the exclusive prefix sum.

    Args:
        x: (B, S, ...), any strides.
        lengths: B row counts, each in 0..S.
        out: contiguous (sum(lengths), ...) to write into; fresh memory by default.
    """
    out = memory.empty((sum(lengths), *x.shape[2:]), x) if out is None else out
    if out.numel() == 0:
        return out
    if _by_segments(x, 2, out, 1, lengths):
        for i, (start, length) in enumerate(zip(_starts(lengths), lengths, strict=True)):
            out[start : start + length].copy_(x[i, :length])
        return out
    source, target = _sides(x, 2, out, 1)
    for block in _blocks(lengths, x.shape[1]):
        _gather(source, _heads(block, x.shape[1]), target.slice(block.packed))
    return out


@torch.no_grad()
def spread_rows(
    rows: Tensor, lengths: Sequence[int], max_len: int, value: complex | None = 0, out: Tensor | None = None
) -> Tensor:
    """Padded batch of packed rows, the adjoint of :func:`pack_rows`; a large result is written once at most.

    Args:
        rows: (sum(lengths), ...), any strides.
        lengths: B row counts, each in 0..max_len.
        value: fills positions from lengths[i] on; ``None`` leaves them as ``out`` has them.
        out: contiguous (B, max_len, ...) to write into; fresh memory by default.
    """
    if out is None:
        shape = (len(lengths), max_len, *rows.shape[1:])
        out, value = (memory.zeros(shape, rows), None) if _is_plain_zero(value) else (rows.new_empty(shape), value)
    if out.numel() == 0:
        return out
    if _by_segments(rows, 1, out, 2, lengths):
        return _spread_by_segments(rows, lengths, value, out)
    source, target = _sides(rows, 1, out, 2)
    fill = None if value is None else _fill(value, out.dtype, target)
    for block in _blocks(lengths, max_len):
        _scatter(target, _heads(block, max_len), source.slice(block.packed).tensor)
        if fill is not None:
            _scatter(target, _tails(block, max_len), fill)
    return out


@torch.no_grad()
def take_rows(x: Tensor, indices: Tensor, out: Tensor | None = None) -> Tensor:
    """Rows of ``x`` (B, S, ...) at flat positions ``indices`` (N,) of ``B * S``, in that order: (N, ...)."""
    out = memory.empty((indices.shape[0], *x.shape[2:]), x) if out is None else out
    if out.numel() == 0:
        return out
    source, target = _sides(x, 2, out, 1)
    _gather(source, indices, target)
    return out


@torch.no_grad()
def put_rows(
    rows: Tensor, indices: Tensor, batch: int, max_len: int, value: complex = 0, out: Tensor | None = None
) -> Tensor:
    """The adjoint of :func:`take_rows` for distinct ``indices``: (batch, max_len, ...) with ``rows`` put in.

    Args:
        value: what stands everywhere else.
        out: contiguous (batch, max_len, ...) to write into; fresh memory by default.
    """
    shape = (batch, max_len, *rows.shape[1:])
    zeroed = out is None and _is_plain_zero(value)
    if out is None:
        out = memory.zeros(shape, rows) if zeroed else rows.new_empty(shape)
    if out.numel() == 0:
        return out
    source, target = _sides(rows, 1, out, 2)
    if not zeroed:
        target.tensor.copy_(_fill(value, out.dtype, target).expand(target.tensor.shape))
    _scatter(target, indices, source.tensor)
    return out


def _is_plain_zero(value: complex | None) -> bool:
    """Zero whose bytes are zeros in every dtype, which −0.0 is not."""
    return value == 0 and "-" not in str(value)


def _spread_by_segments(rows: Tensor, lengths: Sequence[int], value: complex | None, out: Tensor) -> Tensor:
    for i, (start, length) in enumerate(zip(_starts(lengths), lengths, strict=True)):
        out[i, :length].copy_(rows[start : start + length])
        if value is not None:
            out[i, length:].fill_(value)
    return out


def _by_segments(source: Tensor, source_lead: int, target: Tensor, target_lead: int, lengths: Sequence[int]) -> bool:
    """Whether one copy per sample beats one index for all."""
    row_bytes = math.prod(target.shape[target_lead:]) * target.element_size()
    wide = min(_unit(source, source_lead), _unit(target, target_lead)) == 16
    if target.device.type != "cpu" or (wide and row_bytes >= _INDEXED_ROW_BYTES):
        return False
    return sum(lengths) * row_bytes >= len(lengths) * _SEGMENT_BYTES


def _starts(lengths: Sequence[int]) -> list[int]:
    return (np.cumsum(lengths, dtype=np.int64) - np.asarray(lengths, dtype=np.int64)).tolist()


# --- blocks of samples and the flat positions of their rows -----------------------------------------------------------


@dataclass(frozen=True)
class _Block:
    """Consecutive samples whose rows are moved by one index."""

    first: int
    lengths: Sequence[int]
    packed: slice


def _blocks(lengths: Sequence[int], max_len: int) -> Iterator[_Block]:
    """Cut a batch into blocks of at most ``_BLOCK_ROWS`` positions, or one sample."""
    step, start = max(1, _BLOCK_ROWS // max(1, max_len)), 0
    for first in range(0, len(lengths), step):
        chosen = lengths[first : first + step]
        yield _Block(first, chosen, slice(start, start + sum(chosen)))
        start += sum(chosen)


def _heads(block: _Block, max_len: int) -> Tensor:
    """Flat positions of the rows that are there."""
    return _runs(_sample_starts(block, max_len), np.asarray(block.lengths, dtype=np.int64))


def _tails(block: _Block, max_len: int) -> Tensor:
    """Flat positions of the padding."""
    lengths = np.asarray(block.lengths, dtype=np.int64)
    return _runs(_sample_starts(block, max_len) + lengths, max_len - lengths)


def _sample_starts(block: _Block, max_len: int) -> Any:
    return (np.arange(len(block.lengths), dtype=np.int64) + block.first) * max_len


def _runs(starts: Any, counts: Any) -> Tensor:
    """``starts[i], starts[i] + 1, ...``, counts[i] of them, for every i."""
    before = np.cumsum(counts) - counts
    return torch.from_numpy(np.repeat(starts - before, counts) + np.arange(counts.sum(), dtype=np.int64))


# --- the two sides of a move ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rows:
    """Rows of a tensor, addressed by flat position: one leading dim where the strides allow it, else two."""

    tensor: Tensor
    lead: int

    def at(self, positions: Tensor) -> tuple[Tensor, ...]:
        here = positions.to(self.tensor.device)
        if self.lead == 1:
            return (here,)
        return here // self.tensor.shape[1], here % self.tensor.shape[1]

    def slice(self, packed: slice) -> _Rows:
        return _Rows(self.tensor[packed], 1)


def _gather(source: _Rows, positions: Tensor, target: _Rows) -> None:
    torch.ops.aten.index.Tensor_out(source.tensor, list(source.at(positions)), out=target.tensor)


def _scatter(target: _Rows, positions: Tensor, values: Tensor) -> None:
    target.tensor.index_put_(target.at(positions), values)


def _sides(source: Tensor, source_lead: int, target: Tensor, target_lead: int) -> tuple[_Rows, _Rows]:
    """Both tensors in the widest element that fits the two, or as they are where a row is not contiguous."""
    unit = min(_unit(source, source_lead), _unit(target, target_lead))
    return _rows_of(source, source_lead, unit), _rows_of(target, target_lead, unit)


def _unit(tensor: Tensor, lead: int) -> int:
    """Bytes (1, 2, 4, 8 or 16) that divide every row and where it starts; 0 where a row cannot be viewed as bytes."""
    if tensor.is_conj() or tensor.is_neg() or not _rows_contiguous(tensor, lead):
        return 0
    steps = (s for n, s in zip(tensor.shape[:lead], tensor.stride()[:lead], strict=True) if n > 1)
    elements = math.gcd(math.prod(tensor.shape[lead:]), tensor.storage_offset(), *steps)
    return math.gcd(16, elements * tensor.element_size())


def _rows_contiguous(tensor: Tensor, lead: int) -> bool:
    expected = 1
    for size, stride in zip(reversed(tensor.shape[lead:]), reversed(tensor.stride()[lead:]), strict=True):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def _rows_of(tensor: Tensor, lead: int, unit: int) -> _Rows:
    """The tensor with its leading dims merged and its rows as elements of ``unit`` bytes, both where possible."""
    sizes, strides = list(tensor.shape[:lead]), list(tensor.stride()[:lead])
    inner, inner_strides = list(tensor.shape[lead:]), list(tensor.stride()[lead:])
    if lead == 2 and (sizes[0] == 1 or strides[0] == sizes[1] * strides[1]):
        sizes, strides = [sizes[0] * sizes[1]], strides[1:]
    if unit:
        inner, inner_strides = [math.prod(inner)], [1]
        # view(dtype) wants every stride to divide, also of a dim of size 1, where it means nothing
        strides = [stride if size > 1 else inner[0] for size, stride in zip(sizes, strides, strict=True)]
    rows = tensor.as_strided(sizes + inner, strides + inner_strides)
    return _Rows(rows.view(_WIDE_DTYPE[unit]) if unit else _movable(rows), len(sizes))


def _movable(rows: Tensor) -> Tensor:
    """The elements as integers of their size: torch moves those of some dtypes under no other name."""
    return rows if rows.is_complex() or rows.is_neg() else rows.view(_WIDE_DTYPE[rows.element_size()])


def _fill(value: complex, dtype: torch.dtype, target: _Rows) -> Tensor:
    """One element of ``target`` whose bytes are ``value`` in ``dtype``, over and over."""
    repeats = max(1, target.tensor.element_size() // dtype.itemsize)
    return torch.full((repeats,), value, dtype=dtype, device=target.tensor.device).view(target.tensor.dtype)
