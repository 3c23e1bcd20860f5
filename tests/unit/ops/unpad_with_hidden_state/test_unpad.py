"""UnpadWithHiddenState by `cannery.run`: values, buffers, views, quirks."""

import numpy as np
import pytest
import torch

import cannery
from cannery import OperatorError, find_operator
from cannery.ops.unpad_with_hidden_state.golden import UnpadWithHiddenStateSpec as Spec

NAME = "UnpadWithHiddenState"


def batch(samples: int, limit: int, hidden: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(samples * limit * hidden)
    bits = torch.randint(-(2**15), 2**15, (samples, limit, hidden), generator=generator, dtype=torch.int16)
    return bits.view(torch.float16)


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.equal(a.contiguous().view(torch.int16), b.contiguous().view(torch.int16))


def huge(samples: int, limit: int, hidden: int) -> torch.Tensor:
    """Zero pages that are never touched; skipped where the system does not lend that much address space."""
    try:
        return torch.from_numpy(np.zeros((samples, limit, hidden), np.float16))
    except MemoryError:
        pytest.skip(f"needs {samples * limit * hidden * 2} bytes of address space")


@pytest.mark.parametrize("quirks", [False, True])
@pytest.mark.parametrize("hidden", [1, 7, 33, 128, 4096, 5120])
@pytest.mark.parametrize("lengths", [[1], [5, 5], [1, 4, 2, 3], list(range(1, 6)) * 6])
def test_every_row_arrives_bit_for_bit(lengths: list[int], hidden: int, quirks: bool) -> None:
    x = batch(len(lengths), 5, hidden)
    out = cannery.run(NAME, [x], {"qSeqLen": lengths, "maxSeqLen": 5}, quirks=quirks)[0]
    assert same(out, Spec.golden(x, qSeqLen=lengths, maxSeqLen=5)[0])


def test_the_callers_buffer_is_written_in_place_and_given_back() -> None:
    x, out = batch(2, 5, 8), torch.full((4, 8), torch.nan, dtype=torch.float16)
    result = cannery.run(NAME, [x], {"qSeqLen": [3, 1], "maxSeqLen": 5}, outputs=[out])
    assert result[0] is out
    assert same(out, torch.cat([x[0, :3], x[1, :1]]))


def test_padding_is_not_read() -> None:
    x = batch(2, 5, 8)
    before = cannery.run(NAME, [x], {"qSeqLen": [3, 1], "maxSeqLen": 5})[0]
    x[0, 3:], x[1, 1:] = torch.nan, torch.inf
    assert same(cannery.run(NAME, [x], {"qSeqLen": [3, 1], "maxSeqLen": 5})[0], before)


@pytest.mark.parametrize("quirks", [False, True])
@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.transpose(0, 1).contiguous().transpose(0, 1),
        lambda x: x.repeat(1, 1, 2)[..., ::2],
        lambda x: x.flip(2)[..., torch.arange(x.shape[2] - 1, -1, -1)],
        lambda x: torch.cat([x, x])[: len(x)],
    ],
)
def test_a_view_gives_what_its_contiguous_copy_gives(view: object, quirks: bool) -> None:
    x = view(batch(3, 5, 16))  # type: ignore[operator]
    attrs = {"qSeqLen": [2, 5, 1], "maxSeqLen": 5}
    assert same(
        cannery.run(NAME, [x], attrs, quirks=quirks)[0], cannery.run(NAME, [x.contiguous()], attrs, quirks=quirks)[0]
    )


def test_an_expanded_batch_needs_no_copy_of_itself() -> None:
    row = batch(1, 1, 4096)
    out = cannery.run(NAME, [row.expand(32, 4096, 4096)], {"qSeqLen": [1] * 32})[0]
    assert same(out, row[0].expand(32, 4096))


def test_numpy_in_and_numpy_out() -> None:
    x = batch(2, 4, 3).numpy()
    out = np.empty((5, 3), np.float16)
    result = cannery.run(NAME, {"x": x}, {"qSeqLen": np.array([1, 4]), "maxSeqLen": 4}, outputs={"output": out})
    assert result[0] is out
    assert out.tobytes() == np.concatenate([x[0, :1], x[1]]).tobytes()


