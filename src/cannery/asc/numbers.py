"""Scalars of a running kernel: C's arithmetic where it differs from Python's.

A kernel's run-time integers are int32 unless they say otherwise; they wrap, and ``/``, ``//`` and ``%`` truncate toward
zero. Literals and ConstExpr values stay plain Python numbers
(hicann/pyasc `docs/python_syntax_support.md` @cecba26ace65).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final, TypeVar

import numpy as np

from cannery.isa import dtypes
from cannery.isa.dtypes import DataType, truncated

__all__ = ["ceildiv", "number"]

Number = TypeVar("Number", bound="RtInt")


def quotient(a: int, b: int) -> int:
    """``a / b`` truncated toward zero, as in C.

    Raises:
        ZeroDivisionError: b is 0.
    """
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def remainder(a: int, b: int) -> int:
    """``a % b`` with the sign of a, as in C."""
    return a - quotient(a, b) * b


class RtInt(int):
    """A run-time integer of a fixed width. The left operand's type decides; an operand of another type is converted."""

    __slots__ = ()
    dtype: ClassVar[DataType]
    low: ClassVar[int]
    high: ClassVar[int]

    @classmethod
    def wrap(cls: type[Number], value: int) -> Number:
        """The value modulo the width."""
        if cls.low <= value <= cls.high:
            return cls(value)
        return cls(cls.dtype.wrap(value))

    def ceildiv(self, other: int) -> RtInt:
        """(self + other − 1) / other, truncated."""
        return self.wrap(quotient(int(self) + int(other) - 1, int(other)))

    def __neg__(self) -> RtInt:
        return self.wrap(-int(self))


def _forward(operation: Callable[[int, int], int]) -> Callable[[Any, Any], Any]:
    def method(self: RtInt, other: Any) -> Any:
        return self.wrap(operation(int(self), truncated(other)))

    return method


def _reflected(operation: Callable[[int, int], int]) -> Callable[[Any, Any], Any]:
    def method(self: RtInt, other: Any) -> Any:
        if isinstance(other, float):
            return NotImplemented
        return self.wrap(operation(truncated(other), int(self)))

    return method


_INTEGER: Final[dict[str, Callable[[int, int], int]]] = {
    "add": int.__add__,
    "sub": int.__sub__,
    "mul": int.__mul__,
    "truediv": quotient,
    "floordiv": quotient,
    "mod": remainder,
    "and": int.__and__,
    "or": int.__or__,
    "xor": int.__xor__,
    "lshift": int.__lshift__,
    "rshift": int.__rshift__,
}
for _name, _operation in _INTEGER.items():
    setattr(RtInt, f"__{_name}__", _forward(_operation))
    setattr(RtInt, f"__r{_name}__", _reflected(_operation))


def _integer(dtype: DataType) -> type[RtInt]:
    body = {"__slots__": (), "dtype": dtype, "low": dtype.low, "high": dtype.high}
    return type(f"Rt_{dtype.name}", (RtInt,), body)


INTEGERS: Final = {
    dtype: _integer(dtype)
    for dtype in (
        dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64,
        dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64,
    )
}  # fmt: skip
Int32: Final = INTEGERS[dtypes.int32]
Int64: Final = INTEGERS[dtypes.int64]


class RtFloat(float):
    """A run-time float32: every result is rounded to float32; ``//`` is true division."""

    __slots__ = ()
    dtype = dtypes.float32

    def __new__(cls, value: Any) -> RtFloat:
        return super().__new__(cls, np.float32(value))


def _float_method(operation: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    def forward(self: RtFloat, other: Any) -> RtFloat:
        return RtFloat(operation(np.float32(self), np.float32(other)))

    def reflected(self: RtFloat, other: Any) -> RtFloat:
        return RtFloat(operation(np.float32(other), np.float32(self)))

    return forward, reflected


_FLOATING: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "floordiv": np.divide,
}
for _name, _float_operation in _FLOATING.items():
    _one, _other = _float_method(_float_operation)
    setattr(RtFloat, f"__{_name}__", _one)
    setattr(RtFloat, f"__r{_name}__", _other)


def runtime(value: Any) -> Any:
    """A Python scalar as a run-time scalar: int → int32, float → float32, bool → int8; anything else as it is."""
    kind = type(value)
    if kind is int:
        return Int32.wrap(value)
    if kind is float:
        return RtFloat(value)
    if kind is bool:
        return INTEGERS[dtypes.int8](value)
    return value


def typed(value: Any, dtype: DataType) -> Any:
    """A scalar as a run-time scalar of an element type; half, float64 and the like become float32."""
    if dtype in INTEGERS:
        return INTEGERS[dtype].wrap(truncated(value))
    return RtFloat(value) if dtype.is_float() else value


def number(value: Any, dtype: DataType) -> Any:
    """``asc.number``: a typed run-time scalar."""
    return typed(value, dtype)


def ceildiv(x: int, y: int) -> int:
    """``asc.ceildiv``: (x + y − 1) // y; also on the host."""
    return (x + y - 1) // y
