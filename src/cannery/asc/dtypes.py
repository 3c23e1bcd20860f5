"""Element types, in pyasc's spelling (hicann/pyasc `python/asc/language/core/dtype.py` @cecba26ace65)."""

from __future__ import annotations

from typing import Final

from cannery.isa.dtypes import (
    DataType,
    bfloat16,
    float16,
    float32,
    float64,
    int1,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)

half: Final = float16
float_: Final = float32
double: Final = float64
int_: Final = int32

__all__ = [
    "DataType",
    "bfloat16",
    "double",
    "float16",
    "float32",
    "float64",
    "float_",
    "half",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "void",
]  # fmt: skip


class KnownTypes:
    """The types as attributes, e.g. ``KT.int32``."""

    void, int1, bit, bool_ = void, int1, int1, int8
    int8, int16, int32, int64 = int8, int16, int32, int64
    uint8, uint16, uint32, uint64 = uint8, uint16, uint32, uint64
    float16, float32, float64, bfloat16 = float16, float32, float64, bfloat16
    half, float_, double, int_ = half, float_, double, int_
