"""FastSoftMaxGrad by `cannery.run`: autograd agrees, in-place calls."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import cannery
from cannery.ops.fast_soft_max_grad.golden import FastSoftMaxGradSpec

NAME = "FastSoftMaxGrad"
Spec: Any = FastSoftMaxGradSpec
ATTRS = {"headNum": 2, "qSeqLen": [3, 5]}


def pair(heads: int, lengths: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
    count = heads * sum(s * s for s in lengths)
    generator = torch.Generator().manual_seed(count)
    x, dy = torch.randn(2, count, generator=generator).half()
    return cannery.run("FastSoftMax", [x], {"headNum": heads, "qSeqLen": lengths})[0], dy


@settings(max_examples=25)
@given(st.integers(1, 3), st.lists(st.integers(1, 12), min_size=1, max_size=6))
def test_golden_and_torch_agree(heads: int, lengths: list[int]) -> None:
    (y, dy), attrs = pair(heads, lengths), {"headNum": heads, "qSeqLen": lengths}
    dx = cannery.run(NAME, [y, dy], attrs)[0].float()
    golden = torch.from_numpy(Spec.golden(y.numpy(), dy.numpy(), **attrs)[0])
    assert torch.allclose(dx, golden.float(), atol=2**-10)
    assert torch.allclose(dx, Spec.third_party["torch"](**attrs)(y, dy).float(), atol=2**-10)


def test_it_is_the_gradient_of_softmax() -> None:
    x = torch.randn(4, 4, requires_grad=True)
    y, dy = x.softmax(-1), torch.randn(4, 4)
    y.backward(dy)
    dx = cannery.run(NAME, [y.detach().half().flatten(), dy.half().flatten()], {"headNum": 1, "qSeqLen": [4]})[0]
    assert x.grad is not None
    assert torch.allclose(dx.float(), x.grad.flatten(), atol=4e-3)


def test_by_hand() -> None:
    y, dy = torch.tensor([0.25, 0.75, 0.5, 0.5]).half(), torch.tensor([1.0, 2, 4, 0]).half()
    dx = cannery.run(NAME, [y, dy], {"headNum": 1, "qSeqLen": [2]})[0]
    assert dx.tolist() == [-0.1875, 0.1875, 1, -1]


@pytest.mark.parametrize("which", [0, 1])
def test_the_output_may_be_an_input_itself(which: int) -> None:
    tensors = list(pair(2, [3, 5]))
    expected = cannery.run(NAME, tensors, ATTRS)[0]
    cannery.run(NAME, tensors, ATTRS, outputs=[tensors[which]])
    assert torch.equal(tensors[which], expected)
