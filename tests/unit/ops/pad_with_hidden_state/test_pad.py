"""PadWithHiddenState by `cannery.run`: values, padding, buffers, the way back, quirks."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import cannery
from cannery import OperatorError, Tensor, find_operator
from cannery.ops.pad_with_hidden_state.golden import PadWithHiddenStateSpec as Spec

NAME = "PadWithHiddenState"
POISON = 0x7E55


def rows_of(count: int, hidden: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(count * hidden)
    return torch.randint(-(2**15), 2**15, (count, hidden), generator=generator, dtype=torch.int16).view(torch.float16)


def poisoned(*shape: int) -> torch.Tensor:
    return torch.full(shape, POISON, dtype=torch.int16).view(torch.float16)


def bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().view(torch.int16)


@pytest.mark.parametrize("hidden", [1, 7, 33, 128, 4096])
@pytest.mark.parametrize("lengths", [[1], [5, 5], [1, 4, 2, 3], list(range(1, 6)) * 6])
def test_every_row_arrives_and_the_padding_of_a_poisoned_buffer_is_zero(lengths: list[int], hidden: int) -> None:
    x, out = rows_of(sum(lengths), hidden), poisoned(len(lengths), 5, hidden)
    result = cannery.run(NAME, [x], {"qSeqLen": lengths, "maxSeqLen": 5}, outputs=[out])
    assert result[0] is out
    assert torch.equal(bits(out), bits(Spec.golden(x, qSeqLen=lengths, maxSeqLen=5)[0]))


@pytest.mark.parametrize("hidden", [1, 7, 33, 128, 4096])
@pytest.mark.parametrize("lengths", [[1], [5, 5], [1, 4, 2, 3]])
def test_with_quirks_the_padding_keeps_what_the_buffer_held(lengths: list[int], hidden: int) -> None:
    x, out = rows_of(sum(lengths), hidden), poisoned(len(lengths), 5, hidden)
    cannery.run(NAME, [x], {"qSeqLen": lengths, "maxSeqLen": 5}, outputs=[out], quirks=True)
    expected = Spec.golden(x, qSeqLen=lengths, maxSeqLen=5)[0]
    for sample, length in enumerate(lengths):
        assert torch.equal(bits(out[sample, :length]), bits(expected[sample, :length]))
        assert (bits(out[sample, length:]) == POISON).all()


@pytest.mark.parametrize(("quirks", "held"), [(False, 0), (True, 1)])
def test_what_fresh_memory_is_filled_with_shows_with_quirks_only(quirks: bool, held: int) -> None:
    out = cannery.run(NAME, [rows_of(1, 3)], {"qSeqLen": [1], "maxSeqLen": 2}, fill=1, quirks=quirks)[0]
    assert out[0, 1].tolist() == [held] * 3


def test_the_padding_is_plus_zero() -> None:
    out = poisoned(1, 3, 4)
    cannery.run(NAME, [rows_of(1, 4)], {"qSeqLen": [1], "maxSeqLen": 3}, outputs=[out])
    assert not bits(out[0, 1:]).any()


@settings(max_examples=40)
@given(st.data())
def test_unpad_brings_back_what_pad_put_in(data: st.DataObject) -> None:
    limit = data.draw(st.integers(1, 40))
    lengths = data.draw(st.lists(st.integers(1, limit), min_size=1, max_size=32))
    x, attrs = rows_of(sum(lengths), data.draw(st.integers(1, 70))), {"qSeqLen": lengths, "maxSeqLen": limit}
    quirks = data.draw(st.booleans())
    padded = cannery.run(NAME, [x], attrs, quirks=quirks)[0]
    back = cannery.run("UnpadWithHiddenState", [padded], attrs, quirks=quirks)[0]
    assert torch.equal(bits(back), bits(x))


@pytest.mark.parametrize("quirks", [False, True])
def test_a_transposed_view_gives_what_its_contiguous_copy_gives(quirks: bool) -> None:
    x, attrs = rows_of(16, 8).t(), {"qSeqLen": [3, 5], "maxSeqLen": 5}
    given_view = cannery.run(NAME, [x], attrs, quirks=quirks)[0]
    assert torch.equal(bits(given_view), bits(cannery.run(NAME, [x.contiguous()], attrs, quirks=quirks)[0]))


def test_numpy_in_and_numpy_out() -> None:
    x, out = rows_of(5, 3).numpy(), np.ones((2, 4, 3), np.float16)
    cannery.run(NAME, {"x": x}, {"q_seq_len": [1, 4], "max_seq_len": 4}, outputs=[out])
    assert out.tobytes() == Spec.golden(x, qSeqLen=[1, 4], maxSeqLen=4)[0].tobytes()


@pytest.mark.parametrize("out", [poisoned(2, 5, 8), poisoned(2, 4, 9), poisoned(8, 8), poisoned(2, 4, 8).float()])
def test_nothing_is_written_when_the_buffer_does_not_fit(out: torch.Tensor) -> None:
    before = Tensor.of(out).bytes().tobytes()
    with pytest.raises(OperatorError) as caught:
        cannery.run(NAME, [rows_of(5, 8)], {"qSeqLen": [1, 4], "maxSeqLen": 4}, outputs=[out])
    assert (caught.value.stage.letter, caught.value.parameter) == ("S", "output")
    assert Tensor.of(out).bytes() == before


def test_an_output_that_shares_memory_with_x_is_refused_before_anything_is_written() -> None:
    out = poisoned(2, 4, 8)
    with pytest.raises(OperatorError, match="output: found memory that x occupies"):
        cannery.run(NAME, [out[0]], {"qSeqLen": [1, 3], "maxSeqLen": 4}, outputs=[out])
    assert (bits(out) == POISON).all()


@pytest.mark.parametrize(("quirks", "stage"), [(False, "S"), (True, "E")])
def test_a_hidden_size_above_4096_writes_nothing(quirks: bool, stage: str) -> None:
    out = poisoned(1, 2, 4097)
    with pytest.raises(OperatorError) as caught:
        cannery.run(NAME, [rows_of(1, 4097)], {"qSeqLen": [1], "maxSeqLen": 2}, outputs=[out], quirks=quirks)
    assert (caught.value.stage.letter, caught.value.code.name) == (stage, "ERROR_INVALID_PARAM")
    assert (bits(out) == POISON).all()


def test_with_quirks_a_truncated_hidden_size_passes_and_moves_its_lower_32_bits() -> None:
    hidden = 2**32 + 128
    try:
        x, out = (torch.from_numpy(np.zeros((1, hidden), np.float16)) for _ in range(2))
    except MemoryError:
        pytest.skip("needs 17 GB of address space")
    x[0, :130] = 3
    attrs = {"qSeqLen": [1], "maxSeqLen": 1}
    with pytest.raises(OperatorError, match="hiddenSize: found 4294967424"):
        cannery.run(NAME, [x], attrs, outputs=[out[None]])
    cannery.run(NAME, [x], attrs, outputs=[out[None]], quirks=True)
    assert out[0, 126:130].tolist() == [3, 3, 0, 0]


def test_each_quirk_has_a_name() -> None:
    definition = find_operator(NAME).definition
    names = ["padding_unwritten", "wide_hidden_fails_at_launch", "hidden_size_truncated"]
    assert [quirk.name for quirk in definition.quirks] == names


def test_lengths_are_not_rounded_up_to_16() -> None:
    out = cannery.run(NAME, [torch.ones(3, 2).half()], {"qSeqLen": [1, 2], "maxSeqLen": 32})[0]
    assert out[..., 0].sum(1).tolist() == [1, 2]
