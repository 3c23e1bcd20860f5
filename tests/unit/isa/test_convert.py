"""Instructions that compute and convert, and dequantisation; against NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cannery import asc
from cannery.isa.convert import Scaling
from cannery.watch import session

from .computing import compute

SHORTS = st.lists(st.integers(-(2**15), 2**15 - 1), min_size=64, max_size=64)
HALVES = st.lists(st.floats(-300, 300, width=16), min_size=64, max_size=64)


def saturated(values: Any, dtype: Any) -> Any:
    info = np.iinfo(dtype)
    return np.clip(np.rint(values.astype(np.float64)), info.min, info.max).astype(dtype)


@given(HALVES, HALVES, st.sampled_from([np.int8, np.uint8]))
def test_products_become_bytes(one: list[float], other: list[float], dtype: Any) -> None:
    a, b = (np.array(values, np.float16) / np.float16(16) for values in (one, other))
    got = compute(lambda d, x, y: asc.mul_cast(d, x, y, 64), np.zeros(64, dtype), a, b)
    np.testing.assert_array_equal(got, saturated(a * b, dtype))


@pytest.mark.parametrize("name", ["add_relu_cast", "sub_relu_cast"])
@given(one=SHORTS, other=SHORTS)
def test_sums_and_differences_become_narrower(name: str, one: list[int], other: list[int]) -> None:
    step = np.add if name == "add_relu_cast" else np.subtract
    call = getattr(asc, name)
    for source, target in ((np.float16, np.int8), (np.int16, np.int8), (np.float32, np.float16)):
        a, b = (np.array(values, np.int32) // 300 for values in (one, other))
        x, y = a.astype(source), b.astype(source)
        got = compute(lambda d, p, q: call(d, p, q, 64), np.zeros(64, target), x, y)
        exact = np.maximum(step(x, y), source(0))
        np.testing.assert_array_equal(got, saturated(exact, target) if target == np.int8 else exact.astype(target))


def test_masks_count_in_the_wider_type() -> None:
    x = np.arange(128, dtype=np.float32)

    def call(dst: Any, src: Any) -> None:
        asc.duplicate(dst, -1.0, 128)
        asc.add_relu_cast(dst, src, src, 40, 2, asc.BinaryRepeatParams(1, 1, 1, 4, 8, 8))

    got = compute(call, np.zeros(128, np.float16), x)
    kept = np.arange(128) % 64 < 40
    np.testing.assert_array_equal(got, np.where(kept, 2 * x, -1).astype(np.float16))


def test_longs_of_the_later_chip() -> None:
    x = np.array([3, -5, 2**20, 2**40] * 8, np.int64)
    with session(soc="Ascend950PR_9589"):
        got = compute(lambda d, a: asc.mul_cast(d, a, a, 32), np.zeros(32, np.float32), x)
        np.testing.assert_array_equal(got, (x * x).astype(np.float32))
        got = compute(lambda d, a: asc.add_relu_cast(d, a, a, 32), np.zeros(32, np.int32), x)
        np.testing.assert_array_equal(got, np.clip(2 * x, 0, 2**31 - 1))


@given(st.lists(st.integers(-(2**20), 2**20), min_size=64, max_size=64), st.floats(-2, 2, width=16))
def test_sums_are_dequantised(values: list[int], scale: float) -> None:
    x = np.array(values, np.int32)

    def call(dst: Any, src: Any) -> None:
        asc.set_deq_scale(scale)
        asc.add_deq_relu(dst, src, src, 64)

    with np.errstate(over="ignore"):
        exact = (2 * x.astype(np.float32) * np.float32(np.float16(scale))).astype(np.float16)
    np.testing.assert_array_equal(compute(call, np.zeros(64, np.float16), x), np.maximum(exact, np.float16(0)))


def into_halves(values: Any, last: bool) -> Any:
    """16 bytes in one half of each block of 32."""
    blocks = np.zeros((len(values) // 16, 32), values.dtype)
    blocks[:, 16 * last : 16 * last + 16] = values.reshape(-1, 16)
    return blocks.reshape(-1)


@given(SHORTS, st.floats(-4, 4, width=32), st.integers(-256, 255), st.booleans(), st.booleans())
def test_shorts_become_bytes_in_half_a_block(
    values: list[int], scale: float, offset: int, signed: bool, last: bool
) -> None:
    x = np.array(values, np.int16) // 100
    dtype = np.int8 if signed else np.uint8

    def call(dst: Any, src: Any) -> None:
        asc.duplicate(dst.reinterpret_cast(asc.int16), 0, 64)
        asc.set_deq_scale(scale, offset, signed)
        asc.cast_deq(dst, src, 64, False, last)

    kept = (np.array([scale], np.float32).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)[0]
    exact = x.astype(np.float32) * kept + np.float32(offset)
    np.testing.assert_array_equal(compute(call, np.zeros(128, dtype), x), into_halves(saturated(exact, dtype), last))


def test_each_lane_has_a_scaling_of_its_own() -> None:
    x = np.arange(64, dtype=np.int16)
    scales, offsets = [float(2**-place) for place in range(16)], list(range(-8, 8))

    def call(dst: Any, src: Any, words: Any) -> None:
        asc.duplicate(dst.reinterpret_cast(asc.int16), 0, 64)
        asc.set_deq_scale(words, asc.VdeqInfo(scales, offsets, [True] * 16))
        asc.cast_deq(dst, src, 128, 1, asc.UnaryRepeatParams())

    lane = np.arange(128) % 16
    exact = np.arange(128) * np.array(scales)[lane] + np.array(offsets)[lane]
    got = compute(call, np.zeros(128, np.int8), x, np.zeros(16, np.uint64))
    np.testing.assert_array_equal(got[:128], into_halves(saturated(exact[:64], np.int8), last=True))


def test_words_of_the_scale_register() -> None:
    assert Scaling(1.0, -1, True).word() == 0x3F800000 | 0x1FF << 37 | 1 << 46
    assert Scaling(0.5, 3, False).word() == 0x3F000000 | 3 << 37


def after(scaling: tuple[float, int, bool], *flags: bool) -> Callable[..., None]:
    def call(dst: Any, src: Any) -> None:
        asc.set_deq_scale(*scaling)
        asc.cast_deq(dst, src, 32, *flags)

    return call


REFUSED: dict[str, tuple[Callable[..., Any], type[Exception], str]] = {
    "no scaling": (
        lambda d, s: asc.cast_deq(d, s, 32), ValueError, r"is_vec_deq: found True, expected set_deq_scale\(vdeq, Vdeq"
    ),
    "none of the kind": (
        after((1.0, 0, True)), ValueError, "is_vec_deq: found True",
    ),
    "another sign": (
        after((1.0, 0, False), False), TypeError,
        "dst: found int8, expected uint8 for sign_mode False",
    ),
    "no form": (lambda d, s: asc.set_deq_scale(1.0, offset=2), TypeError, "set_deq_scale: found float, offset"),
    "no words": (
        lambda d, s: asc.set_deq_scale(s, asc.VdeqInfo([1.0] * 16, [0] * 16, [True] * 16)), TypeError,
        "vdeq: found int16, expected uint64",
    ),
    "fifteen": (lambda d, s: asc.VdeqInfo([1.0] * 15, [0] * 16, [True] * 16), ValueError, "scale: found 15 values"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str) -> None:
    call, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        compute(call, np.zeros(64, np.int8), np.zeros(32, np.int16))


def test_selects_by_the_compare_mask_register() -> None:
    x, y = np.arange(128, dtype=np.float32), np.full(128, 40, np.float32)

    def call(dst: Any, a: Any, b: Any) -> None:
        asc.compare(a, b, asc.CMPMODE.LT, 64, asc.BinaryRepeatParams())
        asc.set_vector_mask(0, 2**64 - 1)
        asc.select(dst, a, b, 2, asc.BinaryRepeatParams(), asc.SelMode.VSEL_CMPMASK_SPR)

    bits = np.arange(128) % 64 < 40
    np.testing.assert_array_equal(compute(call, np.zeros_like(x), x, y), np.where(bits, x, y))
    with pytest.raises(NotImplementedError, match="select with the compare mask register"):
        compute(lambda d, a, b: asc.select(d, a, b, 2, asc.BinaryRepeatParams()), x, x, y)
