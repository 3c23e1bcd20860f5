"""Sharing the indexer's rows out to cores, threads or ranks, and what each way of doing so costs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from cannery.extras.indexer.schedule import Balance, compare
from cannery.extras.indexer.work import PER_KEY, RowCost, Work
from cannery.ops._lightning_indexer.geometry import ArgumentError, Ints, Segments, as_int64, check_residual

Lengths = Tensor | Sequence[int]


def row_schedules(
    q_lengths: Lengths,
    k_lengths: Lengths | None = None,
    *,
    parts: int,
    mask_mode: int = 3,
    cmp_ratio: int = 1,
    residual: Lengths | None = None,
    cost: RowCost = PER_KEY,
) -> dict[str, Balance]:
    """The balance of every schedule by its name: strided (the device's own), contiguous, zigzag, cost-aware.

    ``row_schedules(...)["cost-aware"].schedule.rows(rank)`` are the rows of a rank, as LightningIndexerKLLoss takes
    them in ``rows=``. Rows are numbered over the used rows of all documents; planning lists none of them.

    Args:
        q_lengths: query rows of each document.
        k_lengths: its keys; None for whole groups of ``cmp_ratio`` query tokens, the rest being its residual.
        parts: cores, threads or ranks that share the rows.
        mask_mode, cmp_ratio, residual: as the operators have them.
        cost: what a row costs: by default a unit for each visible key and nothing else.

    Raises:
        ArgumentError: lengths of different numbers of documents, negative ones, or an argument out of its range.
    """
    return {
        balance.schedule.name: balance
        for balance in compare(
            work_of(q_lengths, k_lengths, mask_mode=mask_mode, cmp_ratio=cmp_ratio, residual=residual, cost=cost), parts
        )
    }


def work_of(
    q_lengths: Lengths,
    k_lengths: Lengths | None = None,
    *,
    mask_mode: int = 3,
    cmp_ratio: int = 1,
    residual: Lengths | None = None,
    cost: RowCost = PER_KEY,
) -> Work:
    """The rows of documents packed one after the other; arguments and errors as ``row_schedules``."""
    if mask_mode not in (0, 3):
        raise ArgumentError("mask_mode", str(mask_mode), "0 or 3")
    if cmp_ratio < 1:
        raise ArgumentError("cmp_ratio", str(cmp_ratio), "at least 1")
    q = _lengths("q_lengths", q_lengths)
    k = q // cmp_ratio if k_lengths is None else _lengths("k_lengths", k_lengths, len(q))
    rest = q % cmp_ratio if k_lengths is None and residual is None else np.zeros_like(q)
    rest = rest if residual is None else _lengths("residual", residual, len(q))
    if mask_mode == 3:
        check_residual(rest, cmp_ratio)
    return Work(Segments(np.cumsum(q) - q, q, np.cumsum(k) - k, k, rest), mask_mode, cmp_ratio, cost)


def _lengths(name: str, values: Lengths, count: int | None = None) -> Ints:
    array = as_int64(name, values)
    if count is not None and len(array) != count:
        raise ArgumentError(name, f"{len(array)} documents", f"{count}, as q_lengths has")
    if (array < 0).any():
        index = int(np.flatnonzero(array < 0)[0])
        raise ArgumentError(name, f"{array[index]} at index {index}", "at least 0")
    return array
