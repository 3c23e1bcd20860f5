"""Data types: CANN's numbers, and one meaning for every spelling."""

import ml_dtypes
import numpy as np
import pytest
import torch

from cannery.core import DataType

NUMBERS = {
    "DT_FLOAT": 0, "DT_FLOAT16": 1, "DT_INT8": 2, "DT_INT32": 3, "DT_UINT8": 4, "DT_INT16": 6, "DT_UINT16": 7,
    "DT_UINT32": 8, "DT_INT64": 9, "DT_UINT64": 10, "DT_DOUBLE": 11, "DT_BOOL": 12, "DT_STRING": 13,
    "DT_COMPLEX64": 16, "DT_COMPLEX128": 17, "DT_BF16": 27, "DT_UNDEFINED": 28, "DT_INT4": 29, "DT_COMPLEX32": 33,
    "DT_HIFLOAT8": 34, "DT_FLOAT8_E5M2": 35, "DT_FLOAT8_E4M3FN": 36, "DT_FLOAT8_E8M0": 37, "DT_FLOAT4_E2M1": 40,
    "DT_FLOAT4_E1M2": 41, "DT_HIFLOAT4": 42,
}  # fmt: skip
UNUSED = {
    "DT_DUAL_SUB_INT8": 14, "DT_DUAL_SUB_UINT8": 15, "DT_QINT8": 18, "DT_QINT16": 19, "DT_QINT32": 20, "DT_QUINT8": 21,
    "DT_QUINT16": 22, "DT_RESOURCE": 23, "DT_STRING_REF": 24, "DT_DUAL": 25, "DT_VARIANT": 26, "DT_UINT1": 30,
    "DT_INT2": 31, "DT_UINT2": 32, "DT_FLOAT6_E3M2": 38, "DT_FLOAT6_E2M3": 39, "DT_MAX": 43,
}  # fmt: skip
"""Numbers that no operator here takes."""
USED = [DataType[name] for name in NUMBERS]


def test_the_numbers_are_those_of_the_c_interfaces() -> None:
    assert {dtype.name: int(dtype) for dtype in DataType} == NUMBERS | UNUSED


@pytest.mark.parametrize("name", UNUSED)
def test_what_no_operator_takes_has_a_number_and_no_bits(name: str) -> None:
    dtype = DataType[name]
    assert DataType.of(dtype) is dtype and dtype.itemsize == 0 and dtype.is_floating == ("FLOAT6" in name)
    for spelling in (name, dtype.short, int(dtype)):
        with pytest.raises(ValueError, match="expected one of"):
            DataType.of(spelling)
    for kind in ("torch", "numpy"):
        with pytest.raises(ValueError, match=name):
            getattr(dtype, kind)


@pytest.mark.parametrize("dtype", USED)
def test_name_short_name_and_number_mean_the_same(dtype: DataType) -> None:
    spellings = (dtype, dtype.name, dtype.name.lower(), dtype.short, dtype.short.upper(), int(dtype))
    assert {DataType.of(spelling) for spelling in spellings} == {dtype}


@pytest.mark.parametrize(
    ("alias", "dtype"),
    [
        ("fp16", DataType.DT_FLOAT16),
        ("half", DataType.DT_FLOAT16),
        ("fp32", DataType.DT_FLOAT),
        ("float", DataType.DT_FLOAT),
        ("double", DataType.DT_DOUBLE),
        ("fp64", DataType.DT_DOUBLE),
        ("bf16", DataType.DT_BF16),
        ("torch.bfloat16", DataType.DT_BF16),
        ("c64", DataType.DT_COMPLEX64),
        (" int32 ", DataType.DT_INT32),
    ],
)
def test_an_alias_of_case_files_is_known(alias: str, dtype: DataType) -> None:
    assert DataType.of(alias) is dtype


@pytest.mark.parametrize("dtype", DataType)
def test_torch_and_numpy_have_the_same_bits(dtype: DataType) -> None:
    for kind in ("torch", "numpy"):
        try:
            twin = getattr(dtype, kind)
        except ValueError as failure:
            assert dtype.name in str(failure)
            continue
        assert DataType.of(twin) is dtype
        if dtype.itemsize:
            assert twin.itemsize == dtype.itemsize


def test_python_and_numpy_scalar_types_are_data_types() -> None:
    assert DataType.of(np.float16) is DataType.DT_FLOAT16
    assert DataType.of(ml_dtypes.bfloat16) is DataType.DT_BF16
    assert DataType.of(bool) is DataType.DT_BOOL


@pytest.mark.parametrize("wrong", ["float17", "", 5, 999, -1, True, None, 1.0, object, np.dtype("S3"), torch.qint8])
def test_anything_else_is_refused_by_name(wrong: object) -> None:
    with pytest.raises(ValueError, match="data type: found"):
        DataType.of(wrong)


def test_byte_swapped_numpy_types_are_not_taken_for_native_ones() -> None:
    with pytest.raises(ValueError, match="data type"):
        DataType.of(np.dtype(np.float32).newbyteorder())


def test_kinds() -> None:
    floats = {dtype for dtype in DataType if dtype.is_floating}
    assert {DataType.DT_BF16, DataType.DT_HIFLOAT8, DataType.DT_FLOAT8_E5M2} <= floats
    assert not floats & {DataType.DT_COMPLEX64, DataType.DT_BOOL, DataType.DT_INT8}
    assert DataType.DT_UINT16.is_integer and not DataType.DT_BOOL.is_integer and not DataType.DT_BF16.is_integer
