"""Schedules against rows listed one by one, and the balances that are known."""

from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cannery.extras.indexer.schedule import Balance, compare, cost_aware, strided
from cannery.extras.indexer.work import RowCost, Work
from cannery.ops._lightning_indexer.geometry import Segments, visible_counts
from cannery.ops._lightning_indexer.split import Split


def work(documents: list[tuple[int, int, int]], cost: RowCost | None = None, **options: Any) -> Work:
    """Documents of (rows, keys, residual), packed one after the other."""
    q, k, residual = (
        np.array(column, np.int64) for column in (zip(*documents, strict=True) if documents else [()] * 3)
    )
    starts = [np.array([0, *accumulate(lengths.tolist())][:-1][: len(documents)], np.int64) for lengths in (q, k)]
    return Work(Segments(starts[0], q, starts[1], k, residual), cost=cost or RowCost(), **options)


def by_name(planned: Work, cores: int) -> dict[str, Balance]:
    return {balance.schedule.name: balance for balance in compare(planned, cores)}


def row_costs(planned: Work) -> np.ndarray:
    """The cost of every row, listed."""
    seg = planned.seg
    index = np.repeat(np.arange(len(seg.q_len)), seg.q_len)
    row = np.arange(len(index)) - (np.cumsum(seg.q_len) - seg.q_len)[index]
    visible = visible_counts(seg, index, row, mask_mode=planned.mask_mode, cmp_ratio=planned.cmp_ratio)
    return planned.cost.of(visible)


@st.composite
def works(draw: st.DrawFn) -> Work:
    ratio = draw(st.sampled_from([1, 2, 4, 7, 128]))
    document = st.tuples(st.integers(0, 40), st.integers(0, 20), st.integers(0, ratio - 1))
    weight = st.sampled_from([0.0, 0.5, 1.0, 2.5])
    cost = RowCost(draw(weight), draw(weight), draw(weight), draw(st.sampled_from([1, 3, 128])))
    return work(draw(st.lists(document, max_size=6)), cost, mask_mode=draw(st.sampled_from([0, 3])), cmp_ratio=ratio)


@given(works(), st.integers(1, 40))
def test_every_schedule_gives_every_row_to_one_core(planned: Work, cores: int) -> None:
    for balance in compare(planned, cores):
        rows = np.concatenate([balance.schedule.rows(core) for core in range(cores)])
        assert sorted(rows.tolist()) == list(range(planned.rows))
        assert balance.schedule.counts == tuple(len(balance.schedule.rows(core)) for core in range(cores))


@given(works(), st.integers(1, 40))
def test_costs_in_closed_form_are_those_of_the_listed_rows(planned: Work, cores: int) -> None:
    costs = row_costs(planned)
    assert planned.total == pytest.approx(costs.sum())
    assert planned.prefix(np.arange(planned.rows + 1)) == pytest.approx(np.concatenate([[0], np.cumsum(costs)]))
    for balance in compare(planned, cores):
        listed = [costs[balance.schedule.rows(core)].sum() for core in range(cores)]
        assert balance.costs == pytest.approx(listed)


@given(works(), st.integers(1, 40))
def test_no_core_of_the_cost_aware_plan_misses_its_share_by_more_than_the_dearest_row(
    planned: Work, cores: int
) -> None:
    balance = by_name(planned, cores)["cost-aware"]
    dearest = row_costs(planned).max(initial=0.0)
    assert balance.makespan <= balance.ideal + dearest + 1e-6


@given(works(), st.integers(1, 40))
def test_the_strided_schedule_is_what_the_metadata_says(planned: Work, cores: int) -> None:
    split, schedule = Split.of(planned.rows, cores), strided(planned, cores)
    for core in range(cores):
        assert schedule.rows(core).tolist() == split.rows_of(core, cores, planned.rows).tolist()


def test_a_long_causal_document_is_even_when_strided() -> None:
    balances = by_name(work([(4096, 4096, 0)]), 24)
    assert balances["strided"].ratio <= 1.01
    assert balances["cost-aware"].ratio <= 1.01
    assert balances["contiguous"].ratio > 1.9


def test_compressed_short_documents_are_32_times_ideal_when_strided() -> None:
    documents = work([(128, 1, 0)] * 256, cmp_ratio=128)
    balances = by_name(documents, 32)
    assert balances["strided"].ratio == 32.0
    assert balances["cost-aware"].ratio <= 1.05


def test_a_fixed_cost_a_row_shrinks_the_ratio() -> None:
    documents = [(128, 1, 0)] * 256
    ratios = [
        by_name(work(documents, RowCost(fixed=fixed), cmp_ratio=128), 32)["strided"].ratio for fixed in (0, 0.01, 1)
    ]
    assert ratios[0] > ratios[1] > ratios[2] > 1


def test_work_that_costs_nothing_is_cut_by_rows() -> None:
    blind = work([(64, 0, 0)])
    assert cost_aware(blind, 4).counts == (16, 16, 16, 16)
    assert [balance.ratio for balance in compare(blind, 4)] == [1.0] * 4


def test_without_rows_every_core_is_idle() -> None:
    for balance in compare(work([]), 3):
        assert balance.schedule.counts == (0, 0, 0)


def test_fewer_than_one_core_is_refused() -> None:
    with pytest.raises(ValueError, match="cores: found 0"):
        compare(work([(4, 4, 0)]), 0)


def test_rows_of_many_documents_are_planned_without_listing_them() -> None:
    documents = work([(100_000, 100_000, 0)] * 20_000)
    assert documents.rows == 2_000_000_000
    assert cost_aware(documents, 36).cores[0][0].start == 0


def test_a_row_costs_its_keys_its_tiles_and_its_fixed_part() -> None:
    cost = RowCost(key=1.0, tile=10.0, fixed=100.0, tile_keys=128)
    assert cost.of(np.array([0, 1, 128, 129])).tolist() == [100.0, 111.0, 238.0, 249.0]
