"""Threads for kernels that release the GIL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise

import numpy as np
import torch

from cannery.ops._lightning_indexer.plan import cuts_at

Part = Callable[[int, int], None]
Run = Callable[[Part, np.ndarray], None]

# Each part takes this share of what is left for every thread, down to the smallest: large parts first keep the calls
# few, small ones last let all threads finish together.
SHARE_OF_REST = 0.5
SMALLEST_SHARE = 0.02


@contextmanager
def workers() -> Iterator[Run]:
    """Give ``run(part, cost)``: calls ``part(first, last)`` until ``0 .. len(cost)`` is covered, on torch's number of
    threads.

    Parts write disjoint places, so neither their order nor the number of threads changes a bit.
    """
    threads = torch.get_num_threads()
    if threads == 1:
        yield lambda part, cost: part(0, len(cost))
        return
    with ThreadPoolExecutor(threads - 1) as pool:
        yield lambda part, cost: _share(pool, threads, part, cost)


def _share(pool: ThreadPoolExecutor, threads: int, part: Part, cost: np.ndarray) -> None:
    cuts = np.unique(cuts_at(cost, _shares(threads))).tolist()
    todo = iter(list(pairwise(cuts)))

    def drain() -> None:
        for first, last in todo:
            part(first, last)

    helpers = [pool.submit(drain) for _ in range(min(threads, len(cuts) - 1) - 1)]
    drain()
    for helper in helpers:
        helper.result()


def _shares(threads: int) -> np.ndarray:
    shares, left = [], 1.0
    while left > SMALLEST_SHARE / threads:
        left -= max(left * SHARE_OF_REST, SMALLEST_SHARE) / threads
        shares.append(1.0 - left)
    return np.minimum(shares, 1.0)
