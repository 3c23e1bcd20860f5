"""The metadata of the log-sum-exp: another format, stricter checks.

Source: recursion-ascend/ops-transformer @a093e95, `attention/dense_lightning_indexer_softmax_lse_v2_metadata`.
"""

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import cannery
from cannery import OperatorError
from cannery.core import AclnnStatus
from cannery.ops._lightning_indexer.dealing import deal_lse
from cannery.ops._lightning_indexer.lse_split import LseSplit

NAME = "DenseLightningIndexerSoftmaxLseMetadata"
HEADS = {"num_heads_q": 64, "num_heads_k": 1, "head_dim": 128}
TND = {"layout_q": "TND", "layout_k": "TND"}


def words(lengths: dict[str, list[int]], attrs: dict[str, Any], **options: Any) -> list[int]:
    tensors = {name: torch.tensor(values, dtype=torch.int32) for name, values in lengths.items()}
    return list(cannery.run(NAME, tensors, {**HEADS, **attrs}, **options)[0].tolist())


@pytest.mark.parametrize(
    ("total", "expected"),
    [(0, [0, 0, 1, 0]), (5, [5, 0, 1, 0]), (32, [32, 0, 1, 0]), (64, [32, 0, 2, 0]), (33, [1, 31, 2, 1])],
)
def test_worked_values(total: int, expected: list[int]) -> None:
    lengths = {"cu_seqlens_q": [0, total], "cu_seqlens_k": [0, 8]}
    assert words(lengths, TND) == expected + [0] * 60


@pytest.mark.parametrize("quirks", [False, True])
@pytest.mark.parametrize(
    ("lengths", "attrs", "expected"),
    [
        ({"seqused_q": [3, 0]}, {"batch_size": 2, "max_seqlen_q": 5}, [3, 0, 1, 0]),
        ({}, {"batch_size": 2, "max_seqlen_q": 5}, [10, 0, 1, 0]),
        ({"cu_seqlens_q": [0, 5, 9], "cu_seqlens_k": [0, 2, 4], "seqused_q": [2, 1]}, TND, [3, 0, 1, 0]),
        ({"cu_seqlens_q": [0, 5, 9], "cu_seqlens_k": [0, 2, 4], "seqused_q": [0, 0]}, TND, [0, 0, 1, 0]),
        ({"cu_seqlens_q": [0, 5, 9], "cu_seqlens_k": [0, 2, 4], "seqused_k": [0, 0]}, TND, [9, 0, 1, 0]),
        ({"seqused_q": [30, 3]}, {"batch_size": 2, "max_seqlen_q": 30}, [1, 31, 2, 1]),
    ],
)
def test_rows_in_use_count_whatever_the_layout(
    lengths: dict[str, list[int]], attrs: dict[str, Any], expected: list[int], quirks: bool
) -> None:
    assert words(lengths, attrs, quirks=quirks) == expected + [0] * 60


def test_with_quirks_a_passed_batch_size_wins() -> None:
    lengths = {"cu_seqlens_q": [0, 3, 10], "cu_seqlens_k": [0, 4, 8]}
    assert words(lengths, {**TND, "batch_size": 1}, quirks=True)[:4] == [3, 0, 1, 0]
    with pytest.raises(OperatorError) as caught:
        words(lengths, {**TND, "batch_size": 1})
    assert caught.value.parameter == "batch_size"
    with pytest.raises(OperatorError, match="batch_size: found 3, expected no more batches than cu_seqlens_q has"):
        words(lengths, {**TND, "batch_size": 3}, quirks=True)
    used = {"seqused_q": [3, 4], "seqused_k": [1, 1]}
    assert words(used, {"batch_size": 1, "max_seqlen_q": 5, "max_seqlen_k": 5}, quirks=True)[:4] == [3, 0, 1, 0]
    with pytest.raises(OperatorError) as caught:
        words(used, {"batch_size": 1, "max_seqlen_q": 5, "max_seqlen_k": 5})
    assert caught.value.parameter == "batch_size"


