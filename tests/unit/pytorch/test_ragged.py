"""unpad and pad as functions for model code: values, empty batches, dtypes, views, gradients, memory."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck

import cannery
from cannery.pytorch.ragged import (
    index_first_axis,
    pad,
    pad_input,
    unpad,
    unpad_input,
    unpad_input_for_concatenated_sequences,
)

MASK_WITH_HOLES = torch.tensor([[1, 1, 0, 0, 0], [0, 0, 0, 1, 1], [1, 0, 1, 0, 1]])


@pytest.fixture
def x():
    return torch.randn(3, 5, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def rows_by_loop(x, lengths):
    return torch.cat([sample[:length] for sample, length in zip(x, lengths, strict=True)])


def test_rows_offsets_and_longest(x):
    rows, cu_seqlens, max_len = unpad(x, [2, 0, 5])
    assert torch.equal(rows, rows_by_loop(x, [2, 0, 5]))
    assert cu_seqlens.dtype == torch.int32
    assert cu_seqlens.tolist() == [0, 2, 2, 7]
    assert max_len == 5
    assert isinstance(max_len, int)


def test_the_package_offers_both():
    assert cannery.unpad is unpad
    assert cannery.pad is pad


@pytest.mark.parametrize("value", [0, 3.5, float("nan"), float("-inf"), True])
def test_padding_is_the_value_asked_for_even_in_poisoned_memory(value):
    rows = torch.arange(8.0).reshape(4, 2)
    out = torch.full((2, 4, 2), float("nan"))
    assert pad(rows, [1, 3], max_len=4, value=value, out=out) is out
    want = torch.full((2, 4, 2), float(value))
    want[0, :1], want[1, :3] = rows[:1], rows[1:]
    torch.testing.assert_close(out, want, rtol=0, atol=0, equal_nan=True)
    torch.testing.assert_close(pad(rows, [1, 3], max_len=4, value=value), want, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize(
    ("lengths", "max_len", "offsets", "longest"),
    [([0, 3, 0], 3, [0, 0, 3, 3], 3), ([], 4, [0], 0), ([0, 0], 4, [0, 0, 0], 0), ([0], 0, [0, 0], 0)],
)
def test_empty_samples_and_empty_batches(lengths, max_len, offsets, longest):
    x = torch.randn(len(lengths), max_len, 6, dtype=torch.float64, requires_grad=True)
    rows, cu_seqlens, found = unpad(x, lengths)
    assert rows.shape == (sum(lengths), 6)
    assert cu_seqlens.tolist() == offsets
    assert found == longest
    back = pad(rows, lengths, max_len=max_len)
    there = torch.arange(max_len) < torch.tensor(lengths, dtype=torch.int64)[:, None]
    assert torch.equal(back, torch.where(there[..., None], x, 0.0))
    back.sum().backward()
    assert x.grad is not None
    assert torch.equal(x.grad, there[..., None].expand_as(x).double())


INTEGERS = [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32, torch.uint64]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_lengths_in_any_integer_dtype(x, dtype):
    rows, cu_seqlens, max_len = unpad(x, torch.tensor([2, 0, 5], dtype=dtype))
    assert torch.equal(rows, rows_by_loop(x, [2, 0, 5]))
    assert cu_seqlens.dtype == torch.int32
    assert (cu_seqlens.tolist(), max_len) == ([0, 2, 2, 7], 5)
    assert torch.equal(unpad(x, cu_seqlens=cu_seqlens.to(dtype))[0], rows)


@pytest.mark.parametrize(
    "lengths",
    [[2, 0, 5], (2, 0, 5), np.array([2, 0, 5]), np.array([5, 0, 2], dtype=np.uint8)[::-1], list(np.array([2, 0, 5]))],
    ids=["list", "tuple", "array", "reversed array", "list of numpy integers"],
)
def test_lengths_in_any_container(x, lengths):
    assert torch.equal(unpad(x, lengths)[0], rows_by_loop(x, [2, 0, 5]))


def test_offsets_say_the_same_as_lengths(x):
    for offsets in ([0, 2, 2, 7], torch.tensor([0, 2, 2, 7]), np.array([0, 2, 2, 7])):
        rows, cu_seqlens, max_len = unpad(x, cu_seqlens=offsets)
        assert torch.equal(rows, rows_by_loop(x, [2, 0, 5]))
        assert (cu_seqlens.tolist(), max_len) == ([0, 2, 2, 7], 5)
        assert torch.equal(pad(rows, cu_seqlens=offsets, max_len=5), pad(rows, [2, 0, 5], max_len=5))


def test_a_given_upper_bound_is_returned_as_it_is(x):
    assert unpad(x, torch.tensor([1, 2, 3]), max_len=4)[2] == 4
    assert unpad(x, [1, 2, 3], max_len=128)[2] == 128


def test_numpy_scalars_are_numbers(x):
    lengths = np.array([2, 0, 5], np.int32)
    rows, _, longest = unpad(x, lengths, max_len=lengths.max())
    assert type(longest) is int
    assert (pad(rows, lengths, max_len=lengths.max(), value=np.float32(2.5))[1] == 2.5).all()


@pytest.mark.parametrize("inner", [(), (3,), (2, 4), (2, 1, 3)], ids=str)
def test_rows_of_any_rank(inner):
    x = torch.randint(0, 100, (2, 3, *inner))
    rows, *_ = unpad(x, [1, 3])
    assert rows.shape == (4, *inner)
    assert torch.equal(pad(rows, [1, 3], max_len=3)[1], x[1])


def test_views_give_what_their_contiguous_copies_give():
    base = torch.randn(4, 6, 8, dtype=torch.float64)
    views = [base.transpose(0, 1), base.transpose(1, 2), base[:, ::2], base[..., 1::3], base[:1].expand(3, 6, 8)]
    for view in views:
        lengths = [(i * 2) % (view.shape[1] + 1) for i in range(view.shape[0])]
        rows, *_ = unpad(view, lengths)
        assert torch.equal(rows, unpad(view.contiguous(), lengths)[0])
        flipped = rows.flip(0).t().contiguous().t()
        assert torch.equal(
            pad(flipped, lengths, max_len=view.shape[1]), pad(flipped.contiguous(), lengths, max_len=view.shape[1])
        )


def test_a_mask_may_have_its_ones_anywhere(x):
    rows, cu_seqlens, max_len = unpad(x, mask=MASK_WITH_HOLES)
    assert torch.equal(rows, x[MASK_WITH_HOLES.bool()])
    assert (cu_seqlens.tolist(), max_len) == ([0, 2, 4, 7], 3)
    for mask in (MASK_WITH_HOLES.bool(), MASK_WITH_HOLES.float(), MASK_WITH_HOLES.to(torch.uint8)):
        assert torch.equal(unpad(x, mask=mask)[0], rows)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.int8, torch.bool, torch.float8_e4m3fn])
@pytest.mark.parametrize("value", [0, 1, -0.0])
@pytest.mark.parametrize("width", [1, 3, 64])
def test_pad_by_a_mask_puts_rows_back_where_they_were(dtype, value, width):
    if value and dtype in (torch.int8, torch.bool) and value != 1:
        value = 0
    x = torch.randint(0, 2, (3, 5, width)).to(dtype)
    there = MASK_WITH_HOLES.bool()
    expected = torch.full((3, 5, width), value, dtype=dtype)
    expected[there] = x[there]
    rows = unpad(x, mask=MASK_WITH_HOLES)[0]
    assert torch.equal(pad(rows, mask=MASK_WITH_HOLES, value=value).view(torch.uint8), expected.view(torch.uint8))
    out = torch.ones(3, 5, width).to(dtype)
    assert pad(rows, mask=there, max_len=5, value=value, out=out) is out
    assert torch.equal(out.view(torch.uint8), expected.view(torch.uint8))


def test_left_padded_rows_come_back_to_the_right():
    mask = torch.tensor([[0, 0, 1], [0, 1, 1]])
    x = torch.tensor([[9.0, 9, 1], [9, 2, 3]])
    assert pad(unpad(x, mask=mask)[0], mask=mask).tolist() == [[0, 0, 1], [0, 2, 3]]


def test_concatenated_sequences_are_packed_one_by_one(x):
    lengths = torch.tensor([[2, 3, 0, 0, 0], [0, 0, 0, 0, 0], [1, 1, 1, 0, 0]])
    rows, indices, cu_seqlens, longest = unpad_input_for_concatenated_sequences(x, lengths)
    assert torch.equal(rows, torch.cat([x[0], x[2, :3]]))
    assert indices.tolist() == [0, 1, 2, 3, 4, 10, 11, 12]
    assert (cu_seqlens.tolist(), cu_seqlens.dtype, longest) == ([0, 2, 5, 6, 7, 8], torch.int32, 3)
    assert torch.equal(index_first_axis(x.flatten(0, 1), indices), rows)


def test_flash_attentions_five_results(x):
    unused = torch.tensor([[0, 0, 1, 0, 0], [0, 0, 0, 0, 0], [0, 1, 0, 0, 0]])
    hidden, indices, cu_seqlens, max_seqlen, used = unpad_input(x, MASK_WITH_HOLES, unused)
    everything = (MASK_WITH_HOLES + unused).bool()
    assert torch.equal(hidden, x[everything])
    assert torch.equal(indices, everything.flatten().nonzero().flatten())
    assert (cu_seqlens.tolist(), cu_seqlens.dtype) == ([0, 3, 5, 9], torch.int32)
    assert max_seqlen == 4
    assert (used.tolist(), used.dtype) == ([2, 2, 3], torch.int32)
    assert torch.equal(pad_input(hidden, indices, 3, 5), x * everything[..., None])


def test_out_is_written_and_returned(x):
    out = torch.full((7, 2), float("nan"), dtype=torch.float64)
    for lengths, cu_seqlens in (([2, 0, 5], None), (None, [0, 2, 2, 7])):
        assert unpad(x, lengths, cu_seqlens=cu_seqlens, out=out.fill_(float("nan")))[0] is out
        assert torch.equal(out, rows_by_loop(x, [2, 0, 5]))
    assert unpad(x, mask=MASK_WITH_HOLES, out=out)[0] is out
    assert torch.equal(out, x[MASK_WITH_HOLES.bool()])


def test_inputs_keep_their_bytes(x):
    before, lengths = x.clone(), torch.tensor([2, 0, 5])
    unpad(x, lengths)
    assert torch.equal(x, before)
    assert lengths.tolist() == [2, 0, 5]


def test_shapes_without_data_on_the_meta_device():
    rows, cu_seqlens, max_len = unpad(torch.empty(3, 5, 2, device="meta"), [2, 0, 5])
    assert (rows.shape, rows.device.type, cu_seqlens.shape, max_len) == ((7, 2), "meta", (4,), 5)
    assert pad(rows, [2, 0, 5], max_len=6).shape == (3, 6, 2)


def moves():
    lengths, indices = torch.tensor([2, 0, 5]), MASK_WITH_HOLES.flatten().nonzero().flatten()
    return {
        "unpad": (lambda x: unpad(x, lengths)[0], (3, 5, 2)),
        "unpad by mask": (lambda x: unpad(x, mask=MASK_WITH_HOLES)[0], (3, 5, 2)),
        "unpad a transposed view": (lambda x: unpad(x.transpose(0, 1), lengths)[0], (5, 3, 2)),
        "unpad an expanded view": (lambda x: unpad(x.expand(3, 5, 2), lengths)[0], (1, 5, 2)),
        "pad": (lambda rows: pad(rows, lengths, max_len=6, value=3.5), (7, 2)),
        "pad by mask": (lambda rows: pad(rows, mask=MASK_WITH_HOLES, value=3.5), (7, 2)),
        "pad_input": (lambda rows: pad_input(rows, indices, 3, 5), (7, 2)),
        "index_first_axis": (lambda x: index_first_axis(x, indices), (15, 2)),
    }


@pytest.mark.parametrize("name", moves())
def test_first_and_second_gradients_match_finite_differences(name):
    move, shape = moves()[name]
    at = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    assert gradcheck(move, at, check_batched_grad=True)
    assert gradgradcheck(lambda a: move(a) ** 2, at)


@pytest.mark.parametrize("width", [3, 256])
def test_each_is_the_others_adjoint(width):
    x, lengths = torch.randn(3, 5, width, requires_grad=True), torch.tensor([2, 0, 5])
    rows = unpad(x, lengths)[0]
    upstream = torch.randn_like(rows)
    (gradient,) = torch.autograd.grad(rows, x, upstream)
    assert torch.equal(gradient, pad(upstream, lengths, max_len=5))
    assert bool((gradient[0, 2:] == 0).all())
    rows = rows.detach().requires_grad_()
    upstream = torch.randn(3, 7, width)
    (gradient,) = torch.autograd.grad(pad(rows, lengths, max_len=7, value=9), rows, upstream)
    assert torch.equal(gradient, unpad(upstream, lengths)[0])


@pytest.mark.parametrize("width", [3, 256])
def test_each_is_the_others_adjoint_by_a_mask_too(width):
    x = torch.randn(3, 5, width, requires_grad=True)
    rows = unpad(x, mask=MASK_WITH_HOLES)[0]
    upstream = torch.randn_like(rows)
    (gradient,) = torch.autograd.grad(rows, x, upstream)
    assert torch.equal(gradient, pad(upstream, mask=MASK_WITH_HOLES))
    rows = rows.detach().requires_grad_()
    upstream = torch.randn(3, 5, width)
    (gradient,) = torch.autograd.grad(pad(rows, mask=MASK_WITH_HOLES, value=9), rows, upstream)
    assert torch.equal(gradient, unpad(upstream, mask=MASK_WITH_HOLES)[0])


def test_poisoned_padding_reaches_neither_rows_nor_gradient():
    x = torch.full((2, 4, 3), float("nan"))
    x[0, :1], x[1, :3] = 1.0, 2.0
    x.requires_grad_()
    rows = unpad(x, [1, 3])[0]
    (rows * rows).sum().backward()
    assert not rows.isnan().any()
    assert x.grad is not None
    assert not x.grad.isnan().any()
    assert bool((x.grad[0, 1:] == 0).all())


def test_vmap_moves_the_same_rows_of_every_element(x):
    stack, lengths = torch.stack([x, -x, 2 * x], dim=1), torch.tensor([2, 0, 5])
    moved = torch.vmap(lambda one: pad(unpad(one, lengths)[0], lengths, max_len=5), in_dims=1)(stack)
    assert torch.equal(moved, torch.stack([pad(unpad(s, lengths)[0], lengths, max_len=5) for s in (x, -x, 2 * x)]))


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("shape", [(32, 256, 1024), (32, 256, 1021), (64, 131072)], ids=str)
def test_no_temporary_the_size_of_the_input(shape):
    x, lengths = torch.ones(shape, dtype=torch.float16), torch.arange(shape[0]) * 3 % shape[1]
    rows = unpad(x, lengths)[0]
    mebibytes = x.numel() * x.element_size() / 2**20
    assert peak_growth(lambda: unpad(x, lengths, out=rows)) < mebibytes / 4
    assert peak_growth(lambda: pad(rows, lengths, max_len=shape[1], out=x)) < mebibytes / 4


def peak_growth(run):
    """MiB by which the resident set rose above where it stood, at its highest."""
    run()
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    run()
    return (status("VmHWM") - before) / 1024


def status(field):
    found = re.search(rf"{field}:\s+(\d+)", Path("/proc/self/status").read_text())
    assert found is not None, field
    return int(found.group(1))


@pytest.mark.parametrize("dtype", [torch.uint16, torch.uint32, torch.uint64, torch.float8_e8m0fnu, torch.bool])
def test_rows_that_are_not_contiguous_move_in_every_dtype(dtype: torch.dtype) -> None:
    values = torch.ones(4, 2) if dtype == torch.float8_e8m0fnu else torch.arange(1, 9).reshape(4, 2)
    rows = values.to(dtype).t().contiguous().t()
    padded = pad(rows, cu_seqlens=[0, 1, 4], max_len=3, value=1)
    packed, _, _ = unpad(padded, [1, 3])
    assert packed.contiguous().view(torch.uint8).equal(rows.contiguous().view(torch.uint8))
