"""The score tile: S of one row against 64 keys, and its weighted sum over heads."""

from __future__ import annotations

import numpy as np

from .jit import kernel
from .lanes import WIDTH, interleave
from .panel import LANES, score_strip, score_tile

_ZERO = np.float32(0.0)


@kernel()
def pack_columns(first, last, block_key, block_keys, k, columns):  # type: ignore[no-untyped-def]
    """Pack key blocks ``first .. last - 1`` for the score: ``columns[block, unit, j]`` is unit ``unit`` of the
    block's key j.

    ``block_key`` and ``block_keys`` (blocks,) give a block's first key and number of keys; the rest is zero.
    """
    for block in range(first, last):
        key, keys = block_key[block], block_keys[block]
        for unit in range(k.shape[1]):
            for j in range(WIDTH):
                columns[block, unit, j] = k[key + j, unit] if j < keys else columns.dtype.type(0)


@kernel()
def pack_rows(first, last, block_key, block_keys, k, rows):  # type: ignore[no-untyped-def]
    """Pack key blocks for dq: ``rows[block, step, d]``, the block's keys as the summed dimension."""
    for block in range(first, last):
        key, keys = block_key[block], block_keys[block]
        for step in range(rows.shape[1]):
            interleave(rows[block], step, k[key : key + keys], step, keys)


@kernel()
def score(q, row, columns, block, keys, out):  # type: ignore[no-untyped-def]
    """``out[h, j] = q[row, h] . k[j]`` for the ``keys`` keys of a packed block; zero in the columns beyond."""
    heads, units = q.shape[1], q.shape[2]
    base, panel = row * heads * units, block * units * WIDTH
    if keys == WIDTH:
        for h in range(0, heads, 4):
            score_tile(out, h * WIDTH, WIDTH, q, base + h * units, units, 1, columns, panel, WIDTH, units)
        return
    for j in range(0, keys, LANES):
        for h in range(0, heads, 8):
            score_strip(out, h * WIDTH + j, WIDTH, q, base + h * units, units, 1, columns, panel + j, WIDTH, units)
    for h in range(heads):
        for j in range(keys, WIDTH):
            out[h, j] = _ZERO


@kernel()
def weigh(score_block, w, out):  # type: ignore[no-untyped-def]
    """``out[j] = sum over h of w[h] * relu(score[h, j])``, heads ascending; a NaN score stays visible."""
    for j in range(WIDTH):
        out[j] = _ZERO
    for h in range(score_block.shape[0]):
        wh = w[h]
        for j in range(WIDTH):
            value = score_block[h, j]
            out[j] += wh * (_ZERO if value <= _ZERO else value)
