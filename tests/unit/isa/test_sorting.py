"""Sorting, against Python's stable sort and merge."""

from heapq import merge as merged_lists
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cannery import asc
from cannery.isa.sorting import indices_of, records, scores_of
from cannery.watch import session

from .computing import compute

SCORES = st.lists(st.integers(-9, 9), min_size=64, max_size=64)
NARROW = st.sampled_from([np.float16, np.float32])


def pairs(raw: Any, dtype: Any) -> list[tuple[float, int]]:
    rows = raw.view(np.uint8).reshape(-1, 8)
    return list(zip(scores_of(rows, np.dtype(dtype)).tolist(), indices_of(rows).tolist(), strict=True))


def best_first(scores: Any, indices: Any) -> list[tuple[float, int]]:
    return sorted(zip(scores.tolist(), indices.tolist(), strict=True), key=lambda pair: -pair[0])


def test_a_record_has_its_score_low_and_its_index_high() -> None:
    raw = records(np.array([1.5], np.float16), np.array([7], np.uint32))
    assert raw.tolist() == [[0x00, 0x3E, 0, 0, 7, 0, 0, 0]]


@given(SCORES, NARROW, st.sampled_from(["sort32", "sort", "full"]))
def test_groups_and_all(values: list[int], dtype: Any, how: str) -> None:
    scores, indices = np.array(values, dtype), np.arange(100, 164, dtype=np.uint32)

    def call(dst: Any, src: Any, index: Any, tmp: Any) -> None:
        if how == "sort32":
            asc.sort32(dst, src, index, 2)
        else:
            asc.sort(dst, src, index, tmp, 2, how == "full")

    out = np.zeros(64 * 8 // scores.itemsize, dtype)
    got = pairs(compute(call, out, scores, indices, np.zeros(1, dtype)), dtype)
    group = 64 if how == "full" else 32
    parts = [best_first(scores[at : at + group], indices[at : at + group]) for at in range(0, 64, group)]
    assert got == [pair for part in parts for pair in part]


def merging(queues: list[list[int]], dtype: Any, call: Any, size: int) -> list[tuple[float, int]]:
    """Call with sorted queues, one behind the other, each of ``size`` bytes."""
    width = 8 // np.dtype(dtype).itemsize
    image = np.zeros((len(queues), size // 8, 8), np.uint8)
    for place, queue in enumerate(queues):
        ordered = np.array(sorted(queue, reverse=True), dtype)
        image[place, : len(queue)] = records(ordered, np.arange(len(queue), dtype=np.uint32) + 100 * place)

    def placed(dst: Any, src: Any) -> None:
        step = size // 8 * width
        call(dst, asc.MrgSortSrcList(src.dtype, *[src[place * step :] for place in range(len(queues))]))

    out = np.zeros(len(queues) * size // 8 * width, dtype)
    return pairs(compute(placed, out, image.reshape(-1).view(dtype)), dtype)


def expected_merge(queues: list[list[int]]) -> list[tuple[float, int]]:
    parts = [
        [(-value, 100 * place + at) for at, value in enumerate(sorted(queue, reverse=True))]
        for place, queue in enumerate(queues)
    ]
    return [(float(-value), index) for value, index in merged_lists(*parts, key=lambda pair: pair[0])]


@given(st.lists(st.lists(st.integers(-5, 5), min_size=1, max_size=12), min_size=2, max_size=4), NARROW)
def test_merges_queues(queues: list[list[int]], dtype: Any) -> None:
    bits = {2: 3, 3: 7, 4: 15}[len(queues)]
    info = asc.MrgSort4Info([len(queue) for queue in queues], False, bits, 1)
    got = merging(queues, dtype, lambda dst, src: asc.mrg_sort(dst, src, info), 128)
    assert got[: sum(map(len, queues))] == expected_merge(queues)


@given(st.lists(st.lists(st.integers(-5, 5), min_size=1, max_size=6), min_size=2, max_size=4))
def test_stops_when_a_queue_is_exhausted(queues: list[list[int]]) -> None:
    lengths, bits = [len(queue) for queue in queues], {2: 3, 3: 7, 4: 15}[len(queues)]
    taken = [0] * 4
    found: list[int] = []

    def call(dst: Any, src: Any) -> None:
        asc.duplicate(dst, 0.0, 64)
        asc.mrg_sort(dst, src, lengths, taken, bits, 1, True)
        found.extend(int(count) for count in asc.get_mrg_sort_result())

    got = merging(queues, np.float32, call, 64)
    whole = expected_merge(queues)
    ends = [max(at for at, (_, index) in enumerate(whole) if index // 100 == queue) for queue in range(len(queues))]
    kept = whole[: min(ends) + 1]
    assert got[: len(kept)] == kept
    assert taken == found == [sum(index // 100 == queue for _, index in kept) for queue in range(4)]
    assert any(taken[place] == length for place, length in enumerate(lengths))


def test_repeats_of_queues_that_lie_one_behind_the_other() -> None:
    values = np.random.default_rng(2).integers(-50, 50, (2, 4, 8))
    image = np.concatenate([
        records(np.sort(row)[::-1].astype(np.float32), np.arange(8, dtype=np.uint32)) for row in values.reshape(8, 8)
    ])  # fmt: skip

    def call(dst: Any, src: Any, info: Any) -> None:
        asc.mrg_sort(dst, asc.MrgSortSrcList(src.dtype, *[src[16 * at :] for at in range(4)]), info)

    raw = image.reshape(-1).view(np.float32)
    twice = asc.MrgSort4Info([8] * 4, False, 15, 2)
    got = pairs(compute(lambda d, s: call(d, s, twice), np.zeros(128, np.float32), raw), np.float32)
    expected = [sorted(part.reshape(-1).tolist(), reverse=True) for part in values]
    assert [score for score, _ in got] == [value for part in expected for value in part]
    apart = asc.MrgSort4Info([8, 8, 8, 7], False, 15, 2)  # not of one length: the second repeat does not count
    got = pairs(compute(lambda d, s: call(d, s, apart), np.zeros(128, np.float32), raw), np.float32)
    assert not any(score for score, _ in got[31:])


def test_scores_and_indices_come_apart_again() -> None:
    scores = np.arange(64, dtype=np.float16)

    def call(dst: Any, src: Any) -> None:
        asc.adv.extract(dst, dst[64:].reinterpret_cast(asc.uint32), src, 2)

    raw = records(scores, np.arange(64, dtype=np.uint32)[::-1]).reshape(-1).view(np.float16)
    out = compute(call, np.zeros(64 * 3, np.float16), raw)
    np.testing.assert_array_equal(out[:64], scores)
    np.testing.assert_array_equal(out[64:].view(np.uint32), np.arange(64)[::-1])


def test_concat_gives_the_source_another_name() -> None:
    def call(dst: Any, src: Any, tmp: Any) -> None:
        named = dst[0:]
        asc.adv.concat(named, src, tmp, 4)
        asc.adds(dst, named, 1.0, 64)

    x = np.arange(64, dtype=np.float32)
    np.testing.assert_array_equal(compute(call, np.zeros_like(x), x, x), x + 1)


def test_sizes_of_records() -> None:
    assert (int(asc.get_sort_len(100)), int(asc.get_sort_offset(10))) == (200, 20)


@pytest.mark.parametrize("chip", ["Ascend910B1", "Ascend950PR_9589"])
def test_instructions_of_older_chips_are_refused_by_name(chip: str) -> None:
    x = np.zeros(64, np.float16)
    info = asc.MrgSort4Info([8] * 4)
    calls = {
        "rp_sort16": lambda d, s: asc.rp_sort16(d, s, 1),
        "proposal_concat": lambda d, s: asc.proposal_concat(d, s, 1, 4),
        "proposal_extract": lambda d, s: asc.proposal_extract(d, s, 1, 4),
        "mrg_sort4": lambda d, s: asc.mrg_sort4(d, asc.MrgSortSrcList(s.dtype, s, s, s, s), info),
    }
    for name, call in calls.items():
        with session(soc=chip), pytest.raises(NotImplementedError, match=f"{name}: {chip} has no such instruction"):
            compute(call, x, x)


def test_what_a_merge_refuses() -> None:
    x = np.zeros(64, np.float32)

    def call(lengths: list[int], bits: int, repeats: int = 1) -> None:
        info = asc.MrgSort4Info(lengths, False, bits, repeats)
        compute(lambda d, s: asc.mrg_sort(d, asc.MrgSortSrcList(s.dtype, s, s[16:]), info), x, x)

    with pytest.raises(ValueError, match="mrg_sort: valid_bit: found 5, expected 3, 7 or 15"):
        call([4, 4], 5)
    with pytest.raises(ValueError, match="mrg_sort: found 2 queues, expected 3 for valid_bit 7"):
        call([4, 4, 4], 7)
    with pytest.raises(ValueError, match="mrg_sort: element_lengths: found 4096, expected 0 to 4095"):
        call([4096, 4], 3)
    with pytest.raises(TypeError, match="sort32: src1: found int32, expected uint32"):
        compute(lambda d, s, i: asc.sort32(d, s, i, 1), x, x, np.zeros(64, np.int32))


def test_bytes_are_looked_at_as_they_are_stored() -> None:
    scores, indices = np.arange(32, dtype=np.float16), np.arange(32, dtype=np.uint32)
    with session(precise=True):  # where 16-bit floats are computed in float32
        out = compute(lambda d, s, i: asc.sort32(d, s, i, 1), np.zeros(128, np.float16), scores, indices)
    assert pairs(out, np.float16) == best_first(scores, indices)
    with session(precise=True, soc="Ascend950PR_9589"):
        out = compute(lambda d, s, at: asc.scatter(d, s, at, 0, 32), np.zeros_like(scores), scores, indices[::-1] * 2)
    np.testing.assert_array_equal(out, scores[::-1])
