"""Data types with CANN's numbers.

Source of the numbers: hicann/ge `api/python/ge/ge/graph/types.py` @ffdcbc9f; ascend-transformer-boost
`tests/framework/python/CsvOpsTestTool/atb_csv_ops_test.py` @ddcc8b6 uses the same ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np

from cannery.core.loaded import is_torch

if TYPE_CHECKING:
    import torch


class DataType(IntEnum):
    """A CANN data type; the value is the number the C interfaces use.

    Those that no operator here can take are members too, as in the original; ``of`` finds none of them.
    """

    DT_FLOAT = 0
    DT_FLOAT16 = 1
    DT_INT8 = 2
    DT_INT32 = 3
    DT_UINT8 = 4
    DT_INT16 = 6
    DT_UINT16 = 7
    DT_UINT32 = 8
    DT_INT64 = 9
    DT_UINT64 = 10
    DT_DOUBLE = 11
    DT_BOOL = 12
    DT_STRING = 13
    DT_DUAL_SUB_INT8 = 14
    DT_DUAL_SUB_UINT8 = 15
    DT_COMPLEX64 = 16
    DT_COMPLEX128 = 17
    DT_QINT8 = 18
    DT_QINT16 = 19
    DT_QINT32 = 20
    DT_QUINT8 = 21
    DT_QUINT16 = 22
    DT_RESOURCE = 23
    DT_STRING_REF = 24
    DT_DUAL = 25
    DT_VARIANT = 26
    DT_BF16 = 27
    DT_UNDEFINED = 28
    DT_INT4 = 29
    DT_UINT1 = 30
    DT_INT2 = 31
    DT_UINT2 = 32
    DT_COMPLEX32 = 33
    DT_HIFLOAT8 = 34
    DT_FLOAT8_E5M2 = 35
    DT_FLOAT8_E4M3FN = 36
    DT_FLOAT8_E8M0 = 37
    DT_FLOAT6_E3M2 = 38
    DT_FLOAT6_E2M3 = 39
    DT_FLOAT4_E2M1 = 40
    DT_FLOAT4_E1M2 = 41
    DT_HIFLOAT4 = 42
    DT_MAX = 43

    @classmethod
    def of(cls, value: Any) -> DataType:
        """The data type meant by a torch dtype, a numpy dtype, a name ("float16", "fp16", "DT_FLOAT16") or a DataType.

        Raises:
            ValueError: nothing of that name or kind is a CANN data type.
        """
        if isinstance(value, cls):
            return value
        found = _lookup(value)
        if found is None:
            raise ValueError(
                f"data type: found {value!r}, expected one of {', '.join(s.short for s in _SPECS.values())}"
            )
        return found

    @property
    def short(self) -> str:
        """The name numpy and the case files use, e.g. ``float16``."""
        return _spec(self).short

    @property
    def itemsize(self) -> int:
        """Bytes an element takes; 0 where an element is not a whole number of bytes, or of a type nothing takes."""
        return _spec(self).itemsize

    @property
    def torch(self) -> torch.dtype:
        """The torch dtype with the same bits.

        Raises:
            ValueError: torch has no such dtype.
        """
        dtype = _torch_dtypes().get(self)
        if dtype is None:
            raise ValueError(f"data type: found {self.name}, expected one that PyTorch can hold")
        return dtype

    @property
    def numpy(self) -> np.dtype[Any]:
        """The numpy dtype with the same bits (ml_dtypes for bfloat16 and the 8-bit floats).

        Raises:
            ValueError: numpy has no such dtype.
        """
        dtype = _spec(self).numpy
        if dtype is None:
            raise ValueError(f"data type: found {self.name}, expected one that numpy can hold")
        return np.dtype(dtype)

    @property
    def is_floating(self) -> bool:
        """Whether an element is a real floating-point number."""
        return self.short.startswith(("float", "bfloat", "hifloat"))

    @property
    def is_integer(self) -> bool:
        """Whether an element is an integer (bool is not)."""
        return self.short.startswith(("int", "uint"))


@dataclass(frozen=True)
class _Spec:
    short: str
    itemsize: int
    torch: str | None  # its name there: a program that only names data types does not load it
    numpy: Any
    aliases: tuple[str, ...] = ()


_T = DataType
_SPECS = MappingProxyType(
    {
        _T.DT_FLOAT: _Spec("float32", 4, "float32", np.float32, ("float", "fp32")),
        _T.DT_FLOAT16: _Spec("float16", 2, "float16", np.float16, ("half", "fp16")),
        _T.DT_INT8: _Spec("int8", 1, "int8", np.int8),
        _T.DT_INT32: _Spec("int32", 4, "int32", np.int32, ("int",)),
        _T.DT_UINT8: _Spec("uint8", 1, "uint8", np.uint8),
        _T.DT_INT16: _Spec("int16", 2, "int16", np.int16),
        _T.DT_UINT16: _Spec("uint16", 2, "uint16", np.uint16),
        _T.DT_UINT32: _Spec("uint32", 4, "uint32", np.uint32),
        _T.DT_INT64: _Spec("int64", 8, "int64", np.int64),
        _T.DT_UINT64: _Spec("uint64", 8, "uint64", np.uint64),
        _T.DT_DOUBLE: _Spec("float64", 8, "float64", np.float64, ("double", "fp64")),
        _T.DT_BOOL: _Spec("bool", 1, "bool", np.bool_),
        _T.DT_STRING: _Spec("string", 0, None, None),
        _T.DT_COMPLEX64: _Spec("complex64", 8, "complex64", np.complex64, ("c64",)),
        _T.DT_COMPLEX128: _Spec("complex128", 16, "complex128", np.complex128, ("c128",)),
        _T.DT_BF16: _Spec("bfloat16", 2, "bfloat16", ml_dtypes.bfloat16, ("bf16",)),
        _T.DT_UNDEFINED: _Spec("undefined", 0, None, None),
        _T.DT_INT4: _Spec("int4", 0, None, ml_dtypes.int4),
        _T.DT_COMPLEX32: _Spec("complex32", 4, "complex32", None, ("c32",)),
        _T.DT_HIFLOAT8: _Spec("hifloat8", 1, None, None),
        _T.DT_FLOAT8_E5M2: _Spec("float8_e5m2", 1, "float8_e5m2", ml_dtypes.float8_e5m2),
        _T.DT_FLOAT8_E4M3FN: _Spec("float8_e4m3fn", 1, "float8_e4m3fn", ml_dtypes.float8_e4m3fn),
        _T.DT_FLOAT8_E8M0: _Spec("float8_e8m0", 1, "float8_e8m0fnu", ml_dtypes.float8_e8m0fnu),
        _T.DT_FLOAT4_E2M1: _Spec("float4_e2m1", 0, None, ml_dtypes.float4_e2m1fn),
        _T.DT_FLOAT4_E1M2: _Spec("float4_e1m2", 0, None, None),
        _T.DT_HIFLOAT4: _Spec("hifloat4", 0, None, None),
    }
)


@cache
def _spec(dtype: DataType) -> _Spec:
    return _SPECS.get(dtype) or _Spec(dtype.name.lower().removeprefix("dt_"), 0, None, None)


@cache
def _by_name() -> dict[str, DataType]:
    names = {name.lower(): dtype for dtype, spec in _SPECS.items() for name in (dtype.name, spec.short, *spec.aliases)}
    return names | {dtype.name.lower().removeprefix("dt_"): dtype for dtype in _SPECS}


@cache
def _by_numpy() -> dict[np.dtype[Any], DataType]:
    return {np.dtype(spec.numpy): dtype for dtype, spec in _SPECS.items() if spec.numpy is not None}


@cache
def _torch_dtypes() -> dict[DataType, torch.dtype]:
    import torch

    return {dtype: getattr(torch, spec.torch) for dtype, spec in _SPECS.items() if spec.torch is not None}


@cache
def _by_torch() -> dict[torch.dtype, DataType]:
    return {found: dtype for dtype, found in _torch_dtypes().items()}


def _lookup(value: Any) -> DataType | None:
    if isinstance(value, str):
        return _by_name().get(value.strip().lower().removeprefix("torch."))
    if is_torch(value, "dtype"):
        return _by_torch().get(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return DataType(value) if value in _SPECS else None
    if isinstance(value, (np.dtype, type)):
        return _by_numpy().get(np.dtype(value))
    return None
