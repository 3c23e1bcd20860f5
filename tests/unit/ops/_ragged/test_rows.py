"""Row moves: every dtype, stride pattern and way of moving gives the bytes that a plain loop gives."""

import math
import mmap
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cannery.ops._ragged import memory, pack_rows, put_rows, rows, spread_rows, take_rows

DTYPES = [
    *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.float8_e4m3fn, torch.float8_e5m2),
    *(torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32, torch.uint64),
    *(torch.bool, torch.complex64, torch.complex128),
]
LAYOUTS = {
    "contiguous": lambda make, b, s, inner: make(b, s, *inner),
    "transposed": lambda make, b, s, inner: make(s, b, *inner).transpose(0, 1),
    "expanded": lambda make, b, s, inner: make(1, s, *inner).expand(b, s, *inner),
    "tail of a longer batch": lambda make, b, s, inner: make(b, s + 1, *inner)[:, 1:],
    "every other element": lambda make, b, s, inner: make(b, s, *inner, 2)[..., 0],
}


def random_bytes(*shape, dtype):
    """Any bit pattern the dtype has, NaN payloads included."""
    raw = torch.randint(0, 256, (math.prod(shape) * dtype.itemsize,), dtype=torch.uint8)
    return (raw & 1 if dtype == torch.bool else raw).view(dtype).reshape(shape)


def bytes_of(tensor):
    flat = torch.empty(tensor.numel(), dtype=tensor.dtype).copy_(tensor.reshape(-1))
    return flat.view(torch.uint8).tolist() if tensor.numel() else []


def packed_by_loop(x, lengths):
    return [byte for i, length in enumerate(lengths) for byte in bytes_of(x[i, :length])]


def positions(lengths, max_len):
    return torch.tensor([i * max_len + t for i, n in enumerate(lengths) for t in range(n)], dtype=torch.int64)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("inner", [(), (1,), (7,), (16,), (2, 3), (160,), (0,)], ids=str)
def test_packing_and_spreading_move_every_byte(dtype, layout, inner):
    lengths, max_len = [3, 0, 5, 1], 5
    x = LAYOUTS[layout](lambda *shape: random_bytes(*shape, dtype=dtype), 4, max_len, inner)
    packed = pack_rows(x, lengths)
    assert packed.shape == (9, *inner)
    assert bytes_of(packed) == packed_by_loop(x, lengths)
    padded = spread_rows(packed, lengths, max_len)
    assert bytes_of(pack_rows(padded, lengths)) == bytes_of(packed)
    assert not any(byte for i, n in enumerate(lengths) for byte in bytes_of(padded[i, n:]))
    assert bytes_of(take_rows(x, positions(lengths, max_len))) == bytes_of(packed)
    assert bytes_of(put_rows(packed, positions(lengths, max_len), 4, max_len)) == bytes_of(padded)


@given(st.data())
def test_all_ways_of_moving_agree(data):
    lengths = data.draw(st.lists(st.integers(0, 6), max_size=5))
    inner = data.draw(st.sampled_from([(), (5,), (8,), (128,)]))
    x = random_bytes(len(lengths), 6, *inner, dtype=torch.float16)
    results = set()
    for segment_bytes, row_bytes, block in [(0, 1 << 60, 9), (1 << 60, 0, 9), (1 << 60, 0, 1 << 18)]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rows, "_SEGMENT_BYTES", segment_bytes)
            patch.setattr(rows, "_INDEXED_ROW_BYTES", row_bytes)
            patch.setattr(rows, "_BLOCK_ROWS", block)
            packed = pack_rows(x, lengths)
            padded = spread_rows(packed, lengths, 7, 1.5)
        results.add((tuple(bytes_of(packed)), tuple(bytes_of(padded))))
    assert len(results) == 1
    assert list(next(iter(results))[0]) == packed_by_loop(x, lengths)


@pytest.mark.parametrize("width", [3, 256])
def test_without_a_value_the_padding_stays_as_it_was(width):
    out = torch.full((2, 4, width), math.nan)
    spread_rows(torch.ones(4, width), [1, 3], 4, None, out)
    assert out.isnan().sum() == 4 * width
    assert (out[0, :1] == 1).all()
    assert (out[1, :3] == 1).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_thread_count_does_not_change_a_byte(threads):
    x, lengths = random_bytes(8, 64, 512, dtype=torch.float16), [64, 1, 0, 33, 7, 64, 20, 5]
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        assert bytes_of(pack_rows(x, lengths)) == packed_by_loop(x, lengths)
    finally:
        torch.set_num_threads(before)


def test_conjugated_views_are_resolved():
    x = torch.randn(2, 3, 32, dtype=torch.complex64)
    assert torch.equal(pack_rows(x.conj(), [1, 3]), pack_rows(x, [1, 3]).conj())


def test_large_results_are_ordinary_tensors():
    packed = pack_rows(torch.ones(2, 1024, 1024), [1000, 900])
    padded = spread_rows(packed, [1000, 900], 1024)
    assert min(packed.nbytes, padded.nbytes) > memory.LARGE_BYTES
    assert bool((packed == 1).all())
    assert padded.sum() == 1900 * 1024
    padded += 1
    assert padded.sum() == (1900 + 2048) * 1024
    assert packed.resize_(2000, 1024).shape == (2000, 1024)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")
def test_the_padding_of_a_large_batch_has_no_memory_behind_it():
    before = resident()
    padded = spread_rows(torch.ones(16, 1024), [16], 1 << 18)
    assert padded.nbytes == 1 << 30
    assert resident() - before < 64 << 20
    assert padded[0, 15:17, 0].tolist() == [1, 0]


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE


@pytest.mark.parametrize("value", [0, 0.0, -0.0, False])
def test_every_zero_keeps_its_sign(value):
    padded = spread_rows(torch.ones(2, 3), [2], 4, value)
    assert bytes_of(padded[0, 2:]) == bytes_of(torch.full((2, 3), value, dtype=torch.float32))


@pytest.mark.parametrize("width", [32768, 32767])
def test_offsets_beyond_32_bits(width):
    x = torch.empty(3, 50_000, width, dtype=torch.uint8)  # untouched pages cost no memory
    x[2, :3] = torch.arange(3, dtype=torch.uint8)[:, None] + 7
    packed = pack_rows(x, [0, 0, 3])
    assert packed.tolist() == x[2, :3].tolist()
    out = x.new_empty(3, 50_000, width)
    spread_rows(packed, [0, 0, 3], 50_000, None, out)
    assert out[2, :3].tolist() == packed.tolist()
