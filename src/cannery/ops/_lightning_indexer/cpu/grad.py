"""The gradient kernels: rows give dq, dw, the softmax and dS; then key blocks gather dk from dS in ascending row
order."""

from __future__ import annotations

import math

import numpy as np

from .exponential import exp
from .jit import kernel
from .lanes import HEAD_DIM, WIDTH, first_half, interleave, write_ds
from .panel import add_row, add_tile
from .score import score, weigh

CHUNK = 2 * WIDTH  # columns of dS that one step of dq takes at once
_ZERO = np.float32(0.0)
_NAN = np.float32(np.nan)


@kernel()
def target_mass(p, keys):  # type: ignore[no-untyped-def]
    """Sum of the visible target of a row, in double and rounded once."""
    total = 0.0
    for j in range(keys):
        total += p[j]
    return np.float32(total)


@kernel()
def softmax_and_di(keys, logits, lse, mass, p, y, di):  # type: ignore[no-untyped-def]
    """Write ``y = exp(I - lse)`` and ``dI = y * mass - p`` for a block's visible keys; dI is zero beyond them."""
    for j in range(keys):
        y[j] = exp(logits[j] - lse)
    for j in range(keys):
        value = y[j] * mass - p[j]
        # One NaN pattern: rounding to bf16 by adding to the bits would turn some others into numbers.
        di[j] = _NAN if value != value else value
    for j in range(keys, WIDTH):
        di[j] = _ZERO


@kernel()
def cross_entropy(keys, logits, lse, p):  # type: ignore[no-untyped-def]
    """``sum of p * (log p - log y)`` over a block, in double, with log y = I - lse taken exactly and 0 log 0 = 0."""
    total = 0.0
    for j in range(keys):
        if p[j] != _ZERO:
            total += p[j] * (math.log(np.float64(p[j])) - (np.float64(logits[j]) - lse))
    return total


@kernel(fastmath={"reassoc", "contract"})
def head_gradient(score_row, di):  # type: ignore[no-untyped-def]
    """``sum over j of dI[j] * relu(S[j])`` of one head; the compiler may split the sum over lanes, once and for all."""
    total = _ZERO
    for j in range(WIDTH):
        value = score_row[j]
        total += di[j] * (_ZERO if value <= _ZERO else value)
    return total


@kernel()
def add_head_gradients(score_block, di, dw):  # type: ignore[no-untyped-def]
    for h in range(score_block.shape[0]):
        dw[h] += head_gradient(score_block[h], di)


