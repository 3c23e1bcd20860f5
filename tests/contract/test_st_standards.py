"""Accuracy standards: thresholds and pass rules of the originals.

Sources: hicann/ops-test-kit `docs/Precision_Comparison.md` @36750932, `ttk/core_modules/comparison/resolve.py`
@04df8284; ascend-transformer-boost `tests/framework/python/CsvOpsTestTool` @ddcc8b6.
"""

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from cannery.core import DataType
from cannery.st.compare import StandardError, Tolerance, compare_atb, compare_by, route
from cannery.st.compare.comparators import Terms
from cannery.st.compare.route import spec_tolerance

F16, F32, BF16, I8 = DataType.DT_FLOAT16, DataType.DT_FLOAT, DataType.DT_BF16, DataType.DT_INT8
NAN, INF = math.nan, math.inf


def f16(values: Any) -> Any:
    return np.array(values, np.float16)


def f32(values: Any) -> Any:
    return np.array(values, np.float32)


def judge(standard: str, a: Any, g: Any, dtype: DataType = F32, **terms: Any) -> bool:
    made = [np.asarray(values, dtype.numpy) if isinstance(values, list) else values for values in (a, g)]
    return compare_by(standard, made[0], made[1], Terms(dtype, **terms)).passed


@pytest.mark.parametrize(
    "standard", ["binary_equal", "mix_tolerance", "stat_rel_err", "isclose", "cosine", "cross_check"]
)
def test_two_empty_outputs_agree_and_sizes_must(standard: str) -> None:
    assert judge(standard, [], [])
    assert not judge(standard, [1.0], []) and not judge(standard, [], [1.0])


@pytest.mark.parametrize(
    ("a", "g", "agree"),
    [
        ([1.0, NAN], [1.0, NAN], True),
        ([0.0], [-0.0], False),
        ([1.0], [NAN], False),
        ([INF], [INF], True),
        ([1.0], [1.1], False),
    ],
)
def test_binary_equal_is_bitwise_but_for_nan(a: list[float], g: list[float], agree: bool) -> None:
    assert judge("binary_equal", a, g) is agree


def test_binary_equal_lets_nans_of_different_bits_agree() -> None:
    a, g = (np.array([bits], np.uint32).view(np.float32) for bits in (0x7FC00000, 0x7FC00001))
    assert judge("binary_equal", a, g)


def test_binary_equal_of_different_types_is_for_integers_and_bools() -> None:
    assert judge("binary_equal", np.array([1, 0], np.int8), np.array([True, False]))
    assert not judge("binary_equal", np.array([-1], np.int64), np.array([2**64 - 1], np.uint64))
    assert judge("binary_equal", np.array([2**53 + 1], np.int64), np.array([2**53 + 1], np.uint64))
    assert not judge("binary_equal", np.array([1.0], np.float32), np.array([1.0], np.float64))


@pytest.mark.parametrize(
    ("dtype", "rtol", "atol", "limit"),
    [
        (F16, 2**-9, 2**-9, 0.1),
        (BF16, 2**-6, 2**-6, 1.0),
        (F32, 2**-10, 2**-16, 0.01),
        (DataType.DT_FLOAT8_E4M3FN, 2**-2, 2**-4, 4.0),
        (DataType.DT_FLOAT8_E5M2, 2**-1, 2**-3, 8.0),
        (DataType.DT_DOUBLE, 2**-10, 2**-16, 0.01),
    ],
)
def test_mix_tolerance_thresholds(dtype: DataType, rtol: float, atol: float, limit: float) -> None:
    within = atol + rtol * 1.0
    golden = np.ones(1000)
    assert judge("mix_tolerance", golden + min(within, limit), golden, dtype)
    too_far = golden.copy()
    too_far[:10] += min(limit, within * 2) * (1 + 1e-9)  # 1 % may be out of tolerance, as long as the limit holds
    assert judge("mix_tolerance", too_far, golden, dtype) is (min(limit, within * 2) < limit)
    too_far[10] = too_far[0]
    assert not judge("mix_tolerance", too_far, golden, dtype)
    beyond = golden.copy()
    beyond[0] += limit * 1.001
    assert not judge("mix_tolerance", beyond, golden, dtype)


def test_mix_tolerance_wants_nan_and_inf_in_their_places() -> None:
    golden = [1.0] * 1000
    assert judge("mix_tolerance", [NAN, INF, -INF, *golden], [NAN, INF, -INF, *golden])
    for wrong in (NAN, INF, -INF):
        assert not judge("mix_tolerance", [wrong, *golden], [0.0, *golden])
    assert not judge("mix_tolerance", [-INF, *golden], [INF, *golden])


