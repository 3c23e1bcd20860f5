"""Conversions between element types with the rounding modes of cast.

NONE rounds to nearest even where bits are lost, ROUND moves ties away from zero, ODD forces the last bit of an inexact
result to 1; integers saturate and NaN becomes 0 (hicann/asc-devkit docs, Cast, @82b89a15f263).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from ml_dtypes import finfo

from cannery.isa.dtypes import DataType, float16, int32
from cannery.isa.enums import RoundMode

Array = np.ndarray[Any, Any]
_R = RoundMode


def _half_away(x: Array) -> Array:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.sign(x), whole)


INTEGRAL: Final[Mapping[RoundMode, Callable[[Any], Any]]] = MappingProxyType(
    {
        _R.CAST_NONE: np.rint,
        _R.CAST_RINT: np.rint,
        _R.CAST_FLOOR: np.floor,
        _R.CAST_CEIL: np.ceil,
        _R.CAST_ROUND: _half_away,
        _R.CAST_TRUNC: np.trunc,
    }
)
"""Rounding to an integral value, by mode."""


def converter(src: DataType, dst: DataType, mode: RoundMode, scale: float = 1.0) -> Callable[[Array], Array]:
    """A function that converts arrays of ``src`` to ``dst``; the pair must have been checked."""
    if dst.is_float():
        if src == dst:
            return INTEGRAL[mode]
        if src == int32 and dst == float16:
            return lambda x: (x.astype(np.float32) * np.float32(scale)).astype(np.float16)
        return lambda x: to_float(x, dst.numpy, mode)
    return lambda x: to_integer(x, dst.numpy, mode)


def to_integer(x: Array, dtype: np.dtype[Any], mode: RoundMode) -> Array:
    """Round, then saturate; NaN gives 0."""
    info = np.iinfo(dtype)
    if x.dtype.kind in "iu":
        return np.clip(x.astype(np.int64), info.min, info.max).astype(dtype)
    rounded = INTEGRAL[mode](x.astype(np.float64))
    rounded = np.where(np.isnan(rounded), 0.0, rounded)
    # 2^63 itself is a float64, 2^63 − 1 is not: clip to the range below, then patch the top.
    low, high = float(info.min), float(info.max)
    inside = np.clip(rounded, low, np.nextafter(high, 0) if high > 2.0**53 else high).astype(dtype)
    return np.where(rounded >= high, dtype.type(info.max), inside).astype(dtype)


def to_float(x: Array, dtype: np.dtype[Any], mode: RoundMode) -> Array:
    """Round to a narrower floating-point type in a direction; exact where nothing is lost."""
    exact = x.astype(np.float64)
    near = x.astype(dtype)
    if mode in (_R.CAST_NONE, _R.CAST_RINT):
        return near
    back = near.astype(np.float64)
    finite = np.isfinite(exact)
    below = np.where(finite & (back > exact), _step(near, -np.inf), near)
    above = np.where(finite & (back < exact), _step(near, np.inf), near)
    return _CHOOSE[mode](exact, below, above).astype(dtype)


def _step(x: Array, toward: float) -> Array:
    if x.dtype.kind == "f":
        return np.nextafter(x, x.dtype.type(toward))
    bits = x.view(np.int16).astype(np.int32)  # bfloat16: the sign-magnitude bits, one unit up or down
    ordered = np.where(bits < 0, -(bits & 0x7FFF), bits) + (1 if toward > 0 else -1)
    return np.where(ordered < 0, -ordered | 0x8000, ordered).astype(np.uint16).view(x.dtype)


def _toward_zero(exact: Array, below: Array, above: Array) -> Array:
    return np.where(exact >= 0, below, above)


def _unbounded(x: Array) -> Array:
    """Values as float64, infinity as the power of two behind the largest number: what lies nearer to it overflows."""
    return np.clip(x.astype(np.float64), -_overflow(x.dtype), _overflow(x.dtype))


def _overflow(dtype: np.dtype[Any]) -> float:
    return float(2.0 ** finfo(dtype).maxexp)


def _ties_away(exact: Array, below: Array, above: Array) -> Array:
    under, over = exact - _unbounded(below), _unbounded(above) - exact
    return np.where(under == over, np.where(exact >= 0, above, below), np.where(under < over, below, above))


def _to_odd(exact: Array, below: Array, above: Array) -> Array:
    odd = (below.view(np.uint16) & 1) == 1 if below.dtype.itemsize == 2 else (below.view(np.uint32) & 1) == 1
    return np.where(odd, below, above)


_CHOOSE: Final[Mapping[RoundMode, Callable[[Array, Array, Array], Array]]] = MappingProxyType(
    {
        _R.CAST_FLOOR: lambda exact, below, above: below,
        _R.CAST_CEIL: lambda exact, below, above: above,
        _R.CAST_TRUNC: _toward_zero,
        _R.CAST_ROUND: _ties_away,
        _R.CAST_ODD: _to_odd,
    }
)