@kernel()
def add_dq(units, tail, dq, row, ds, k_rows, block, spare):  # type: ignore[no-untyped-def]
    """Add ``dS . k`` of one chunk to ``dq[row]``: ``units`` whole steps, then with ``tail`` half a pair.

    The half pair's other key is invisible and may hold anything: its bits are cleared, as zero times NaN is not zero.
    """
    heads = dq.shape[1]
    into, panel = row * heads * HEAD_DIM, block * k_rows.shape[1] * HEAD_DIM
    stride = ds.shape[1]
    if units:
        for d in range(0, HEAD_DIM, WIDTH):
            for h in range(0, heads, 4):
                add_tile(
                    dq, into + h * HEAD_DIM + d, HEAD_DIM, ds, h * stride, stride, 1, k_rows, panel + d, HEAD_DIM, units
                )
    if tail:
        steps = k_rows.shape[1]
        first_half(spare, k_rows[block + units // steps, units % steps])
        for d in range(0, HEAD_DIM, WIDTH):
            for h in range(0, heads, 4):
                add_tile(
                    dq, into + h * HEAD_DIM + d, HEAD_DIM, ds, h * stride + units, stride, 1, spare, d, HEAD_DIM, 1
                )


@kernel()
def block_pass(i, at, table, inputs, by_column, outputs, scratch, mass, half, wants_loss):  # type: ignore[no-untyped-def]
    """One row against one key block, from column ``at`` on: softmax, dI, dw, dS."""
    token, q_row, visible, key_block, ds_block = table
    q, w, p, lse = inputs
    _, dw, y, loss, ds_by_head, _ = outputs
    tile, logits, di, ds, _, _ = scratch
    t, block, keys = token[i], at // WIDTH, min(WIDTH, visible[i] - at)
    score(q, q_row[i], by_column, key_block[i] + block, keys, tile)
    weigh(tile, w[t], logits)
    softmax_and_di(keys, logits, lse[t], mass, p[t, at:], y[t, at:], di)
    if wants_loss:
        loss[t] += cross_entropy(keys, logits, lse[t], p[t, at:])
    add_head_gradients(tile, di, dw[t])
    write_ds(ds_by_head, ds_block[i] + block, ds, at % CHUNK, tile, di, w[t], half)


@kernel()
def rows_pass(first, last, table, inputs, packed, outputs, scratch, half, wants_loss):  # type: ignore[no-untyped-def]
    """Rows ``first .. last - 1`` of a batch: everything but dk.

    table: token, row in q, visible keys, first packed key block, first dS block: (rows,) int64 each.
    inputs: q (rows of q, H, U) units, w (T, H), p (T, columns), lse (T,).
    packed: the keys by column (blocks, U, 64) and by row (blocks, steps, 128).
    outputs: dq (rows, H, 128), dw (T, H), y (T, columns), loss (T,), dS by head (dS blocks, H units, 64), q by head
        (rows, H units, 128).
    scratch: score (H, 64), logits (64,), dI (64,), dS by row (H, 128), the same as units, spare units (128,).
    """
    token, q_row, visible, key_block, _ = table
    dq, q_by_head, ds_units = outputs[0], outputs[5], scratch[4]
    values = CHUNK // ds_units.shape[1]
    for i in range(first, last):
        for step in range(q_by_head.shape[1]):
            interleave(q_by_head[i], step, inputs[0][q_row[i]], step, inputs[0].shape[1])
        mass = target_mass(inputs[2][token[i]], visible[i])
        dq[i] = _ZERO
        for start in range(0, visible[i], CHUNK):
            columns = min(CHUNK, visible[i] - start)
            for at in range(start, start + columns, WIDTH):
                block_pass(i, at, table, inputs, packed[0], outputs, scratch, mass, half, wants_loss)
            block = key_block[i] + start // WIDTH
            add_dq(columns // values, columns % values, dq, i, ds_units, packed[1], block, scratch[5])


@kernel()
def keys_pass(first, last, jobs, table, ds, q_by_head, dk):  # type: ignore[no-untyped-def]
    """Key blocks ``first .. last - 1`` of a batch: add the rows' contributions to dk (keys, 128), rows ascending.

    jobs: first key, block inside the batch's keys, first row, end of rows (each (jobs,) int64).
    A row's contribution is summed over the heads first, then added: dk is the ordered fp32 sum over rows.
    """
    key, block, row_first, row_last = jobs
    visible, ds_block = table
    units = q_by_head.shape[1]
    for job in range(first, last):
        for i in range(row_first[job], row_last[job]):
            keys = min(WIDTH, visible[i] - block[job] * WIDTH)
            left, right = (ds_block[i] + block[job]) * units * WIDTH, i * units * HEAD_DIM
            whole = max(keys, 0) // 4 * 4
            for d in range(0, HEAD_DIM, WIDTH):
                into = key[job] * HEAD_DIM + d
                for j in range(0, whole, 4):
                    add_tile(
                        dk, into + j * HEAD_DIM, HEAD_DIM, ds, left + j, 1, WIDTH, q_by_head, right + d, HEAD_DIM, units
                    )
                for j in range(whole, keys):
                    add_row(
                        dk, into + j * HEAD_DIM, HEAD_DIM, ds, left + j, 1, WIDTH, q_by_head, right + d, HEAD_DIM, units
                    )