@pytest.mark.parametrize(
    ("dtype", "threshold"),
    [
        (F16, 2**-10), (BF16, 2**-7), (F32, 2**-13),
        (DataType.DT_FLOAT8_E4M3FN, 2**-3), (DataType.DT_FLOAT8_E5M2, 2**-2), (DataType.DT_DOUBLE, 2**-13),
    ],
)  # fmt: skip
def test_stat_rel_err_thresholds(dtype: DataType, threshold: float) -> None:
    golden = np.full(100, 4.0)
    assert judge("stat_rel_err", golden * (1 + threshold * 0.999), golden, dtype)
    assert not judge("stat_rel_err", golden * (1 + threshold * 1.001), golden, dtype)
    one = golden.copy()
    one[0] *= 1 + threshold * 9.9
    assert judge("stat_rel_err", one, golden, dtype)
    one[0] = 4 * (1 + threshold * 10.1)
    assert not judge("stat_rel_err", one, golden, dtype)
    one[0] = NAN
    assert not judge("stat_rel_err", one, golden, dtype)


def test_isclose_by_the_case_file_and_by_default() -> None:
    golden = np.ones(10_000, np.float32)
    off = golden.copy()
    off[:1] = 1.01
    assert judge("isclose", off, golden)  # one in ten thousand is within ptol 1e-4
    off[:2] = 1.01
    assert not judge("isclose", off, golden)
    assert judge("isclose", off, golden, rtol_ptol=(0.02, 0.0))
    assert judge("isclose", f16([1.0005]), f16([1.0]), F16) and judge("isclose", [NAN], [NAN])
    assert not judge("isclose", [1.0 + 2**-23], [1.0], rtol_ptol=(0.0, 0.0), atol=0.0)


def test_cosine() -> None:
    assert judge("cosine", [1.0, 0.0], [2.0, 0.1]) and not judge("cosine", [1.0, 0.0], [1.0, 1.0])
    assert judge("cosine", [0.0], [0.0]) and not judge("cosine", [0.0], [1.0]) and not judge("cosine", [NAN], [1.0])
    assert judge("cosine", [1e30, 1e30], [1e30, 1e30])


def test_requant_and_quant_allow_a_difference_of_one() -> None:
    golden = np.zeros(2000, np.int8)
    off = golden + np.int8(1)
    assert judge("quant", off, golden, I8)
    off[0] = 2
    assert not judge("quant", off, golden, I8)
    assert judge("quant", off, golden, I8, parameters={"ptol": 0.01})
    assert not judge("quant", np.array([-128], np.int8), np.array([127], np.int8), I8)
    with pytest.raises(StandardError, match="no float input"):
        judge("quant", golden, golden, I8, has_float_input=False)
    with pytest.raises(StandardError, match="float32"):
        judge("quant", [1.0], [1.0], F32)
    e5m2 = golden.view(ml_dtypes.float8_e5m2)
    far = golden.copy()
    far[:2] = 2
    assert judge("requant", far.view(ml_dtypes.float8_e5m2), e5m2, DataType.DT_FLOAT8_E5M2)  # 1 in 1000 may be
    far[2] = 2
    assert not judge("requant", far.view(ml_dtypes.float8_e5m2), e5m2, DataType.DT_FLOAT8_E5M2)


@pytest.mark.parametrize(("level", "times"), [("L0", 9.9), ("L1", 1.49), ("L2", 1.19)])
def test_cross_check_levels(level: str, times: float) -> None:
    golden = np.linspace(1, 2, 1000)
    third = golden * 1.01
    # MERE and RMSE are the narrower limits; L0 allows 2 for them, so only its MARE reaches 10.
    ours = golden * (1 + 0.01 * min(times, 1.9))
    terms: dict[str, Any] = {"third": third, "parameters": {"level": level}}
    assert judge("cross_check", ours, golden, F32, **terms)
    assert not judge(
        "cross_check", golden * (1 + 0.01 * (2.1 if level == "L0" else times + 0.05)), golden, F32, **terms
    )


def test_cross_check_of_small_and_special_values() -> None:
    golden = np.zeros(100, np.float32)
    ours, third = golden.copy(), golden.copy()
    ours[:2] = 1e-6
    assert judge("cross_check", ours, golden, third=third)
    ours[2] = 1e-6
    assert not judge("cross_check", ours, golden, third=third)
    third[:2] = 1e-6
    assert judge("cross_check", ours, golden, third=third)
    assert judge("cross_check", [INF], [1.0], third=f32([INF])) and not judge(
        "cross_check", [INF], [1.0], third=f32([1])
    )
    assert judge("cross_check", [NAN], [NAN], third=f32([1])) and not judge("cross_check", [1.0], [NAN], third=f32([2]))
    for third, dtype in ((None, F32), (golden, DataType.DT_DOUBLE)):
        with pytest.raises(StandardError):
            judge("cross_check", golden, golden, dtype, third=third)


