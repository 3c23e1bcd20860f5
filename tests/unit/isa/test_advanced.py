"""The advanced API's functions on vectors, against PyTorch and NumPy in float64."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cannery import asc
from cannery.isa import special
from cannery.isa.advanced import PREFIX, ROWS, rmsnorm_bytes, softmax_bytes
from cannery.isa.dtypes import float16, float32, int32
from cannery.isa.op import DAV_2201, DAV_3510

from .computing import compute

COUNT = 300
REFERENCES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "acos": torch.acos, "acosh": torch.acosh, "asin": torch.asin, "asinh": torch.asinh, "atan": torch.atan,
    "atanh": torch.atanh, "ceil": torch.ceil, "cos": torch.cos, "cosh": torch.cosh, "digamma": torch.digamma,
    "erf": torch.erf, "erfc": torch.erfc, "floor": torch.floor, "frac": torch.frac, "lgamma": torch.lgamma,
    "log": torch.log, "round": torch.round, "sign": torch.sign, "sin": torch.sin, "sinh": torch.sinh,
    "tan": torch.tan, "tanh": torch.tanh, "trunc": torch.trunc,
}  # fmt: skip
ABOVE_ONE, INSIDE = {"acosh"}, {"acos", "asin", "atanh"}


def sample(name: str, dtype: Any) -> Any:
    values = np.random.default_rng(3).uniform(-4, 4, COUNT)
    if name in ABOVE_ONE:
        values = np.abs(values) + 1
    return (values / 5 if name in INSIDE else values).astype(dtype)


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_one_input_rounds_the_exact_value_once(name: str, dtype: Any) -> None:
    x = sample(name, dtype)
    call = getattr(asc.adv, name)
    got = compute(lambda dst, src: call(dst, src, COUNT), np.zeros(COUNT, dtype), x)
    exact = REFERENCES[name](torch.from_numpy(x.astype(np.float64))).numpy()
    np.testing.assert_allclose(got, exact.astype(dtype), rtol=2e-7 if dtype is np.float32 else 1e-3, atol=1e-7)


def test_what_has_no_value_and_poles() -> None:
    x = np.array([0.0, -1.0, -2.5, np.nan, np.inf], np.float32)
    np.testing.assert_array_equal(special.log_gamma(x)[[0, 1]], [np.inf, np.inf])
    assert np.isnan(special.digamma(x)[[0, 1, 3]]).all()
    np.testing.assert_allclose(special.digamma(x)[2], 1.1031566, rtol=1e-6)
    np.testing.assert_array_equal(special.sign(x), [0, -1, -1, 0, 1])


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 40)), min_size=1, max_size=20))
def test_integer_powers_wrap(pairs: list[tuple[int, int]]) -> None:
    base, exponent = (np.array(column, np.int32) for column in zip(*pairs, strict=True))
    expected = [int32.wrap(b**e) for b, e in pairs]
    np.testing.assert_array_equal(special.power(base, exponent), expected)


def test_powers_of_negative_exponents_truncate() -> None:
    base, exponent = np.array([1, -1, -1, 5, 0], np.int32), np.array([-3, -3, -2, -1, -1], np.int32)
    np.testing.assert_array_equal(special.power(base, exponent), [1, -1, 1, 0, 0])


def test_two_inputs_and_a_scalar() -> None:
    a, b = np.arange(1, 65, dtype=np.float32), np.linspace(-2, 2, 64).astype(np.float32)
    got = compute(lambda dst, x, y: asc.adv.power(dst, x, y), np.zeros(4096, np.float32), a, b)[:64]
    np.testing.assert_allclose(got, a.astype(np.float64) ** b, rtol=1e-7)
    bits = np.arange(64, dtype=np.uint16)
    got = compute(lambda dst, x, y: asc.adv.xor(dst, x, y, 64), np.zeros(64, np.uint16), bits, bits[::-1].copy())
    np.testing.assert_array_equal(got, bits ^ bits[::-1])
    half = np.arange(64, dtype=np.float16)

    def twice(dst: Any, src: Any) -> None:
        asc.duplicate(dst, 0.5, 64)
        asc.adv.axpy(dst, src, 3.0, 64)

    np.testing.assert_array_equal(compute(twice, np.zeros(64, np.float32), half), 3 * half.astype(np.float32) + 0.5)


@given(st.integers(1, 5), st.sampled_from([16, 32, 128]), st.sampled_from([np.float32, np.float16]))
def test_softmax(rows: int, columns: int, dtype: Any) -> None:
    x = np.random.default_rng(rows).normal(0, 3, (rows, columns)).astype(dtype)
    block = 32 // x.itemsize

    def call(dst: Any, src: Any) -> None:
        src.set_shape_info(asc.ShapeInfo(asc.array(asc.int32, (rows, columns))))
        asc.adv.softmax(dst, dst[rows * columns :], dst[rows * (columns + block) :], src, asc.adv.SoftmaxTiling())

    out = compute(call, np.zeros(rows * (columns + 2 * block), dtype), x)
    result, rest = out[: rows * columns].reshape(rows, columns), out[rows * columns :].reshape(2, rows, block)
    exact = torch.softmax(torch.from_numpy(x.astype(np.float64)), 1).numpy()
    largest = x.max(axis=1, keepdims=True)
    sums = np.exp(x.astype(np.float64) - largest).sum(axis=1, keepdims=True)
    narrow = dtype is np.float16
    close: dict[str, Any] = {"rtol": 1e-3 if narrow else 3e-7, "atol": 1e-6 if narrow else 1e-7}
    np.testing.assert_allclose(result, exact, **close)
    np.testing.assert_array_equal(rest[1], np.broadcast_to(largest, (rows, block)))
    np.testing.assert_allclose(rest[0], np.broadcast_to(sums, (rows, block)), **close)


def test_softmax_says_what_it_does_not_know() -> None:
    def shapeless(dst: Any, src: Any) -> None:
        asc.adv.softmax(dst, dst, dst, src, asc.adv.SoftmaxTiling())

    def crooked(dst: Any, src: Any) -> None:
        asc.adv.softmax(dst, dst, dst, src, asc.adv.SoftmaxTiling(src_m=2, src_k=7))

    x = np.zeros(64, np.float32)
    with pytest.raises(ValueError, match=r"adv\.softmax: src: found no shape"):
        compute(shapeless, x, x)
    with pytest.raises(ValueError, match="found rows of 7 float32, expected whole blocks"):
        compute(crooked, x, x)
    with pytest.raises(NotImplementedError, match="data_format_nz on Ascend910B1 is not simulated"):
        compute(lambda dst, src: asc.adv.softmax(dst, dst, dst, src, None, data_format_nz=True), x, x)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_rmsnorm(dtype: Any) -> None:
    rng = np.random.default_rng(5)
    x, gamma = rng.normal(0, 2, (6, 64)).astype(dtype), rng.normal(0, 1, 64).astype(dtype)
    tiling = asc.adv.RmsNormTiling(
        b_length=2, s_length=3, h_length=64, original_h_length=64, reciprocal_of_h_length=1 / 64
    )
    got = compute(lambda dst, src, g: asc.adv.rmsnorm(dst, src, g, 1e-5, tiling), np.zeros(384, dtype), x, gamma)
    wide = x.astype(np.float64)
    exact = wide * gamma / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(got.reshape(6, 64), exact, rtol=3e-7 if dtype is np.float32 else 1e-3, atol=1e-7)


@given(st.lists(st.floats(-60, 60, width=32), min_size=32, max_size=32), st.booleans())
def test_quant_rounds_each_step_to_half(values: list[float], narrow: bool) -> None:
    x = np.array(values, np.float16 if narrow else np.float32)
    got = compute(lambda dst, src: asc.adv.quant(dst, src, 2.5, 0.9, 32), np.zeros(32, np.int8), x)
    half = (x.astype(np.float16) * np.float16(2.5) + np.float16(0.9)).astype(np.float64)
    np.testing.assert_array_equal(got, np.clip(np.round(half), -128, 127))


def test_a_row_says_types_and_temporary_bytes_of_each_architecture() -> None:
    rows = {op.name.removeprefix(PREFIX): op for op in ROWS}
    assert len([op for op in ROWS if op.form in ("math", "taylor", "muls_add")]) == 27
    with pytest.raises(TypeError, match=r"adv\.acos: found int32, expected one of float16, float32"):
        compute(lambda dst, src: asc.adv.acos(dst, src), np.zeros(64, np.int32), np.zeros(64, np.int32))
    power, lgamma = (rows[name].types for name in ("power", "lgamma"))
    assert power is not None and lgamma is not None
    assert (int32,) * 3 in power[DAV_2201].modes and len(power[DAV_3510].modes) > len(power[DAV_2201].modes)
    sizes = {name: op.temporary for name, op in rows.items()}
    found = [
        sizes[name][arch](1000, dtype, reuse)  # type: ignore[index]
        for name, arch, dtype, reuse in (
            ("acos", DAV_2201, float16, False), ("acos", DAV_3510, float32, False), ("sin", DAV_2201, float32, True),
            ("lgamma", DAV_3510, float32, False), ("power", DAV_2201, int32, False),
            ("power", DAV_2201, float16, False),
        )
    ]  # fmt: skip
    assert found == [1536, 512, 512, 4000, 1536, 2048]
    assert (softmax_bytes(8, 1024, 4, DAV_2201), rmsnorm_bytes(64, 2)) == (4 * (8 + 1024 + 64), 4 * 136)
