"""GenAttentionMask by `cannery.run`: crops bit for bit, buffers, counts beyond int32."""

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import cannery
from cannery import OperatorError
from cannery.ops.gen_attention_mask.golden import GenAttentionMaskSpec

NAME = "GenAttentionMask"
Spec: Any = GenAttentionMaskSpec


def masks(samples: int, side: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(samples * side)
    bits = torch.randint(-(2**15), 2**15, (samples, 1, side, side), generator=generator, dtype=torch.int16)
    return bits.view(torch.float16)


def bits(tensor: torch.Tensor) -> list[int]:
    return tensor.contiguous().view(torch.int16).tolist()


@given(st.integers(1, 4), st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 3))
def test_every_crop_arrives_once_a_head_bit_for_bit(heads: int, lengths: list[int], margin: int) -> None:
    x, attrs = masks(len(lengths), max(lengths) + margin), {"headNum": heads, "seqLen": lengths}
    out = cannery.run(NAME, [x], attrs)[0]
    assert bits(out) == torch.from_numpy(Spec.golden(x.numpy(), **attrs)[0]).view(torch.int16).tolist()
    assert bits(out) == bits(Spec.third_party["torch"](**attrs)(x))


def test_by_hand() -> None:
    x = torch.arange(9).half().view(1, 1, 3, 3)
    assert cannery.run(NAME, [x], {"headNum": 2, "seqLen": [2]})[0].tolist() == [0, 1, 3, 4] * 2


def test_what_lies_outside_the_crops_is_not_read() -> None:
    x = masks(2, 6)
    before = cannery.run(NAME, [x], {"seqLen": [2, 3]})[0]
    x[0, :, 2:], x[1, :, :, 3:] = torch.nan, torch.inf
    assert bits(cannery.run(NAME, [x], {"seqLen": [2, 3]})[0]) == bits(before)


def test_an_output_in_the_memory_of_x_gets_the_crops_of_the_old_x() -> None:
    x = masks(1, 8)
    expected = bits(cannery.run(NAME, [x], {"headNum": 1, "seqLen": [5]})[0])
    out = x.view(-1)[3:28]
    cannery.run(NAME, [x], {"headNum": 1, "seqLen": [5]}, outputs=[out])
    assert bits(out) == expected


def test_a_count_beyond_int32_is_refused_and_wraps_with_quirks() -> None:
    x, attrs = torch.arange(4).half().view(1, 1, 2, 2), {"headNum": 2**30 + 2, "seqLen": [2]}
    with pytest.raises(OperatorError, match=r"headNum \* seqLen\[i\]\^2: found 4294967304") as caught:
        cannery.run(NAME, [x], attrs)
    assert (caught.value.stage.letter, caught.value.code.name) == ("I", "ERROR_INVALID_PARAM")
    assert cannery.run(NAME, [x], attrs, quirks=True)[0].tolist() == [0, 1, 2, 3] * 2


def test_a_wrapped_count_that_is_not_positive_fails_at_setup() -> None:
    with pytest.raises(OperatorError) as caught:
        cannery.run(NAME, [torch.zeros(1, 1, 2, 2).half()], {"headNum": 2**29, "seqLen": [2]}, quirks=True)
    assert (caught.value.stage.letter, caught.value.code.name) == ("S", "ERROR_INVALID_TENSOR_SIZE")


def test_with_quirks_only_the_first_dim_of_the_output_is_looked_at() -> None:
    x, attrs, out = masks(1, 3), {"headNum": 2, "seqLen": [2]}, torch.full((8, 2), 7.0).half()
    cannery.run(NAME, [x], attrs, outputs=[out], quirks=True)
    assert bits(out.view(-1)[:8]) == bits(cannery.run(NAME, [x], attrs)[0])
    assert out.view(-1)[8:].eq(7).all()
    with pytest.raises(OperatorError) as caught:
        cannery.run(NAME, [x], attrs, outputs=[out])
    assert (caught.value.stage.letter, caught.value.code.name) == ("S", "ERROR_INVALID_TENSOR_DIM")
