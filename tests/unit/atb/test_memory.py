"""Room for the tensors inside a graph."""

from itertools import combinations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cannery import DataType, OperatorError, Shape, TensorDesc
from cannery.atb.memory import ALIGNMENT, Life, open_tensor, place

SPANS = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted)
LIVES = st.lists(st.builds(lambda size, span: Life(size, *span), st.integers(1, 3000), SPANS), max_size=12)


@given(LIVES)
def test_tensors_needed_together_lie_apart_and_all_are_aligned(lives: list[Life]) -> None:
    offsets, total = place(dict(enumerate(lives)))
    assert all(offset % ALIGNMENT == 0 for offset in offsets.values())
    assert all(offsets[i] + lives[i].size <= total for i in offsets)
    for i, j in combinations(offsets, 2):
        if lives[i].meets(lives[j]):
            assert offsets[i] + lives[i].size <= offsets[j] or offsets[j] + lives[j].size <= offsets[i]


def test_memory_is_used_again_when_a_tensor_is_done() -> None:
    chain = {number: Life(1000, number, number + 1) for number in range(10)}
    assert place(chain)[1] == 2048
    assert place({}) == ({}, 0)


def test_a_buffer_too_small_or_misaligned_is_refused() -> None:
    desc = TensorDesc(DataType.DT_FLOAT16, Shape((4,)))
    with pytest.raises(OperatorError, match="x: found 6 bytes") as caught:
        open_tensor("Op", "x", desc, torch.zeros(3).half())
    assert caught.value.code.name == "ERROR_RT_FAIL"
    with pytest.raises(OperatorError, match="a multiple of 2"):
        open_tensor("Op", "x", desc, torch.zeros(9, dtype=torch.uint8)[1:])
