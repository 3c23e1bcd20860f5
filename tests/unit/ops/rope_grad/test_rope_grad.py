"""RopeGrad by `cannery.run`: the original's formula, position by position."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import cannery
from cannery import OperatorError
from cannery.ops.rope_grad.golden import RopeGradSpec as Spec

NAME = "RopeGrad"


def tensors(lengths: list[int], heads: int, positions: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(sum(lengths) * heads)
    shapes = [(sum(lengths), heads * 128)] * 2 + [(positions, 128)] * 2
    return [torch.randn(shape, generator=generator).half() for shape in shapes]


@settings(max_examples=25)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.integers(1, 3), st.integers(0, 3))
def test_golden_and_torch_agree(lengths: list[int], heads: int, margin: int) -> None:
    inputs = tensors(lengths, heads, max(lengths) + margin)
    made = cannery.run(NAME, inputs, {"qSeqLen": lengths})
    golden = Spec.golden(*(tensor.numpy() for tensor in inputs), qSeqLen=lengths)
    third = Spec.third_party["torch"](qSeqLen=lengths)(*inputs)
    for ours, expected, theirs in zip(made, golden, third, strict=True):
        assert np.allclose(ours.numpy(), expected, rtol=2**-9, atol=2**-9)
        assert torch.equal(ours, theirs)


def test_by_hand_the_halves_of_the_sines_change_places_and_those_of_g_do_not() -> None:
    g = torch.arange(1, 129).half()[None]
    cos, sin = torch.full((1, 128), 10.0).half(), torch.cat([torch.full((64,), 2.0), torch.full((64,), 3.0)]).half()
    dq, dk = cannery.run(NAME, [g, -g, cos, sin[None]], {"qSeqLen": [1]})
    assert dq[0, :64].tolist() == [13 * value for value in range(1, 65)]
    assert dq[0, 64:].tolist() == [8 * value for value in range(65, 129)]
    assert torch.equal(dk, -dq)


def test_positions_begin_anew_with_every_sample() -> None:
    g1, g2, cos, sin = tensors([2, 2], 1, 2)
    g1[2:] = g1[:2]
    dq = cannery.run(NAME, [g1, g2, cos, sin], {"qSeqLen": [2, 2]})[0]
    assert torch.equal(dq[:2], dq[2:])


@pytest.mark.parametrize("margin", [0, 5])
def test_the_outputs_may_be_the_gradients_themselves(margin: int) -> None:
    inputs = tensors([3, 4], 2, 4 + margin)
    expected = cannery.run(NAME, inputs, {"qSeqLen": [3, 4]})
    cannery.run(NAME, inputs, {"qSeqLen": [3, 4]}, outputs=inputs[:2])
    assert all(torch.equal(a, b) for a, b in zip(inputs[:2], expected, strict=True))


def test_transposed_views_give_what_their_copies_give() -> None:
    inputs = tensors([3, 4], 2, 4)
    views = [tensor.t().contiguous().t() for tensor in inputs]
    pairs = zip(*(cannery.run(NAME, given, {"qSeqLen": [3, 4]}) for given in (inputs, views)), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)


def test_with_quirks_factor_and_product_are_rounded_to_half() -> None:
    """In half 2048 + 1 is 2048 and 2048 + 3 is 2052; in float32 both are exact before the product is rounded."""
    g = torch.full((1, 128), 3.0).half()
    cos, sin = torch.full((1, 128), 2048.0).half(), torch.full((1, 128), 1.0).half()
    sin[0, 64] = 3
    for quirks, expected in ((False, [3 * 2051, 3 * 2049, 3 * 2047]), (True, [3 * 2052, 3 * 2048, 3 * 2047])):
        dq = cannery.run(NAME, [g, g, cos, sin], {"qSeqLen": [1]}, quirks=quirks)[0]
        assert dq[0, [0, 1, 127]].tolist() == torch.tensor(expected).half().tolist()


def test_with_quirks_rows_behind_the_lengths_stay_unwritten_in_outputs_of_any_shape() -> None:
    inputs, attrs = tensors([5], 1, 5), {"qSeqLen": [3]}
    dq, dk = torch.full((5, 128), 7.0).half(), torch.full((3 * 128 + 1,), 7.0).half()
    cannery.run(NAME, inputs, attrs, outputs=[dq, dk], quirks=True)
    whole = cannery.run(NAME, inputs, {"qSeqLen": [5]}, quirks=True)
    assert torch.equal(dq[:3], whole[0][:3]) and dq[3:].eq(7).all()
    assert torch.equal(dk[:-1].view(3, 128), whole[1][:3]) and dk[-1] == 7
    with pytest.raises(OperatorError, match="g1: found 5 tokens, expected 3, as qSeqLen says"):
        cannery.run(NAME, inputs, attrs)


def test_with_quirks_a_core_computes_one_head_and_there_are_48() -> None:
    inputs, attrs = tensors([2], 50, 2), {"qSeqLen": [2]}
    out = [torch.full((2, 50 * 128), 7.0).half() for _ in range(2)]
    cannery.run(NAME, inputs, attrs, outputs=out, quirks=True)
    assert all(tensor[:, 48 * 128 :].eq(7).all() for tensor in out)
    assert torch.equal(
        out[0][:, : 48 * 128],
        cannery.run(NAME, [t[:, : 48 * 128] for t in inputs[:2]] + inputs[2:], attrs, quirks=True)[0],
    )
    assert not cannery.run(NAME, inputs, attrs)[0][:, 48 * 128 :].eq(0).any()
