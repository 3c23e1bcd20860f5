"""FastSoftMax by `cannery.run`: rows, blocks, in-place calls, the kernel's limit."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import cannery
from cannery import DataType, OperatorError, Shape, TensorDesc, find_operator
from cannery.operator import staged
from cannery.ops.fast_soft_max.golden import FastSoftMaxSpec

NAME = "FastSoftMax"
Spec: Any = FastSoftMaxSpec


def scores(heads: int, lengths: list[int]) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(lengths))
    return torch.randn(heads * sum(s * s for s in lengths), generator=generator).half()


@settings(max_examples=25)
@given(st.integers(1, 4), st.lists(st.integers(1, 12), min_size=1, max_size=6))
def test_rows_sum_to_one_and_agree_with_the_golden_and_torch(heads: int, lengths: list[int]) -> None:
    x, attrs = scores(heads, lengths), {"headNum": heads, "qSeqLen": lengths}
    y = cannery.run(NAME, [x], attrs)[0]
    golden = torch.from_numpy(Spec.golden(x.numpy(), **attrs)[0])
    third = Spec.third_party["torch"](**attrs)(x)
    assert torch.allclose(y.float(), golden.float(), atol=2**-11)
    assert torch.allclose(y.float(), third.float(), atol=2**-11)
    sizes = [heads * s * s for s in lengths]
    for block, length in zip(y.split(sizes), lengths, strict=True):
        assert torch.allclose(block.view(-1, length).float().sum(1), torch.ones(heads * length), atol=2**-8)


def test_a_row_of_one_is_one_and_equal_scores_share_evenly() -> None:
    x = torch.tensor([5.0, 1, 1, 1, 1]).half()
    assert cannery.run(NAME, [x], {"headNum": 1, "qSeqLen": [1, 2]})[0].tolist() == [1, 0.5, 0.5, 0.5, 0.5]


def test_large_scores_do_not_overflow_and_minus_infinity_is_masked() -> None:
    x = torch.tensor([60000.0, -torch.inf, -60000.0, -60000.0]).half()
    assert cannery.run(NAME, [x], {"headNum": 1, "qSeqLen": [2]})[0].tolist() == [1, 0, 0.5, 0.5]


def test_the_output_may_be_the_input_itself() -> None:
    x, attrs = scores(2, [3, 5]), {"headNum": 2, "qSeqLen": [3, 5]}
    expected = cannery.run(NAME, [x], attrs)[0]
    cannery.run(NAME, [x], attrs, outputs=[x])
    assert torch.equal(x, expected)


def test_a_strided_view_gives_what_its_copy_gives() -> None:
    x, attrs = scores(4, [3, 5])[::2], {"headNum": 2, "qSeqLen": [3, 5]}
    assert torch.equal(cannery.run(NAME, [x], attrs)[0], cannery.run(NAME, [x.contiguous()], attrs)[0])


@pytest.mark.parametrize("threads", [1, 2])
def test_the_number_of_threads_does_not_show(threads: int) -> None:
    x, attrs = scores(3, [31, 64]), {"headNum": 3, "qSeqLen": [31, 64]}
    expected, before = cannery.run(NAME, [x], attrs)[0], torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        assert torch.equal(cannery.run(NAME, [x], attrs)[0], expected)
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("quirks", [False, True])
def test_two_to_the_32_elements_are_refused_at_setup_in_both_modes(quirks: bool) -> None:
    operator = find_operator(NAME)
    desc = TensorDesc(DataType.DT_FLOAT16, Shape((2**32,)))
    attrs = {"headNum": 8, "qSeqLen": [4096] * 32}
    with pytest.raises(OperatorError) as caught:
        staged.prepare(operator, [desc], attrs, quirks=quirks)
    assert (caught.value.stage.letter, caught.value.code.name) == ("S", "ERROR_RT_FAIL")
