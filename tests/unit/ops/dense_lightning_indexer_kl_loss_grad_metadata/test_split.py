"""Rows dealt out to cores: every row once, and the split tells for how many cores it was made."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from cannery.ops._lightning_indexer.dealing import deal_gradient
from cannery.ops._lightning_indexer.split import Split, faithful_words
from cannery.ops.dense_lightning_indexer_kl_loss_grad_metadata.eager import metadata_words

TOTALS = st.integers(0, 5000)
CORES = st.integers(1, 72)


@given(TOTALS, CORES)
def test_the_words_count_every_row(total: int, cores: int) -> None:
    split = Split.of(total, cores)
    assert (cores - split.remain_num) * split.former + split.remain_num * split.remain == total
    assert list(split.words) == deal_gradient(total, cores)


@given(TOTALS, CORES)
def test_every_row_has_one_core(total: int, cores: int) -> None:
    split = Split.of(total, cores)
    rows = np.concatenate([split.rows_of(core, cores, total) for core in range(cores)])
    assert sorted(rows.tolist()) == list(range(total))


@given(TOTALS, CORES)
def test_the_split_tells_its_number_of_cores(total: int, cores: int) -> None:
    assert Split.of(total, cores).cores == (cores if total else None)


@given(st.integers(1, 5000), CORES)
def test_where_nothing_wraps_the_faithful_words_are_the_same(total: int, cores: int) -> None:
    assert faithful_words(total, cores) == Split.of(total, cores).words


@given(st.integers(0, 2**31 - 1), CORES)
def test_a_split_read_back_is_the_one_written(total: int, cores: int) -> None:
    split = Split.of(total, cores)
    assert Split.read(np.array(split.words, np.int64)) == split


@given(TOTALS, CORES)
def test_the_tensor_path_gives_the_same_words(total: int, cores: int) -> None:
    attrs = {"layout_q": "TND", "layout_k": "TND", "max_seqlen_k": 0}
    ends = {"cu_seqlens_q": torch.tensor([0, total]), "cu_seqlens_k": torch.tensor([0, 3, 10])}
    words = metadata_words(ends, attrs, cores)
    assert words.tolist() == [*Split.of(total, cores).words, 7] + [0] * 58
    faithful = metadata_words(ends, attrs, cores, quirks=True)[:5].view(torch.uint32)
    assert faithful.tolist() == list(faithful_words(total, cores))


def test_a_core_beyond_the_used_ones_has_no_rows() -> None:
    assert Split.of(5, 32).rows_of(5, 32, 5).size == 0
