"""Rows, visible prefixes, and the lengths that are refused."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cannery.ops._lightning_indexer.geometry import ArgumentError, row_table, segments


def visible(s1: int, s2: int, ratio: int = 1, residual: int = 0, mask: int = 3) -> list[int]:
    seg = segments(q_shape=(1, s1, 8, 128), k_shape=(1, s2, 1, 128), residual=[residual])
    table = row_table(seg, mask_mode=mask, cmp_ratio=ratio)
    counts = np.zeros(s1, np.int64)
    counts[table.token] = table.visible
    return counts.tolist()


@pytest.mark.parametrize(
    ("s1", "s2", "expected"),
    [(4, 8, [5, 6, 7, 8]), (2, 5, [4, 5]), (6, 3, [0, 0, 0, 1, 2, 3])],
)
def test_causal_mask_is_aligned_bottom_right(s1: int, s2: int, expected: list[int]) -> None:
    assert visible(s1, s2) == expected


@pytest.mark.parametrize(
    ("s1", "s2", "residual", "expected"),
    [
        (8, 2, 0, [0, 0, 0, 1, 1, 1, 1, 2]),
        (11, 2, 3, [0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]),
        (9, 2, 1, [0, 0, 0, 1, 1, 1, 1, 2, 2]),
        (10, 2, 0, [0, 0, 0, 0, 0, 1, 1, 1, 1, 2]),
    ],
)
def test_compressed_keys_are_seen_once_their_group_is_complete(
    s1: int, s2: int, residual: int, expected: list[int]
) -> None:
    assert visible(s1, s2, ratio=4, residual=residual) == expected


def test_without_mask_every_row_sees_every_used_key() -> None:
    assert visible(3, 7, ratio=4, residual=9, mask=0) == [7, 7, 7]


@given(st.integers(1, 40), st.integers(0, 20), st.integers(1, 9), st.integers(0, 8), st.sampled_from([0, 3]))
def test_visible_prefix_is_the_inequality(s1: int, s2: int, ratio: int, residual: int, mask: int) -> None:
    residual %= ratio
    key, row = np.arange(s2), np.arange(s1)[:, None]
    seen = (key + 1) * ratio <= s2 * ratio + residual + (row + 1) - s1
    expected = seen.sum(1) if mask == 3 else np.full(s1, s2)
    assert visible(s1, s2, ratio, residual, mask) == expected.tolist()


@pytest.mark.parametrize("ratio", [1, 4])
def test_residual_of_a_whole_group_is_refused_by_name(ratio: int) -> None:
    with pytest.raises(
        ArgumentError, match=f"cmp_residual_k: found {ratio} at index 0, expected .*cmp_ratio = {ratio}"
    ):
        visible(8, 2, ratio=ratio, residual=ratio)


def test_row_numbers_run_over_used_rows_of_all_batches() -> None:
    seg = segments(q_shape=(3, 4, 8, 128), k_shape=(3, 5, 1, 128), seqused_q=[2, 0, 3], seqused_k=[5, 5, 1])
    assert row_table(seg).token.tolist() == [0, 1, 8, 9, 10]
    assert row_table(seg, rows=3).token.tolist() == [0, 1, 8]
    picked = row_table(seg, rows=[4, 0, 2])
    assert picked.token.tolist() == [0, 8, 10]
    assert picked.segment.tolist() == [0, 2, 2]
    assert picked.visible.tolist() == [5, 1, 1]


def test_packed_rows_skip_empty_batches() -> None:
    seg = segments(
        q_shape=(6, 8, 128),
        k_shape=(6, 1, 128),
        layout_q="TND",
        layout_k="TND",
        cu_q=torch.tensor([0, 3, 3, 5]),
        cu_k=np.array([0, 2, 4, 4]),
    )
    table = row_table(seg)
    assert table.token.tolist() == [0, 1, 2]  # the last batch has rows but no keys, token 5 no batch
    assert table.segment.tolist() == [0, 0, 0]


PACKED = {"q_shape": (5, 8, 128), "k_shape": (5, 1, 128), "layout_q": "TND", "layout_k": "TND"}


@pytest.mark.parametrize(
    ("lengths", "words"),
    [
        ({"cu_k": [0, 5]}, "cu_seqlens_q: found nothing"),
        ({"cu_q": [], "cu_k": [0, 5]}, "cu_seqlens_q: found an empty tensor"),
        ({"cu_q": [1, 5], "cu_k": [0, 5]}, "cu_seqlens_q: found 1 at index 0"),
        ({"cu_q": [0, 3, 2], "cu_k": [0, 5, 5]}, "cu_seqlens_q: found 2 at index 2, expected at least 3"),
        ({"cu_q": [0, 5], "cu_k": [0, 6]}, "cu_seqlens_k: found 6 at index 1, expected at most 5"),
        ({"cu_q": [0, 2, 5], "cu_k": [0, 5]}, "cu_seqlens_k: found 1 batches of keys, expected 2"),
        ({"cu_q": [0, 2, 5], "cu_k": [0, 1, 5], "seqused_q": [2, 4]}, "seqused_q: found 4 at index 1, expected 0 .. 3"),
        ({"cu_q": [0, 2, 5], "cu_k": [0, 1, 5], "seqused_k": [-1, 4]}, "seqused_k: found -1 at index 0"),
        ({"cu_q": [0, 2, 5], "cu_k": [0, 1, 5], "residual": [1]}, "cmp_residual_k: found 1 elements, expected 2"),
    ],
)
def test_lengths_that_do_not_fit_are_refused_by_name(lengths: dict[str, list[int]], words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        segments(**PACKED, **lengths)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (6, "row 5, expected rows 0 .. 4"),
        ([0, 9], "row 9"),
        ([-1, 2], "row -1"),
        ([2, 1, 2], "row 2 twice"),
        (-1, "row -1"),
    ],
)
def test_rows_that_do_not_exist_are_refused(rows: int | list[int], words: str) -> None:
    seg = segments(**PACKED, cu_q=[0, 5], cu_k=[0, 5])  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=words):
        row_table(seg, rows=rows)


@pytest.mark.parametrize("bad", [{"mask_mode": 2}, {"cmp_ratio": 0}])
def test_unknown_mask_and_ratio_are_refused(bad: dict[str, int]) -> None:
    seg = segments(**PACKED, cu_q=[0, 5], cu_k=[0, 5])  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=next(iter(bad))):
        row_table(seg, **bad)


def test_offsets_beyond_32_bits_stay_exact() -> None:
    seg = segments(q_shape=(2**20, 4096, 1, 128), k_shape=(2**20, 8192, 1, 128))
    table = row_table(seg, mask_mode=3, rows=[2**32 - 1])
    assert table.token.tolist() == [2**32 - 1]
    assert (seg.k_start[table.segment]).tolist() == [(2**20 - 1) * 8192]
    assert table.visible.tolist() == [8192]
