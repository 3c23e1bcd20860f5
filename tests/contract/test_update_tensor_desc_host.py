"""UpdateTensorDesc on the host: the original's unit cases of shape inference and tiling, and the tiling structure.

Sources: hicann/ops-nn control/update_tensor_desc/tests/ut/op_host/test_update_tensor_desc_infershape.cpp and
arch35/test_update_tensor_desc_tiling.cpp @1eb27776.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from cannery.core import DataType, Format, GeStatus, OperatorError, Shape, Stage, TensorDesc
from cannery.operator import CallContext, TilingResult, find_operator, staged

OPERATOR = find_operator("UpdateTensorDesc")
FLOAT, INT64 = DataType.DT_FLOAT, DataType.DT_INT64


def bind(shape: Any, x: Sequence[int] = (2, 3), dtype: DataType = FLOAT, **options: Any) -> CallContext:
    return staged.bind(OPERATOR, [TensorDesc(dtype, Shape(x))], {"shape": shape}, **options)


def infer(shape: Any, **options: Any) -> TensorDesc:
    return OPERATOR.infer_shape(bind(shape, **options))[0]


def tile(shape: Any, y: Sequence[int], y_dtype: DataType = INT64, **options: Any) -> TilingResult:
    y_format = options.pop("y_format", Format.FORMAT_ND)
    context = bind(shape, **options).with_outputs([TensorDesc(y_dtype, Shape(y), y_format)])
    return OPERATOR.tiling(context)


INFER_SHAPE_CASES = {
    "infershape_test1": ([2, 3], [4, 8, 4], True),
    "infershape_test2": ([2, 3], [128], True),
    "infershape_test3": ([2, 3], [2, 2, 2, 2, 8], True),
    "infershape_test4": ([2, 3], [], False),
    "infershape_test5": ([2, 3], [4, 4], False),
    "infershape_test6": ([2, 3], [4, -8, 4], False),
    "infershape_test7": ([2, 3], [2] * 125, False),
    "infershape_test8": ([-1, -1], [4, 8, 4], True),
    "infershape_test9": ([-2], [4, 8, 4], True),
    "infershape_test10": ([2, 3], [-1, 128], False),
    "infershape_test11": ([2, 3], [-2], False),
}


@pytest.mark.parametrize("quirks", [False, True])
@pytest.mark.parametrize(("x", "shape", "succeeds"), INFER_SHAPE_CASES.values(), ids=INFER_SHAPE_CASES)
def test_infer_shape_case(x: list[int], shape: list[int], succeeds: bool, quirks: bool) -> None:
    if succeeds:
        assert infer(shape, x=x, quirks=quirks).shape == Shape(shape)
        return
    with pytest.raises(OperatorError) as caught:
        infer(shape, x=x, quirks=quirks)
    assert (caught.value.stage, caught.value.code) == (Stage.INFER_SHAPE, GeStatus.GRAPH_FAILED)


def test_infer_data_type_case() -> None:
    assert infer([4, 8, 4], dtype=DataType.DT_FLOAT16).dtype is INT64


@dataclass(frozen=True)
class TilingCase:
    x: list[int]
    x_dtype: DataType
    y: list[int]
    y_dtype: DataType
    shape: list[int]
    at_fault: str = ""  # empty: the case succeeds


BF16, UINT8 = DataType.DT_BF16, DataType.DT_UINT8
TILING_CASES = {
    "tiling_test1": TilingCase([2, 3], FLOAT, [4, 8, 4], INT64, [4, 8, 4]),
    "tiling_test2": TilingCase([], INT64, [128], INT64, [128]),
    "tiling_test3": TilingCase([2] * 8, UINT8, [2, 2, 2, 2, 8], INT64, [2, 2, 2, 2, 8]),
    "tiling_test4": TilingCase([2, 3], BF16, [4, 8, 4], INT64, [4, 8, 4], "x"),
    "tiling_test5": TilingCase([2, 3], FLOAT, [4, 8, 4], FLOAT, [4, 8, 4], "y"),
    "tiling_test6": TilingCase([2] * 9, FLOAT, [4, 8, 4], INT64, [4, 8, 4], "x"),
    "tiling_test7": TilingCase([2, 3], FLOAT, [128], INT64, [], "shape"),
    "tiling_test8": TilingCase([2, 3], FLOAT, [4, -8, 4], INT64, [4, -8, 4], "shape[1]"),
    "tiling_test9": TilingCase([2, 3], FLOAT, [4, 4], INT64, [4, 4], "shape"),
    "tiling_test10": TilingCase([2, 3], FLOAT, [8], INT64, [128], "y"),
    "tiling_test11": TilingCase([-1, -1], FLOAT, [4, 8, 4], INT64, [4, 8, 4]),
    "tiling_test12": TilingCase([-2], FLOAT, [128], INT64, [128]),
    "tiling_test13": TilingCase([-1, -1], FLOAT, [-1, 128], INT64, [-1, 128], "shape[0]"),
    "tiling_test14": TilingCase([-2], FLOAT, [-2], INT64, [-2], "shape[0]"),
}


@pytest.mark.parametrize("quirks", [False, True])
@pytest.mark.parametrize("case", TILING_CASES.values(), ids=TILING_CASES)
def test_tiling_case(case: TilingCase, quirks: bool) -> None:
    options = {"x": case.x, "dtype": case.x_dtype, "quirks": quirks}
    if not case.at_fault:
        result = tile(case.shape, case.y, case.y_dtype, **options)
        assert (result.key, result.block_dim, result.workspaces) == (0, 1, (0,))
        assert struct.unpack("<125q", result.data) == (
            len(case.shape),
            *case.shape,
            *[0] * (124 - len(case.shape)),
        )
        return
    with pytest.raises(OperatorError) as caught:
        tile(case.shape, case.y, case.y_dtype, **options)
    error = caught.value
    assert (error.stage, error.parameter, error.code) == (Stage.TILING, case.at_fault, GeStatus.GRAPH_FAILED)


# Each spoils one more thing than the next: what is judged first names the fault.
ORDER = [
    ("x", "bfloat16", {"dtype": BF16, "y_dtype": FLOAT, "x": [2] * 9, "shape": [], "y": [8]}),
    ("y", "float32", {"y_dtype": FLOAT, "x": [2] * 9, "shape": [], "y": [8], "y_format": Format.FORMAT_NCHW}),
    ("y", "NCHW", {"x": [2] * 9, "shape": [], "y": [8], "y_format": Format.FORMAT_NCHW}),
    ("x", "9 dims", {"x": [2] * 9, "shape": [], "y": [8]}),
    ("shape", "0 dims", {"shape": [], "y": [8]}),
    ("shape[1]", "-1", {"shape": [2, -1], "y": [8]}),
    ("shape", "127 elements", {"shape": [127], "y": [8]}),
    ("y", "127 elements", {"shape": [128], "y": [127]}),
]


@pytest.mark.parametrize(("parameter", "found", "call"), ORDER, ids=[f"{p}: {f}" for p, f, _ in ORDER])
def test_tiling_judges_in_the_originals_order(parameter: str, found: str, call: dict[str, Any]) -> None:
    with pytest.raises(OperatorError) as caught:
        tile(**call)
    assert caught.value.parameter == parameter
    assert found in caught.value.found


@pytest.mark.parametrize("dtype", DataType)
def test_twelve_data_types_of_x_are_taken_and_no_other(dtype: DataType) -> None:
    taken = {"bool", "float16", "float32", "float64", *(f"{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64))}
    assert len(taken) == 12
    if dtype.short in taken:
        assert tile([128], [128], dtype=dtype).block_dim == 1
        return
    with pytest.raises(OperatorError, match="x: found"):
        tile([128], [128], dtype=dtype)


def test_rank_is_judged_before_sign_and_sign_before_count() -> None:
    for shape, parameter in (([-1] * 125, "shape"), ([2, -1, 2**63 - 1, 2], "shape[1]")):
        with pytest.raises(OperatorError) as caught:
            infer(shape)
        assert caught.value.parameter == parameter


def test_a_zero_dim_leaves_no_elements() -> None:
    with pytest.raises(OperatorError, match="found 0 elements, expected at least 128"):
        infer([128, 0])


def test_inference_never_looks_at_x() -> None:
    assert infer([128], x=[2] * 30, dtype=BF16).shape == Shape([128])


def test_y_may_differ_from_the_attribute() -> None:
    assert tile([4, 8, 4], [128]).data == tile([4, 8, 4], [4, 8, 4]).data


@pytest.mark.parametrize("rank", [1, 25, 26, 124])
def test_every_rank_up_to_124_fits_the_structure(rank: int) -> None:
    shape = [1] * (rank - 1) + [128]
    data = struct.unpack("<125q", tile(shape, infer(shape).shape).data)
    assert data[: rank + 1] == (rank, *shape)