def test_rows_beyond_int32_are_refused_or_with_quirks_cut_word_by_word() -> None:
    attrs = {"batch_size": 2, "max_seqlen_q": 2**31 - 8}
    assert words({}, attrs, quirks=True)[:4] == [16, 16, 134217728, 134217727]
    with pytest.raises(OperatorError, match="rows: found 4294967280, expected at most 2147483647"):
        words({}, attrs)
    with pytest.raises(OperatorError, match="rows: found -9223372036854775808, expected at least 0"):
        words({}, {"batch_size": 2**32, "max_seqlen_q": 2**31}, quirks=True)
    assert words({}, {"batch_size": 2**20, "max_seqlen_q": 2**20}, quirks=True)[:4] == [32, 0, 0, 0]


@given(st.integers(0, 3000), st.integers(1, 72))
def test_the_words_count_every_row(total: int, cores: int) -> None:
    split = LseSplit.of(total, cores)
    assert split.total == total
    assert list(split.words) == deal_lse(total, cores)
    assert split.cores <= 36


@pytest.mark.parametrize(
    ("lengths", "attrs", "options", "parameter"),
    [
        ({"cu_seqlens_q": [0, 4]}, {"layout_q": "TND", "batch_size": 1, "max_seqlen_k": 4}, {}, "layout_k"),
        ({"cu_seqlens_q": [0], "cu_seqlens_k": [0]}, TND, {}, "batch_size"),
        ({}, {"batch_size": 1, "max_seqlen_q": 4}, {"soc": "Ascend910B1"}, "soc"),
        ({"cu_seqlens_q": [0, 4], "cu_seqlens_k": [0, 4], "seqused_q": [5]}, TND, {}, "seqused_q"),
        (
            {"cu_seqlens_q": [0, 4], "cu_seqlens_k": [0, 4], "cmp_residual_k": [2]},
            {**TND, "mask_mode": 3, "cmp_ratio": 2},
            {},
            "cmp_residual_k",
        ),
        ({"cmp_residual_k": [1]}, {"batch_size": 1, "max_seqlen_q": 4}, {}, "cmp_residual_k"),
        ({"seqused_q": [1]}, {"batch_size": 1}, {}, "seqused_q"),
        ({"seqused_k": [1]}, {"batch_size": 1, "max_seqlen_q": 4}, {}, "seqused_k"),
        ({"cu_seqlens_q": [0, 4]}, {"batch_size": 2, "max_seqlen_q": 4}, {}, "cu_seqlens_q"),
        ({"cu_seqlens_k": [0, 4, 5, 6]}, {"batch_size": 2, "max_seqlen_q": 4}, {}, "cu_seqlens_k"),
    ],
)
@pytest.mark.parametrize("quirks", [False, True])
def test_it_is_stricter_than_the_gradients(
    lengths: dict[str, list[int]], attrs: dict[str, Any], options: dict[str, Any], parameter: str, quirks: bool
) -> None:
    with pytest.raises(OperatorError) as caught:
        words(lengths, attrs, quirks=quirks, **options)
    assert caught.value.parameter == parameter


@pytest.mark.parametrize("quirks", [False, True])
def test_offsets_that_no_layout_reads_must_have_the_right_length_and_nothing_else(quirks: bool) -> None:
    """A wrong length is one of the host's checks: 161002."""
    sizes = {"batch_size": 2, "max_seqlen_q": 4}
    assert words({"cu_seqlens_q": [9, 3, -7]}, sizes, quirks=quirks)[:4] == [8, 0, 1, 0]
    with pytest.raises(OperatorError) as caught:
        words({"cu_seqlens_q": [0, 4]}, sizes, quirks=quirks)
    assert caught.value.code == AclnnStatus.ACLNN_ERR_PARAM_INVALID
