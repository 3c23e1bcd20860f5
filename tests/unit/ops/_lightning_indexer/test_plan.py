"""Sharing rows out by cost."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cannery.ops._lightning_indexer.geometry import row_table, segments
from cannery.ops._lightning_indexer.plan import RowCost, balanced_cuts, budget_runs, row_parts

COSTS = st.lists(st.integers(0, 50), max_size=60)


@given(COSTS, st.integers(1, 9))
def test_no_part_misses_its_share_by_more_than_the_dearest_row(costs: list[int], parts: int) -> None:
    cuts = balanced_cuts(np.array(costs), parts)
    assert cuts[0] == 0
    assert cuts[-1] == len(costs)
    sums = [sum(costs[lo:hi]) for lo, hi in pairwise(cuts)]
    assert all(abs(part - sum(costs) / parts) <= max(costs, default=0) for part in sums)


@given(COSTS, st.integers(1, 80))
def test_runs_stay_within_the_budget_unless_one_element_is_dearer(costs: list[int], budget: int) -> None:
    runs = budget_runs(np.array(costs, np.int64), budget)
    assert [i for lo, hi in runs for i in range(lo, hi)] == list(range(len(costs)))
    assert all(sum(costs[lo:hi]) <= budget or hi == lo + 1 for lo, hi in runs)


def test_a_row_costs_its_keys_its_tiles_and_its_fixed_part() -> None:
    cost = RowCost(key=1.0, tile=10.0, fixed=100.0, tile_keys=128)
    assert cost.of(np.array([0, 1, 128, 129])).tolist() == [100.0, 111.0, 238.0, 249.0]


def test_compressed_documents_are_balanced_where_dealing_by_count_is_not() -> None:
    """256 documents of 128 tokens with ratio 128: only the last row of each sees a key."""
    seg = segments(q_shape=(256, 128, 8, 128), k_shape=(256, 1, 1, 128))
    table = row_table(seg, mask_mode=3, cmp_ratio=128)
    loads = [int(part.visible.sum()) for part in row_parts(table, 32)]
    assert max(loads) / (sum(loads) / 32) <= 1.05


def test_twenty_thousand_documents_are_shared_out_whole() -> None:
    ends = np.arange(20_001) * 8
    seg = segments(
        q_shape=(160_000, 8, 128), k_shape=(160_000, 1, 128), layout_q="TND", layout_k="TND", cu_q=ends, cu_k=ends
    )
    table = row_table(seg, mask_mode=3)
    parts = row_parts(table, 24, RowCost(fixed=64.0))
    assert np.concatenate([part.token for part in parts]).tolist() == table.token.tolist()


def test_no_parts_are_refused() -> None:
    with pytest.raises(ValueError, match="parts: found 0, expected at least 1"):
        balanced_cuts(np.ones(3), 0)