@pytest.mark.parametrize(
    "out",
    [torch.zeros(4, 8).half(), torch.zeros(5, 9).half(), torch.zeros(40).half(), torch.zeros(5, 8)],
)
def test_nothing_is_written_when_the_buffer_does_not_fit(out: torch.Tensor) -> None:
    with pytest.raises(OperatorError) as caught:
        cannery.run(NAME, [torch.ones(2, 4, 8).half()], {"qSeqLen": [1, 4], "maxSeqLen": 4}, outputs=[out])
    assert (caught.value.stage.letter, caught.value.parameter) == ("S", "output")
    assert not out.any()


@pytest.mark.parametrize("quirks", [False, True])
def test_an_output_that_shares_memory_with_x_is_refused_before_anything_is_written(quirks: bool) -> None:
    memory = batch(1, 1, 64).view(-1)
    before, x, out = memory.clone(), memory[:32].view(2, 4, 4), memory[31:47].view(4, 4)
    with pytest.raises(OperatorError, match="output: found memory that x occupies") as caught:
        cannery.run(NAME, [x], {"qSeqLen": [1, 3], "maxSeqLen": 4}, outputs=[out], quirks=quirks)
    assert (caught.value.stage.letter, caught.value.code.name) == ("E", "ERROR_INVALID_PARAM")
    assert same(memory, before)


def test_x_and_output_may_be_neighbours_in_one_buffer() -> None:
    memory = batch(1, 1, 64).view(-1)
    x, out = memory[:32].view(2, 4, 4), memory[32:48].view(4, 4)
    cannery.run(NAME, [x], {"qSeqLen": [1, 3], "maxSeqLen": 4}, outputs=[out])
    assert same(out, torch.cat([x[0, :1], x[1, :3]]))


def test_offsets_between_2_to_the_31_and_2_to_the_32_elements_are_right() -> None:
    x = huge(32, 4096, 32767)
    x[31, 0, :] = batch(1, 1, 32767)[0, 0]
    out = cannery.run(NAME, [x], {"qSeqLen": [1] * 32})[0]
    assert same(out[31], x[31, 0])
    assert not out[:31].view(torch.int16).any()


def test_with_quirks_an_offset_beyond_uint32_reads_the_wrong_row() -> None:
    hidden = 33840
    x = huge(32, 4096, hidden)
    wrapped = 31 * 4096 * hidden - 2**32
    x[31, 0, :] = 1
    x.view(-1)[wrapped : wrapped + hidden] = batch(1, 1, hidden)[0, 0]
    with pytest.raises(OperatorError, match="inputOffset"):
        cannery.run(NAME, [x], {"qSeqLen": [1] * 32})
    out = cannery.run(NAME, [x], {"qSeqLen": [1] * 32}, quirks=True)[0]
    assert same(out[31], batch(1, 1, hidden)[0, 0])


def test_with_quirks_a_truncated_hidden_size_moves_its_lower_32_bits() -> None:
    hidden = 2**32 + 5
    x = huge(1, 1, hidden)
    x[0, 0, :8] = 3
    out = huge(1, 1, hidden)[0]
    cannery.run(NAME, [x], {"qSeqLen": [1], "maxSeqLen": 1}, outputs=[out], quirks=True)
    assert out[0, :8].tolist() == [3] * 5 + [0] * 3


def test_each_quirk_has_a_name() -> None:
    definition = find_operator(NAME).definition
    assert [quirk.name for quirk in definition.quirks] == ["offsets_wrap", "hidden_size_truncated"]


@pytest.mark.parametrize("threads", [1, 2])
def test_the_number_of_threads_does_not_show(threads: int) -> None:
    x, lengths = batch(8, 64, 512), [64, 1, 33, 17, 64, 2, 5, 40]
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        out = cannery.run(NAME, [x], {"qSeqLen": lengths, "maxSeqLen": 64})[0]
        assert same(out, Spec.golden(x, qSeqLen=lengths)[0])
    finally:
        torch.set_num_threads(before)
