"""Cutting rows into runs within a budget."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cannery.ops._lightning_indexer.plan import budget_runs

COSTS = st.lists(st.integers(0, 50), max_size=60)


@given(COSTS, st.integers(1, 80))
def test_runs_stay_within_the_budget_unless_one_element_is_dearer(costs: list[int], budget: int) -> None:
    runs = budget_runs(np.array(costs, np.int64), budget)
    assert [i for lo, hi in runs for i in range(lo, hi)] == list(range(len(costs)))
    assert all(sum(costs[lo:hi]) <= budget or hi == lo + 1 for lo, hi in runs)
