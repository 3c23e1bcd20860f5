"""The score tile: S of one row against 64 keys, and its weighted sum over heads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from .jit import kernel
from .lanes import WIDTH, interleave
from .panel import LANES, score_strip, score_tile

_ZERO, _HUGE = np.float32(0.0), np.float32(np.inf)
# Of the row's largest score. A sum of 128 products is off by some 1e-7 of it, hardly ever by 1e-5.
NEAR_ZERO = np.float32(2.0**-15)


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
    else:
        for j in range(0, keys, LANES):
            for h in range(0, heads, 8):
                score_strip(out, h * WIDTH + j, WIDTH, q, base + h * units, units, 1, columns, panel + j, WIDTH, units)
        for h in range(heads):
            out[h, keys:] = _ZERO
    settle_signs(q[row], columns[block], out)


def settle_signs(q: Any, columns: Any, out: Any) -> None:
    """Sum again in double what lies so near zero that fp32 cannot tell its sign.

    A score on the wrong side of zero switches a whole term of dq and dk on or off, an error of 1e-3 where fp32 operands
    promise 1e-6. bf16 operands promise less than that.
    """
    raise NotImplementedError("compiled code only")


@overload(settle_signs)
def _settle_signs(q, columns, out):  # type: ignore[no-untyped-def]
    def pairs(q, columns, out):  # type: ignore[no-untyped-def]
        pass

    def singles(q, columns, out):  # type: ignore[no-untyped-def]
        for h in range(out.shape[0]):
            limit = largest(out[h]) * NEAR_ZERO
            if nearest_zero(out[h]) < limit:
                for j in range(WIDTH):
                    if _ZERO < abs(out[h, j]) < limit:
                        out[h, j] = exact_product(q[h], columns[:, j])

    return pairs if columns.dtype == types.uint32 else singles


@kernel(fastmath={"nnan", "nsz"})
def largest(row):  # type: ignore[no-untyped-def]
    most = _ZERO
    for j in range(WIDTH):
        most = max(most, abs(row[j]))
    return most


@kernel(fastmath={"nnan", "nsz"})
def nearest_zero(row):  # type: ignore[no-untyped-def]
    """The smallest magnitude that is not exactly zero: exact zeros are padding, or sums of exact terms."""
    least = _HUGE
    for j in range(WIDTH):
        value = abs(row[j])
        least = min(least, value if value > _ZERO else _HUGE)
    return least


@kernel()
def exact_product(a, b):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(a.shape[0]):
        total += np.float64(a[i]) * np.float64(b[i])
    return np.float32(total)


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