QUANT, STAT = Tolerance("quant"), Tolerance("stat_rel_err")


@pytest.mark.parametrize(
    ("dtype", "command_line", "spec", "standard"),
    [
        (None, "isclose", None, "binary_equal"),
        (F32, None, None, "mix_tolerance"),
        (F32, None, STAT, "stat_rel_err"),
        (F32, "close", STAT, "isclose"),
        (I8, "isclose", STAT, "binary_equal"),
        (I8, "isclose", QUANT, "quant"),
        (DataType.DT_BOOL, "cosine", None, "binary_equal"),
        (DataType.DT_UINT64, None, None, "binary_equal"),
        (DataType.DT_COMPLEX64, "cosine", None, "isclose"),
        (DataType.DT_COMPLEX64, "bin", None, "binary_equal"),
        (DataType.DT_HIFLOAT8, "isclose", None, "requant"),
        (DataType.DT_FLOAT8_E8M0, None, STAT, "binary_equal"),
        (DataType.DT_FLOAT4_E2M1, None, None, "binary_equal"),
    ],
)
def test_routing(dtype: DataType | None, command_line: str | None, spec: Tolerance | None, standard: str) -> None:
    table = {dtype: spec} if spec is not None and dtype is not None else {}
    assert route(dtype, command_line, table).standard == standard


@pytest.mark.parametrize(
    "entry",
    [
        {"standard": "isclose"},
        {"standard": "close"},
        {"standard": "cosine"},
        {"standard": "bin"},
        {"standard": "requant"},
        {"standard": "BenchmarkCompareStandard"},
        {"standard": "mix_tolerance", "threshold": 1},
        {},
        "stat_rel_err",
    ],
)
def test_a_spec_may_not_ask_for_everything(entry: Any) -> None:
    with pytest.raises(StandardError):
        spec_tolerance(entry)


@pytest.mark.parametrize("op_type", ["MOVE", "CAST", "COMPUTE_INTEGER"])
def test_atb_exact_kinds(op_type: str) -> None:
    values = f16([1, NAN, INF, -0.0])
    assert compare_atb(values, values.copy(), F16, op_type).passed
    for wrong in ([1, NAN, INF, 0.0], [1, NAN, NAN, -0.0], [1, 0, INF, -0.0], [np.float16(1.001), NAN, INF, -0.0]):
        assert not compare_atb(f16(wrong), values, F16, op_type).passed


@pytest.mark.parametrize(
    ("op_type", "dtype", "accumulations", "threshold"),
    [
        ("COMPUTE_FLOAT", F16, 1, 2**-8),
        ("COMPUTE_FLOAT", F16, 2047, 2**-8),
        ("COMPUTE_FLOAT", F16, 2048, 2**-7),
        ("COMPUTE_FLOAT", BF16, 1, 2**-7),
        ("COMPUTE_FLOAT", BF16, 4096, 2**-6),
        ("COMPUTE_FLOAT", F32, 1, 2**-11),
        ("COMPUTE_FLOAT", F32, 1 << 20, 2**-9),
        ("VECTOR_FUSION", F16, 1, 2**-9),
        ("VECTOR_FUSION", BF16, 1, 2**-7),
        ("VECTOR_FUSION", F32, 1, 2**-12),
    ],
)
def test_atb_thresholds(op_type: str, dtype: DataType, accumulations: int, threshold: float) -> None:
    for golden in (np.zeros(8), np.full(8, 100.0)):
        allowed = threshold * max(1, golden[0])
        assert compare_atb(golden + allowed, golden, dtype, op_type, accumulations).passed
        one = golden.copy()
        one[3] -= allowed * 1.01
        assert not compare_atb(one, golden, dtype, op_type, accumulations).passed


def test_atb_computed_floats_count_nan_and_inf_as_zero() -> None:
    assert compare_atb(f32([NAN, INF]), f32([0, NAN]), F32, "COMPUTE_FLOAT").passed
    assert not compare_atb(f32([NAN]), f32([1]), F32, "COMPUTE_FLOAT").passed


def test_atb_refuses_what_it_has_no_threshold_for() -> None:
    for op_type, dtype in (("NOTHING", F32), ("VECTOR_FUSION", DataType.DT_DOUBLE)):
        with pytest.raises(StandardError):
            compare_atb(np.zeros(1), np.zeros(1), dtype, op_type)
    assert compare_atb(np.array([1], np.int32), np.array([1], np.int32), DataType.DT_INT32, "VECTOR_FUSION").passed
