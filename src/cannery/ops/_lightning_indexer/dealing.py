"""The words of the metadata, found by dealing row by row, for goldens. Shares nothing with the engines."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from cannery.soc import soc


def gradient_words(call: SimpleNamespace) -> np.ndarray:
    """The 64 words of the gradient's metadata as int32, for a call of the operator that makes them."""
    queries = batch_lengths(call.seqused_q, call.cu_seqlens_q, call.layout_q, call.batch_size, call.max_seqlen_q)
    keys = batch_lengths(call.seqused_k, call.cu_seqlens_k, call.layout_k, call.batch_size, call.max_seqlen_k)
    longest = max(keys, default=0) if keys or call.layout_k == "TND" else call.max_seqlen_k
    return _padded([*deal_gradient(sum(queries), soc(call.full_soc_version).aic_cores), longest])


def lse_words(total: int, full_soc_version: str) -> np.ndarray:
    """The 64 words of the log-sum-exp's metadata as int32, for ``total`` rows."""
    return _padded(deal_lse(total, soc(full_soc_version).aic_cores))


def deal_gradient(total: int, cores: int) -> list[int]:
    """Words 0..4 of the gradient's metadata, found by dealing one row after the other to the cores in turn."""
    rows = [0] * cores
    for row in range(total):
        rows[row % cores] += 1
    busy = sum(1 for count in rows if count)
    former = max(rows)
    return [total, former, max(former - 1, 0), sum(1 for count in rows if count < former), busy]


def deal_lse(total: int, cores: int) -> list[int]:
    """Words 0..3 of the log-sum-exp's metadata, found by dealing one row after the other to the cores in turn."""
    rows = [0] * min(cores, 36)
    for row in range(total):
        rows[row % len(rows)] += 1
    most = max(rows)
    fore = sum(1 for count in rows if count == most) if most else 0
    least = min(rows)
    return [fore, len(rows) - fore if least else 0, max(most, 1), least if fore < len(rows) else 0]


def batch_lengths(used: Any, ends: Any, layout: str, batch: int, each: int) -> list[int]:
    if used is not None and len(used):
        return [int(length) for length in used]
    if layout == "TND" and ends is not None and len(ends):
        return [int(ends[i + 1]) - int(ends[i]) for i in range(len(ends) - 1)]
    return [each] * batch


def _padded(words: list[int]) -> np.ndarray:
    return np.array(words + [0] * (64 - len(words)), np.int32)
