"""Vector instructions: values, addressing, masks, rounding."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cannery import asc
from cannery.watch import session

from .computing import compute

R = asc.RoundMode


def sample(dtype: Any, size: int = 300, seed: int = 0, positive: bool = False) -> Any:
    values = np.random.default_rng(seed).normal(0, 20, size)
    return (np.abs(values) + 0.5 if positive else values).astype(dtype)


BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum, "div": np.divide,
}  # fmt: skip


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int16, np.int32])
def test_two_operands(name: str, dtype: Any) -> None:
    if name == "div" and np.dtype(dtype).kind == "i":
        pytest.skip("div has no integer form")
    a, b = sample(dtype), sample(dtype, seed=1, positive=True)
    got = compute(lambda dst, x, y: getattr(asc, name)(dst, x, y, 300), np.zeros(300, dtype), a, b)
    np.testing.assert_array_equal(got, BINARY[name](a, b))


@pytest.mark.parametrize("name", ["abs", "exp", "ln", "sqrt", "rsqrt", "reciprocal", "relu"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_one_operand(name: str, dtype: Any) -> None:
    x = np.minimum(sample(dtype, positive=True), dtype(8))
    exact: Any = {
        "abs": np.abs, "exp": np.exp, "ln": np.log, "sqrt": np.sqrt, "rsqrt": lambda v: 1 / np.sqrt(v),
        "reciprocal": lambda v: 1 / v, "relu": lambda v: np.maximum(v, 0),
    }[name]  # fmt: skip
    got = compute(lambda dst, src: getattr(asc, name)(dst, src, 300), np.zeros(300, dtype), x)
    np.testing.assert_allclose(got, exact(x.astype(np.float64)), rtol=2e-3 if dtype is np.float16 else 3e-7)


def test_scalars_take_the_tensors_type_first() -> None:
    x = sample(np.float16)
    got = compute(lambda dst, src: asc.adds(dst, src, 0.1, 300), np.zeros(300, np.float16), x)
    np.testing.assert_array_equal(got, x + np.float16(0.1))
    y = sample(np.int16)
    got = compute(lambda dst, src: asc.muls(dst, src, 3, 300), np.zeros(300, np.int16), y)
    np.testing.assert_array_equal(got, y * np.int16(3))


def test_operands_of_two_types_are_refused() -> None:
    with pytest.raises(TypeError, match="float16 and float32"):
        compute(
            lambda dst, x, y: asc.add(dst, x, y, 8), np.zeros(8, np.float16), sample(np.float16), sample(np.float32)
        )
    with pytest.raises(TypeError, match="sqrt: found int32"):
        compute(lambda dst, x: asc.sqrt(dst, x, 8), np.zeros(8, np.int32), sample(np.int32))


def test_axpy_and_fused_forms_read_the_old_destination() -> None:
    a, b, old = sample(np.float32), sample(np.float32, seed=1), sample(np.float32, seed=2)
    got = compute(lambda dst, x: asc.axpy(dst, x, 2.0, 300), old, a)
    np.testing.assert_array_equal(got, old + np.float32(2) * a)
    got = compute(lambda dst, x, y: asc.fused_mul_add(dst, x, y, 300), old, a, b)
    np.testing.assert_array_equal(got, a * old + b)
    got = compute(lambda dst, x, y: asc.mul_add_dst(dst, x, y, 300), old, a, b)
    np.testing.assert_array_equal(got, old + a * b)


def test_leaky_relu_and_shifts() -> None:
    x = sample(np.float16)
    got = compute(lambda dst, src: asc.leaky_relu(dst, src, 0.5, 300), np.zeros(300, np.float16), x)
    np.testing.assert_array_equal(got, np.where(x >= 0, x, x * np.float16(0.5)))
    n = sample(np.int32)
    got = compute(lambda dst, src: asc.shift_right(dst, src, 2, 300), np.zeros(300, np.int32), n)
    np.testing.assert_array_equal(got, n >> 2)


def reference(
    out: Any, a: Any, b: Any, active: Callable[[int], bool], repeats: int, blk: list[int], rep: list[int]
) -> Any:
    """The addressing rule, one element at a time: block b of repeat r at (r * rep + b * blk) * 32 bytes."""
    result = out.copy()
    per_block = 32 // out.dtype.itemsize
    for r in range(repeats):
        for lane in range(256 // out.dtype.itemsize):
            if active(lane):
                at = [(r * rep[k] + lane // per_block * blk[k]) * per_block + lane % per_block for k in range(3)]
                result[at[0]] = a[at[1]] + b[at[2]]
    return result


@given(
    dtype=st.sampled_from([np.float32, np.float16]),
    repeats=st.integers(1, 6),
    mask=st.one_of(st.integers(1, 128), st.lists(st.integers(0, 2**64 - 1), min_size=2, max_size=2)),
    blk=st.tuples(st.integers(1, 2), st.integers(0, 2), st.integers(0, 2)),
    rep=st.tuples(st.integers(16, 18), st.integers(0, 18), st.integers(0, 18)),
)
def test_masks_repeats_and_strides(dtype: Any, repeats: int, mask: Any, blk: Any, rep: Any) -> None:
    a, b, old = (sample(dtype, 4096, seed) for seed in range(3))
    params = asc.BinaryRepeatParams(*blk, *rep)
    got = compute(lambda dst, x, y: asc.add(dst, x, y, mask, repeats, params), old, a, b)
    bits = mask[0] | mask[1] << 64 if isinstance(mask, list) else (1 << mask) - 1
    expected = reference(old, a, b, lambda lane: bool(bits >> lane & 1), repeats, list(blk), list(rep))
    np.testing.assert_array_equal(got, expected)


def test_a_destination_repeat_stride_of_0_accumulates() -> None:
    a = np.arange(4 * 64, dtype=np.float32)
    old = np.zeros(64, np.float32)
    params = asc.BinaryRepeatParams(1, 1, 1, 0, 8, 0)
    got = compute(lambda dst, x: asc.add(dst, x, dst, 64, 4, params), old, a)
    np.testing.assert_array_equal(got, a.reshape(4, 64).sum(0))


def test_counter_mode_counts_over_all_repeats() -> None:
    x = sample(np.float32)

    def call(dst: Any, src: Any) -> None:
        asc.set_mask_count()
        asc.adds(dst, src, 1.0, 100, 1, asc.UnaryRepeatParams())
        asc.set_mask_norm()

    got = compute(call, np.zeros(300, np.float32), x)
    np.testing.assert_array_equal(got, np.where(np.arange(300) < 100, x + 1, 0))


def test_the_mask_register() -> None:
    x = sample(np.float32, 64)

    def call(dst: Any, src: Any) -> None:
        asc.set_vector_mask(0, 0b1010)  # the high word comes first
        asc.adds(dst, src, 1.0, 64, 1, asc.UnaryRepeatParams(), is_set_mask=False)
        asc.reset_mask()

    got = compute(call, np.zeros(64, np.float32), x)
    np.testing.assert_array_equal(np.flatnonzero(got), [1, 3])


def test_count_and_mask_0_do_nothing() -> None:
    old = sample(np.float32, 64)
    np.testing.assert_array_equal(compute(lambda dst, x: asc.adds(dst, x, 1.0, 0), old, old), old)
    no_lane = compute(lambda dst, x: asc.adds(dst, x, 1.0, 0, 1, asc.UnaryRepeatParams()), old, old)
    np.testing.assert_array_equal(no_lane, old)


def test_duplicate_forms() -> None:
    np.testing.assert_array_equal(
        compute(lambda dst: asc.duplicate(dst, 3, 10), np.zeros(64, np.int32)), np.where(np.arange(64) < 10, 3, 0)
    )
    got = compute(lambda dst: asc.duplicate(dst, 2.0, 8, 2, 1, 4), np.zeros(64, np.float32))
    np.testing.assert_array_equal(np.flatnonzero(got), [*range(8), *range(32, 40)])


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (R.CAST_RINT, [-2, -2, 0, 0, 2, 2, 3]),
        (R.CAST_FLOOR, [-3, -2, -1, 0, 1, 2, 2]),
        (R.CAST_CEIL, [-2, -1, 0, 1, 2, 3, 3]),
        (R.CAST_ROUND, [-3, -2, -1, 1, 2, 3, 3]),
        (R.CAST_TRUNC, [-2, -1, 0, 0, 1, 2, 2]),
    ],
)
@pytest.mark.parametrize("source", [np.float32, np.float16])
@pytest.mark.parametrize("target", [np.int16, np.int32])
def test_cast_rounds_to_integers(mode: Any, expected: list[int], source: Any, target: Any) -> None:
    x = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.75], source)
    got = compute(lambda dst, src: asc.cast(dst, src, mode, 7), np.zeros(7, target), x)
    np.testing.assert_array_equal(got, expected)


def test_cast_to_integers_saturates_and_nan_is_0() -> None:
    x = np.array([1e9, -1e9, np.nan, np.inf], np.float32)
    got = compute(lambda dst, src: asc.cast(dst, src, R.CAST_RINT, 4), np.zeros(4, np.int16), x)
    np.testing.assert_array_equal(got, [32767, -32768, 0, 32767])
    got = compute(lambda dst, src: asc.cast(dst, src, R.CAST_RINT, 4), np.zeros(4, np.int64), x * np.float32(1e12))
    np.testing.assert_array_equal(got, [2**63 - 1, -(2**63), 0, 2**63 - 1])


@given(st.lists(st.floats(-70000, 70000, width=32), min_size=1, max_size=50))
def test_cast_to_half_is_directed(values: list[float]) -> None:
    x = np.array(values, np.float32)

    def cast(mode: Any) -> Any:
        return compute(lambda dst, src: asc.cast(dst, src, mode, len(x)), np.zeros(len(x), np.float16), x)

    low, high = cast(R.CAST_FLOOR).astype(np.float64), cast(R.CAST_CEIL).astype(np.float64)
    assert (low <= x).all() and (high >= x).all()
    exact = low == high
    np.testing.assert_array_equal(exact, x.astype(np.float16).astype(np.float64) == x)
    np.testing.assert_array_equal(cast(R.CAST_TRUNC).astype(np.float64), np.where(x >= 0, low, high))
    odd = cast(R.CAST_ODD)
    assert ((odd.view(np.uint16) & 1 == 1) | exact).all()
    near, low, high = (np.clip(y, -65536, 65536) for y in (cast(R.CAST_ROUND).astype(np.float64), low, high))
    assert (np.abs(near - x) <= np.minimum(np.abs(low - x), np.abs(high - x))).all()


def test_casts_the_chip_has_not_are_refused() -> None:
    with pytest.raises(TypeError, match="cast: found int8 to float32"):
        compute(lambda dst, src: asc.cast(dst, src, R.CAST_NONE, 8), np.zeros(8, np.float32), np.zeros(8, np.int8))
    with pytest.raises(ValueError, match="found CAST_RINT"):
        compute(lambda dst, src: asc.cast(dst, src, R.CAST_RINT, 8), np.zeros(8, np.float32), np.zeros(8, np.float16))


def test_cast_masks_count_in_the_wider_type() -> None:
    x = sample(np.float32, 128)
    params = asc.UnaryRepeatParams(1, 1, 4, 8)
    got = compute(lambda dst, src: asc.cast(dst, src, R.CAST_NONE, 64, 2, params), np.zeros(128, np.float16), x)
    np.testing.assert_array_equal(got, x.astype(np.float16))


@pytest.mark.parametrize("mode", list(asc.CMPMODE))
def test_compare_gives_bits(mode: Any) -> None:
    a, b = sample(np.float16, 128), sample(np.float16, 128, seed=1)
    a[:10] = b[:10]
    relation = {"LT": a < b, "GT": a > b, "EQ": a == b, "LE": a <= b, "GE": a >= b, "NE": a != b}[mode.name]
    got = compute(lambda dst, x, y: asc.compare(dst, x, y, mode, 128), np.zeros(16, np.uint8), a, b)
    np.testing.assert_array_equal(got, np.packbits(relation, bitorder="little"))
    got = compute(lambda dst, x: asc.compare_scalar(dst, x, 0.5, mode, 128), np.zeros(16, np.uint8), a)
    ufunc = {"LT": np.less, "GT": np.greater, "EQ": np.equal, "LE": np.less_equal, "GE": np.greater_equal,
             "NE": np.not_equal}[mode.name]  # fmt: skip
    np.testing.assert_array_equal(got, np.packbits(ufunc(a, np.float16(0.5)), bitorder="little"))


def test_select_modes() -> None:
    bits = np.random.default_rng(0).integers(0, 256, 16).astype(np.uint8)
    flags = np.unpackbits(bits, bitorder="little").astype(bool)
    a, b = sample(np.float32, 128), sample(np.float32, 128, seed=1)
    mode = asc.SelMode
    got = compute(
        lambda dst, m, x, y: asc.select(dst, m, x, y, mode.VSEL_TENSOR_TENSOR_MODE, 128), np.zeros_like(a), bits, a, b
    )
    np.testing.assert_array_equal(got, np.where(flags, a, b))
    got = compute(
        lambda dst, m, x: asc.select(dst, m, x, 7.0, mode.VSEL_TENSOR_SCALAR_MODE, 128), np.zeros_like(a), bits, a
    )
    np.testing.assert_array_equal(got, np.where(flags, a, np.float32(7)))
    params = asc.BinaryRepeatParams()
    got = compute(
        lambda dst, m, x, y: asc.select(dst, m, x, y, mode.VSEL_CMPMASK_SPR, 64, 2, params),
        np.zeros_like(a), bits[:8], a, b,
    )  # fmt: skip
    np.testing.assert_array_equal(got, np.where(np.tile(flags[:64], 2), a, b))


def tree(values: Any) -> Any:
    while len(values) > 1:
        values = values[::2] + values[1::2]
    return values[0]


def test_whole_reductions() -> None:
    x = sample(np.float16, 512)
    rows = x.reshape(4, 128)
    got = compute(lambda dst, src: asc.whole_reduce_sum(dst, src, 128, 4, 1, 1, 8), np.zeros(4, np.float16), x)
    np.testing.assert_array_equal(got, [tree(row) for row in rows])
    got = compute(lambda dst, src: asc.whole_reduce_max(dst, src, 128, 4, 1, 1, 8), np.zeros(8, np.float16), x)
    np.testing.assert_array_equal(got[::2], rows.max(1))
    np.testing.assert_array_equal(got.view(np.uint16)[1::2], rows.argmax(1))
    order = asc.ReduceOrder.ORDER_ONLY_VALUE
    got = compute(lambda dst, src: asc.whole_reduce_min(dst, src, 64, 4, 1, 1, 8, order), np.zeros(4, np.float16), x)
    np.testing.assert_array_equal(got, rows[:, :64].min(1))


def test_block_and_pair_reductions() -> None:
    x = sample(np.float32, 128)
    got = compute(lambda dst, src: asc.block_reduce_max(dst, src, 2, 64, 1, 1, 8), np.zeros(16, np.float32), x)
    np.testing.assert_array_equal(got, x.reshape(16, 8).max(1))
    got = compute(lambda dst, src: asc.pair_reduce_sum(dst, src, 2, 64, 1, 1, 8), np.zeros(64, np.float32), x)
    np.testing.assert_array_equal(got, x[::2] + x[1::2])


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("count", [1, 7, 64, 100, 256, 1000, 3000])
def test_reductions_of_a_tensor(dtype: Any, count: int) -> None:
    x = sample(dtype, count)
    work = np.zeros(512, dtype)
    got = compute(lambda dst, src, tmp: asc.reduce_sum(dst, src, tmp, count), np.zeros(1, dtype), x, work)
    np.testing.assert_allclose(got[0], x.astype(np.float64).sum(), rtol=2e-2 if dtype is np.float16 else 1e-4, atol=8)
    got = compute(
        lambda dst, src, tmp: asc.reduce_max(dst, src, tmp, count, cal_index=True), np.zeros(2, dtype), x, work
    )
    bits = got.view(np.uint16 if dtype is np.float16 else np.uint32)
    assert got[0] == x.max() and bits[1] == x.argmax()


def test_sums_of_halves_stay_halves() -> None:
    x = np.full(4096, 1.001, np.float16)
    got = compute(lambda dst, src, tmp: asc.reduce_sum(dst, src, tmp, 4096), np.zeros(1, np.float16), x, x[:512])
    total = np.float16(0)
    for row in x.reshape(-1, 128):
        total += tree(row)
    assert got[0] == total


def on_950(call: Callable[..., None], out: Any, *inputs: Any) -> Any:
    with session(soc="Ascend950PR_9589"):
        return compute(call, out, *inputs)


@pytest.mark.parametrize("count", [200, 300, 1000])
def test_the_order_of_a_sum_with_a_count_is_the_chips(count: int) -> None:
    x, work = sample(np.float16, count), np.zeros(512, np.float16)
    padded = np.concatenate([x, np.zeros(-count % 128, np.float16)]).reshape(-1, 128)
    in_sequence = np.float16(0)
    for row in padded:
        in_sequence += tree(row)
    got = compute(lambda dst, src, tmp: asc.reduce_sum(dst, src, tmp, count), np.zeros(1, np.float16), x, work)
    assert got[0] == in_sequence
    lanes = padded[0]
    for row in padded[1:]:
        lanes = lanes + row
    partial = np.array([tree(row) for row in padded] + [0] * (8 - len(padded)), np.float16)
    got = on_950(lambda dst, src, tmp: asc.reduce_sum(dst, src, tmp, count), np.zeros(1, np.float16), x, work)
    assert got[0] == (tree(lanes) if count <= 512 else tree(partial))


def test_pairs_keep_their_place() -> None:
    x = np.arange(1, 129, dtype=np.float32)
    got = compute(lambda dst, src: asc.pair_reduce_sum(dst, src, 2, [0b0110, 0], 1, 1, 8), np.zeros(64, np.float32), x)
    expected = np.zeros(64, np.float32)
    expected[[0, 1, 32, 33]] = 2, 3, 66, 67
    np.testing.assert_array_equal(got, expected)
    far = compute(lambda dst, src: asc.pair_reduce_sum(dst, src, 1, [0b111 << 40, 0], 1, 1, 8), expected * 0, x)
    assert list(np.flatnonzero(far)) == [20, 21] and list(far[20:22]) == [41 + 42, 43]


@pytest.mark.parametrize("name", ["block_reduce_sum", "block_reduce_max", "pair_reduce_sum"])
def test_reductions_of_neighbours_in_counter_mode(name: str) -> None:
    x, size = np.arange(1, 129, dtype=np.float32), 2 if name.startswith("pair") else 8

    def call(dst: Any, src: Any) -> None:
        asc.set_mask_count()
        getattr(asc, name)(dst, src, 1, 100, 1, 1, 8)
        asc.set_mask_norm()

    got = compute(call, np.full(64, -1, np.float32), x)
    groups = [x[at : min(at + size, 100)] for at in range(0, 100, size)]
    expected = [float(group.max() if name.endswith("max") else group.sum()) for group in groups]
    assert list(got[: len(groups)]) == expected and (got[len(groups) :] == -1).all()


def test_axpy_converts_halves_before_it_multiplies() -> None:
    x = np.array([60000, 1, 2, 3], np.float16)
    got = compute(lambda dst, src: asc.axpy(dst, src, 2.0, 4), np.ones(4, np.float32), x)
    np.testing.assert_array_equal(got, [120001, 3, 5, 7])


def test_the_dequantisation_scale_is_a_half() -> None:
    def call(dst: Any, src: Any) -> None:
        asc.set_deq_scale(0.1)
        asc.cast(dst, src, R.CAST_NONE, 8)

    got = compute(call, np.zeros(8, np.float16), np.full(8, 7, np.int32))
    assert (got == np.float16(0.6997)).all() and got[0] != np.float16(0.7)


def test_a_comparison_with_a_count_makes_the_bits_of_whole_repeats() -> None:
    a, b = np.zeros(128, np.float32), np.ones(128, np.float32)
    call = lambda dst, x, y: asc.compare(dst, x, y, asc.CMPMODE.LT, 100)  # noqa: E731
    got = compute(call, np.zeros(16, np.uint8), a, b)
    assert list(got) == [255] * 8 + [0] * 8
    assert int(np.unpackbits(on_950(call, np.zeros(16, np.uint8), a, b)).sum()) == 100


@pytest.mark.parametrize("name", ["exp", "ln"])
def test_exp_and_ln_of_floats_are_within_one_ulp(name: str) -> None:
    x = np.random.default_rng(3).uniform(1e-3, 80, 2000).astype(np.float32)
    got = compute(lambda dst, src: getattr(asc, name)(dst, src, 2000), np.zeros(2000, np.float32), x)
    exact = {"exp": np.exp, "ln": np.log}[name](x.astype(np.float64))
    assert (np.abs(got - exact) <= np.spacing(np.abs(exact).astype(np.float32))).all()
    np.testing.assert_array_equal(got, exact.astype(np.float32))


def test_select_takes_the_bits_of_the_mask_registers_lanes() -> None:
    bits = np.array([0b10101010] * 16, np.uint8)
    a, b = np.arange(1, 129, dtype=np.float32), -np.arange(1, 129, dtype=np.float32)

    def call(dst: Any, mask: Any, x: Any, y: Any) -> None:
        asc.set_vector_mask(0, 0b1110)
        mode, params = asc.SelMode.VSEL_TENSOR_TENSOR_MODE, asc.BinaryRepeatParams()
        asc.select(dst, mask, x, y, mode, 64, 2, params, is_set_mask=False)
        asc.reset_mask()

    got = compute(call, np.zeros(128, np.float32), bits, a, b)
    expected = np.zeros(128, np.float32)
    expected[[1, 2, 3, 65, 66, 67]] = 2, -3, 4, 66, -67, 68
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("repeats", [0, 1, 7])
def test_in_counter_mode_select_ignores_the_repeats(repeats: int) -> None:
    bits = np.array([0b10101010] * 16, np.uint8)
    a, b = np.arange(1, 129, dtype=np.float32), -np.arange(1, 129, dtype=np.float32)

    def call(dst: Any, mask: Any, x: Any, y: Any) -> None:
        asc.set_mask_count()
        mode, params = asc.SelMode.VSEL_TENSOR_TENSOR_MODE, asc.BinaryRepeatParams()
        asc.select(dst, mask, x, y, mode, 100, repeats, params)
        asc.set_mask_norm()

    got = compute(call, np.zeros(128, np.float32), bits, a, b)
    np.testing.assert_array_equal(got, np.where(np.arange(128) >= 100, 0, np.where(np.arange(128) % 2, a, b)))


def test_copy_brcb_transpose_gather() -> None:
    x = sample(np.float16, 256)
    params = asc.CopyRepeatParams(1, 1, 8, 8)
    got = compute(lambda dst, src: asc.copy(dst, src, 128, 2, params), np.zeros(256, np.float16), x)
    np.testing.assert_array_equal(got, x)
    got = compute(lambda dst, src: asc.brcb(dst, src, 1, asc.BrcbRepeatParams()), np.zeros(128, np.float16), x)
    np.testing.assert_array_equal(got, np.repeat(x[:8], 16))
    got = compute(lambda dst, src: asc.transpose(dst, src), np.zeros(256, np.float16), x)
    np.testing.assert_array_equal(got, x.reshape(16, 16).T.reshape(-1))
    offsets = (np.random.default_rng(0).permutation(256) * 2).astype(np.uint32)
    got = compute(lambda dst, src, at: asc.gather(dst, src, at, 0, 256), np.zeros(256, np.float16), x, offsets)
    np.testing.assert_array_equal(got, x[offsets // 2])


def test_what_is_not_simulated_says_so() -> None:
    with pytest.raises(NotImplementedError, match=r"asc\.load_image_to_local on Ascend910B1"):
        compute(lambda dst: asc.load_image_to_local(dst), np.zeros(8, np.float32))
    with pytest.raises(NotImplementedError, match=r"asc\.inline on Ascend910B1"):
        asc.inline()


def test_cast_to_half_overflows_to_infinity_where_infinity_is_nearest() -> None:
    x = np.array([65519.0, 65520.0, -65521.0, 3e9, -np.inf, 65504.0], np.float32)
    for mode in (R.CAST_ROUND, R.CAST_RINT):
        got = compute(lambda dst, src, mode=mode: asc.cast(dst, src, mode, 6), np.zeros(6, np.float16), x)
        np.testing.assert_array_equal(got, np.array([65504, np.inf, -np.inf, np.inf, -np.inf, 65504], np.float16))
