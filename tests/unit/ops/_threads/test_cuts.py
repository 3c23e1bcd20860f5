"""Cutting a sequence into runs of given shares of its cost."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cannery.ops._threads.cuts import cuts_at

COSTS = st.lists(st.integers(0, 50), max_size=60)


@given(COSTS, st.integers(1, 9))
def test_no_part_misses_its_share_by_more_than_the_dearest_row(costs: list[int], parts: int) -> None:
    cuts = cuts_at(np.array(costs), np.arange(1, parts) / parts)
    assert cuts[0] == 0
    assert cuts[-1] == len(costs)
    sums = [sum(costs[lo:hi]) for lo, hi in pairwise(cuts)]
    assert all(abs(part - sum(costs) / parts) <= max(costs, default=0) for part in sums)
