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


def test_every_row_counts_used_or_not() -> None:
    attrs = {"batch_size": 3, "max_seqlen_q": 11, "max_seqlen_k": 8}
    assert words({"seqused_q": [1, 0, 2]}, attrs)[:4] == words({}, attrs)[:4] == [1, 31, 2, 1]


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
    ],
)
@pytest.mark.parametrize("quirks", [False, True])
def test_it_is_stricter_than_the_gradients(
    lengths: dict[str, list[int]], attrs: dict[str, Any], options: dict[str, Any], parameter: str, quirks: bool
) -> None:
    with pytest.raises(OperatorError) as caught:
        words(lengths, attrs, quirks=quirks, **options)
    assert caught.value.parameter == parameter
