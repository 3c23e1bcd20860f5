"""Threads that share the parts of a call: kernels that release the GIL, and torch's own operations, one thread each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import TypeVar

import numpy as np
import torch

from cannery.ops._threads.cuts import cuts_at

Part = Callable[[int, int], None]
Run = Callable[[Part, np.ndarray], None]
Item = TypeVar("Item")

# Each part takes this share of what is left for every thread, down to the smallest: large parts first keep the calls
# few, small ones last let all threads finish together.
SHARE_OF_REST = 0.5
SMALLEST_SHARE = 0.02


@contextmanager
def one_thread() -> Iterator[int]:
    """A block in which torch has one thread; gives how many it had.

    A BLAS cuts a product by its number of threads, and torch a sum over everything: in one thread both have one order.
    A thread that uses torch for the first time meanwhile, anywhere in the process, gets one thread as well.
    """
    threads = torch.get_num_threads()
    if threads == 1:
        yield threads
        return
    torch.set_num_threads(1)
    try:
        yield threads
    finally:
        torch.set_num_threads(threads)


@contextmanager
def workers() -> Iterator[Run]:
    """Give ``run(part, cost)``: calls ``part(first, last)`` until ``0 .. len(cost)`` is covered, on torch's number of
    threads, in each of which torch has one.

    Parts write disjoint places, so neither their order nor the number of threads changes a bit.
    """
    with one_thread() as threads:
        if threads == 1:
            yield lambda part, cost: part(0, len(cost))
            return
        with ThreadPoolExecutor(threads - 1, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            yield lambda part, cost: _share(pool, threads, part, cost)


def run_each(run: Run, work: Callable[[Item], None], items: Sequence[Item]) -> None:
    """Call ``work`` with each item; items cost the same."""

    def part(first: int, last: int) -> None:
        for item in items[first:last]:
            work(item)

    run(part, np.ones(len(items)))


def _share(pool: ThreadPoolExecutor, threads: int, part: Part, cost: np.ndarray) -> None:
    cuts = np.unique(cuts_at(cost, _shares(threads))).tolist()
    todo = iter(list(pairwise(cuts)))
    inference = torch.is_inference_mode_enabled()

    def drain() -> None:
        with torch.inference_mode(inference):
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
