"""unpad and pad stay one graph under torch.compile, and their operators pass PyTorch's own checks."""

import pytest
import torch
from torch._dynamo.testing import CompileCounterWithBackend
from torch.utils._pytree import tree_leaves

import cannery
from cannery.pytorch.ragged import pad, pad_input, unpad, unpad_input

LENGTHS = [torch.tensor(lengths) for lengths in ([1, 2, 3], [5, 5, 5], [0, 0, 0], [0, 1, 0])]
MASKS = [torch.arange(5) < lengths[:, None] for lengths in LENGTHS]


def round_trip(x, lengths):
    return pad(unpad(x, lengths)[0] * 2, lengths, max_len=x.shape[1], value=-1)


def round_trip_by_mask(x, mask):
    return pad(unpad(x, mask=mask)[0] * 2, mask=mask, value=-1)


def flash_round_trip(x, mask):
    hidden, indices, cu_seqlens, max_seqlen, used = unpad_input(x, mask)
    return pad_input(hidden + 1, indices, *x.shape[:2]), cu_seqlens, max_seqlen, used


def into_buffer(x, lengths):
    return unpad(x, lengths, out=torch.empty(6, 2))


def agree(compiled, eager):
    pairs = zip(tree_leaves(compiled), tree_leaves(eager), strict=True)
    return all(torch.equal(a, b) and a.dtype == b.dtype if isinstance(a, torch.Tensor) else a == b for a, b in pairs)


def graphs_compiled(function, calls, backend="aot_eager"):
    """How many graphs it takes to serve all calls as eagerly."""
    torch._dynamo.reset()
    counter = CompileCounterWithBackend(backend)
    compiled = torch.compile(function, fullgraph=True, backend=counter)
    for call in calls:
        assert agree(compiled(*call), function(*call))
    return counter.frame_count


@pytest.mark.parametrize(
    ("function", "changing"),
    [
        (unpad, LENGTHS),
        (cannery.unpad, LENGTHS),
        (lambda x, lengths: unpad(x, lengths, max_len=5), LENGTHS),
        (lambda x, cu: unpad(x, cu_seqlens=cu), [torch.tensor([0, 1, 2, 3]), torch.tensor([0, 0, 5, 5])]),
        (lambda x, mask: unpad(x, mask=mask), MASKS),
        (round_trip, LENGTHS),
        (round_trip_by_mask, MASKS),
        (flash_round_trip, [mask.long() for mask in MASKS]),
        (into_buffer, [torch.tensor([1, 2, 3]), torch.tensor([2, 2, 2])]),
    ],
    ids=["lengths", "package", "upper bound", "offsets", "mask", "round trip", "by mask", "flash", "buffer"],
)
def test_one_graph_serves_all_lengths(function, changing):
    x = torch.randn(3, 5, 2)
    assert graphs_compiled(function, [(x, values) for values in changing]) == 1


def test_lists_compile_with_their_numbers():
    x = torch.randn(3, 5, 2)
    assert graphs_compiled(lambda x: unpad(x, [1, 0, 3]), [(x,)]) == 1
    assert graphs_compiled(lambda x: unpad(x, cu_seqlens=[0, 1, 1, 4]), [(x,)]) == 1


@pytest.mark.parametrize("max_len", [1, 2, 1024, 16384, 65536])
def test_offsets_of_a_full_mask_survive_compilation(max_len):
    x, mask = torch.randn(1, max_len), torch.ones(1, max_len, dtype=torch.int64)
    torch._dynamo.reset()
    compiled = torch.compile(lambda x, mask: unpad(x, mask=mask), fullgraph=True, backend="aot_eager")
    result = compiled(x, mask)
    assert agree(result, unpad(x, mask=mask))
    assert result[1].tolist() == [0, max_len]


@pytest.mark.tool("g++")
def test_the_default_backend_compiles_both_directions():
    def loss(x, lengths):
        rows, _, longest = unpad(x, lengths)
        return (pad(rows * rows, lengths, max_len=7, value=1.0) ** 2).sum() + longest

    torch._dynamo.reset()
    compiled = torch.compile(loss, fullgraph=True)
    for lengths in LENGTHS:
        one, two = (torch.linspace(-1, 1, 30).reshape(3, 5, 2).requires_grad_() for _ in range(2))
        compiled(one, lengths).backward()
        loss(two, lengths).backward()
        torch.testing.assert_close(one.grad, two.grad)


def test_a_compiled_call_refuses_bad_lengths_too():
    torch._dynamo.reset()
    compiled = torch.compile(unpad, fullgraph=True, backend="aot_eager")
    compiled(torch.randn(3, 5, 2), LENGTHS[0])
    with pytest.raises(ValueError, match=r"lengths\[1\]: found 6, expected 0\.\.5"):
        compiled(torch.randn(3, 5, 2), torch.tensor([1, 6, 2]))


def operator_calls():
    ops = torch.ops.cannery
    x, rows = torch.randn(3, 5, 2, requires_grad=True), torch.randn(6, 2, requires_grad=True)
    cu_seqlens, positions = torch.tensor([0, 1, 1, 6], dtype=torch.int32), torch.tensor([0, 5, 6, 7, 8, 14])
    return {
        "ragged_layout": (ops.ragged_layout, (torch.tensor([1, 0, 5]), 5, False)),
        "ragged_layout of offsets": (ops.ragged_layout, (cu_seqlens, 5, True)),
        "ragged_mask_layout": (ops.ragged_mask_layout, (MASKS[0], 5)),
        "unpad": (ops.unpad, (x, cu_seqlens, 6)),
        "unpad_out": (ops.unpad_out, (x.detach(), cu_seqlens, torch.empty(6, 2))),
        "pad": (ops.pad, (rows, cu_seqlens, 6, 2.5)),
        "pad_out": (ops.pad_out, (rows.detach(), cu_seqlens, 6, 1, torch.empty(3, 6, 2))),
        "take_rows": (ops.take_rows, (x, positions)),
        "take_rows_out": (ops.take_rows_out, (x.detach(), positions, torch.empty(6, 2))),
        "put_rows": (ops.put_rows, (rows, positions, 3, 5)),
        "put_rows with a value": (ops.put_rows, (rows, positions, 3, 5, 2.5)),
        "put_rows_out": (ops.put_rows_out, (rows.detach(), positions, 3, 5, 1, torch.empty(3, 5, 2))),
    }


@pytest.mark.parametrize("name", operator_calls())
def test_operators_pass_opcheck(name):
    operator, arguments = operator_calls()[name]
    assert set(torch.library.opcheck(operator.default, arguments).values()) == {"SUCCESS"}
