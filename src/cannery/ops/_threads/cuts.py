"""Cutting a sequence into runs of given shares of its cost."""

from __future__ import annotations

import numpy as np


def cuts_at(cost: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Cut a sequence of costs where its prefix sums come nearest to ascending ``shares`` (0 .. 1) of the total.

    Returns ``len(shares) + 2`` ascending boundaries, first 0 and last ``len(cost)``; no cut misses its share by more
    than half the cost it falls into. O(N + shares log N).
    """
    if not len(cost):
        return np.zeros(len(shares) + 2, np.int64)
    ends = np.concatenate([[0.0], np.cumsum(cost, dtype=np.float64)])
    wanted = ends[-1] * shares
    above = np.searchsorted(ends, wanted).clip(1, len(cost))
    below = above - 1
    nearest = np.where(wanted - ends[below] < ends[above] - wanted, below, above)
    return np.concatenate([[0], np.maximum.accumulate(nearest), [len(cost)]]).astype(np.int64)
