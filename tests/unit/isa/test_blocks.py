"""Blocks and packing: gatherb, 5HD, images, interpolation, gather_mask, scatter; against NumPy."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cannery import asc
from cannery.watch import session

from .computing import compute

DTYPES = {1: np.uint8, 2: np.float16, 4: np.float32}


def on_950(call: Any, out: Any, *inputs: Any) -> Any:
    with session(soc="Ascend950PR_9589"):
        return compute(call, out, *inputs)


@given(st.lists(st.integers(0, 15), min_size=16, max_size=16), st.sampled_from([np.uint16, np.uint32]))
def test_gatherb_takes_blocks(order: list[int], dtype: Any) -> None:
    blocks = np.arange(16 * 32 // np.dtype(dtype).itemsize, dtype=dtype).reshape(16, -1)
    offsets = np.array(order, np.uint32) * 32
    params = asc.GatherRepeatParams(0, 8)  # a stride of 0 is one of 1
    out = np.zeros(blocks.size, dtype)
    got = compute(lambda dst, src, at: asc.gatherb(dst, src, at, 2, params), out, blocks, offsets)
    np.testing.assert_array_equal(got.reshape(16, -1), blocks[order])


def turned(blocks: Any, size: int) -> Any:
    """16 blocks as a matrix, transposed; 32-bit columns fill two blocks, bytes half a block."""
    return np.ascontiguousarray(blocks.T).reshape(16, -1)


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("repeats", [1, 3])
def test_five_dims_transposes_lists_of_blocks(size: int, repeats: int) -> None:
    dtype, width = DTYPES[size], 32 // size
    x = np.random.default_rng(size).normal(0, 9, (repeats, 16, width)).astype(dtype)
    step = 16 if repeats > 1 else 0

    def call(dst: Any, src: Any) -> None:
        to, origin = ([tensor[width * at :] for at in range(16)] for tensor in (dst, src))
        asc.trans_data_to_5hd(to, origin, asc.TransDataTo5HDParams(False, False, repeats, step, step))

    got = compute(call, np.zeros_like(x), x)
    np.testing.assert_array_equal(got, np.stack([turned(one, size) for one in x]).reshape(-1))


@pytest.mark.parametrize("high", [False, True])
def test_five_dims_of_bytes_fills_half_of_a_block(high: bool) -> None:
    x = np.random.default_rng(1).integers(0, 255, (16, 32), np.uint8)

    def call(dst: Any, src: Any) -> None:
        asc.duplicate(dst.reinterpret_cast(asc.uint16), 0, 256)
        to, origin = ([tensor[32 * at :] for at in range(16)] for tensor in (dst, src))
        asc.trans_data_to_5hd(to, origin, asc.TransDataTo5HDParams(high, not high, 1, 0, 0))

    got = compute(call, np.zeros((16, 32), np.uint8), x).reshape(16, 32)
    into, out_of = (slice(16, 32), slice(0, 16)) if high else (slice(0, 16), slice(16, 32))
    np.testing.assert_array_equal(got[:, into], x[:, out_of].T)
    assert not got[:, out_of].any()


def test_five_dims_by_address_and_one_repeat_behind_the_start() -> None:
    x = np.arange(512, dtype=np.float16).reshape(2, 16, 16)

    def call(dst: Any, src: Any) -> None:
        to, origin = ([tensor[16 * at :].get_phy_addr() for at in range(16)] for tensor in (dst, src))
        asc.trans_data_to_5hd(to, origin, asc.TransDataTo5HDParams(False, False, 1, 0, 16))

    np.testing.assert_array_equal(compute(call, np.zeros((16, 16), np.float16), x), x[1].T.reshape(-1))
    with pytest.raises(ValueError, match="dst_list: found address 7, expected one that get_phy_addr has given"):
        compute(lambda d, s: asc.trans_data_to_5hd([7] * 16, [7] * 16, asc.TransDataTo5HDParams()), x, x)
    with pytest.raises(ValueError, match="dst_list: found 3 entries, expected 16"):
        compute(lambda d, s: asc.trans_data_to_5hd([d] * 3, [s] * 16, asc.TransDataTo5HDParams()), x, x)


@given(st.integers(1, 3), st.integers(1, 5), st.sampled_from([np.float16, np.float32, np.int8]), st.booleans())
def test_images(n: int, c: int, dtype: Any, back: bool) -> None:
    h, w = 4, 8
    x = np.random.default_rng(c).integers(-9, 9, (n, h, w, c) if back else (n, c, h, w)).astype(dtype)
    kind = asc.TransposeType.TRANSPOSE_NHWC2NCHW if back else asc.TransposeType.TRANSPOSE_NCHW2NHWC
    params = asc.TransposeParamsExt(n, c, h, w, kind)
    got = compute(
        lambda dst, src, tmp: asc.transpose(dst, src, tmp, params), np.zeros(x.size, dtype), x, np.zeros(1, np.uint8)
    )
    expected = x.transpose(0, 3, 1, 2) if back else x.transpose(0, 2, 3, 1)
    np.testing.assert_array_equal(got, expected.reshape(-1))


def test_kinds_of_transposition() -> None:
    x = np.arange(256, dtype=np.uint16).reshape(16, 16)
    kinds = asc.TransposeType
    tile = asc.TransposeParamsExt(transpose_type=kinds.TRANSPOSE_ND2ND_B16)
    got = compute(lambda d, s, t: asc.transpose(d, s, t, tile), np.zeros_like(x), x, np.zeros(1, np.uint8))
    np.testing.assert_array_equal(got, x.T.reshape(-1))
    other = asc.TransposeParamsExt(1, 1, 4, 4, kinds.TRANSPOSE_ND2ND_ONLY)
    with pytest.raises(NotImplementedError, match="transpose: Ascend910B1 has no TRANSPOSE_ND2ND_ONLY"):
        compute(lambda d, s, t: asc.transpose(d, s, t, other), x, x, x)
    crooked = asc.TransposeParamsExt(1, 1, 3, 3, kinds.TRANSPOSE_NCHW2NHWC)
    with pytest.raises(ValueError, match="found 9 uint16, expected whole blocks"):
        compute(lambda d, s, t: asc.transpose(d, s, t, crooked), x, x, x)


@given(st.integers(1, 3), st.integers(1, 3), st.booleans(), st.integers(1, 128))
def test_bilinear_interpolation(h: int, v: int, by_block: bool, mask: int) -> None:
    rng = np.random.default_rng(h * v)
    count = h * v
    x = rng.normal(0, 3, (count * 8, 16)).astype(np.float16)
    order = rng.permutation(count * 8)
    weights = rng.normal(0, 2, count * (8 if by_block else 1)).astype(np.float16)

    def call(dst: Any, src: Any, at: Any, weight: Any, tmp: Any) -> None:
        asc.duplicate(dst, 0.0, 128 * v)
        asc.bilinear_interpolation(dst, src, at, weight, mask, h, by_block, 1, 128, v, tmp)

    with session(soc="Ascend950PR_9589"):  # which needs no temporary buffer
        got = compute(
            call, np.zeros((v, 128), np.float16), x, order.astype(np.uint32) * 32, weights, np.zeros(1, np.uint8)
        )
    terms = x[order].reshape(v, h, 8, 16) * weights.reshape(v, h, -1, 1)
    total = terms[:, 0]
    for column in range(1, h):
        total = total + terms[:, column]
    expected = np.where(np.arange(128) < mask, total.reshape(v, 128), np.float16(0))
    np.testing.assert_array_equal(got, expected.reshape(-1))


def packed(call: Any, out: Any, *inputs: Any, later: bool = False) -> tuple[Any, list[int]]:
    counts: list[int] = []

    def counting(*tensors: Any) -> None:
        counts.append(int(call(*tensors)))
        counts.append(int(asc.get_gather_mask_remain_count()))

    return (on_950 if later else compute)(counting, out, *inputs), counts


@pytest.mark.parametrize("pattern", range(1, 8))
@pytest.mark.parametrize("dtype", [np.float16, np.int32])
def test_gather_mask_by_number(pattern: int, dtype: Any) -> None:
    lanes = 256 // np.dtype(dtype).itemsize
    x = np.arange(2 * lanes, dtype=dtype)
    params = asc.GatherMaskParams(1, 2, 8, 0)
    out, counts = packed(lambda d, s: asc.gather_mask(d, s, pattern, False, 0, params), np.zeros_like(x), x)
    lane = np.arange(2 * lanes)
    kept = {1: lane % 2 == 0, 2: lane % 2 == 1, 7: lane >= 0}.get(pattern, lane % 4 == pattern - 3)
    assert counts == [kept.sum()] * 2
    np.testing.assert_array_equal(out[: counts[0]], x[kept])


@given(st.integers(1, 64), st.lists(st.integers(0, 2**32 - 1), min_size=4, max_size=4), st.booleans())
def test_gather_mask_by_bits(elements: int, words: list[int], again: bool) -> None:
    x, bits = np.arange(256, dtype=np.float32), np.array(words * 8, np.uint32)
    step = 0 if again else 1  # one block of the pattern a repeat
    params = asc.GatherMaskParams(1, 3, 8, step)
    out, counts = packed(lambda d, s, b: asc.gather_mask(d, s, b, True, elements, params), np.zeros_like(x), x, bits)
    kept = []
    for repeat in range(3):
        string = np.unpackbits(bits[repeat * step * 8 :].view(np.uint8), bitorder="little")[:elements]
        kept.append(x[repeat * 64 : repeat * 64 + elements][string == 1])
    np.testing.assert_array_equal(out[: counts[0]], np.concatenate(kept))
    assert counts[0] == sum(map(len, kept))


def test_gather_mask_leaves_normal_mode_and_refuses() -> None:
    x = np.arange(128, dtype=np.float16)
    params = asc.GatherMaskParams(1, 1, 8, 0)

    def call(dst: Any, src: Any) -> int:
        asc.set_mask_count()
        return int(asc.gather_mask(dst, src, 1, False, 0, params))

    def then(dst: Any, src: Any) -> None:
        call(dst, src)
        asc.adds(dst, src, 1.0, 128, 1, asc.UnaryRepeatParams())

    np.testing.assert_array_equal(compute(then, np.zeros_like(x), x), x + np.float16(1))
    with pytest.raises(ValueError, match="gather_mask: src1_pattern: found 8, expected 1 to 7"):
        compute(lambda d, s: asc.gather_mask(d, s, 8, False, 0, params), x, x)
    with pytest.raises(TypeError, match="gather_mask: found"):
        compute(lambda d, s, b: asc.gather_mask(d, s, b, False, 0, params), x, x, np.zeros(64, np.uint32))


@given(st.permutations(range(64)), st.sampled_from([np.float16, np.int32, np.uint8]))
def test_scatter(order: list[int], dtype: Any) -> None:
    x = np.arange(64, dtype=dtype)
    size = x.itemsize
    offsets = np.array(order, np.uint32) * size

    def call(dst: Any, src: Any, at: Any) -> None:
        asc.scatter(dst, src, at, 32, 64)

    got = on_950(call, np.zeros(64 + 32 // size, dtype), x, offsets)[32 // size :]
    expected = np.empty_like(x)
    expected[order] = x
    np.testing.assert_array_equal(got, expected)


def test_scatter_with_a_mask_and_where_it_is_not() -> None:
    x = np.arange(128, dtype=np.float32)
    offsets = np.arange(60, dtype=np.uint32)[::-1].copy() * 4
    got = on_950(lambda d, s, at: asc.scatter(d, s, at, 0, 30, 2, 8), np.zeros(60, np.float32), x, offsets)
    np.testing.assert_array_equal(got, np.concatenate([x[:30], x[64:94]])[::-1])
    with pytest.raises(NotImplementedError, match="scatter: Ascend910B1 has no such instruction"):
        compute(lambda d, s, at: asc.scatter(d, s, at, 0, 60), x, x, offsets)
