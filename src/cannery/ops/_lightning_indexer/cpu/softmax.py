"""The log-sum-exp kernel."""

from __future__ import annotations

import math

import numpy as np

from .jit import kernel
from .lanes import WIDTH
from .score import score, weigh


@kernel()
def log_sum_exp(logits):  # type: ignore[no-untyped-def]
    """``max + log(sum(exp(I - max)))`` of fp32 logits, summed in double."""
    top = logits[0]
    for value in logits:
        top = value if value > top or value != value else top
    total = 0.0
    for value in logits:
        total += math.exp(np.float64(value) - top) if value != top else 1.0
    return np.float32(top + math.log(total))


@kernel()
def lse_pass(first, last, table, inputs, by_column, lse, tile, logits):  # type: ignore[no-untyped-def]
    """Rows ``first .. last - 1``: ``lse[token]``.

    table: token, row in q, visible keys, first packed key block: (rows,) int64 each. inputs: q units, w (T, H).
    """
    token, q_row, visible, key_block = table
    q, w = inputs
    for i in range(first, last):
        for at in range(0, visible[i], WIDTH):
            score(q, q_row[i], by_column, key_block[i] + at // WIDTH, min(WIDTH, visible[i] - at), tile)
            weigh(tile, w[token[i]], logits[at : at + WIDTH])
        lse[token[i]] = log_sum_exp(logits[: visible[i]])
