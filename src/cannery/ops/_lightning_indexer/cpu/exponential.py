"""exp in fp32, written so that the compiler turns a loop over it into vector code."""

from __future__ import annotations

import numpy as np

from .jit import kernel
from .lanes import as_bits, as_float

_LOG2E = np.float32(1.4426950408889634)
# ln 2 in two parts; the first has few enough bits for its multiples to be exact.
_LN2_HIGH, _LN2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)
# Adding 1.5 * 2**23 leaves the nearest integer in the low bits: no conversion, which NaN would not survive.
_SHIFT = np.float32(12582912.0)
_SHIFT_BITS = np.int32(0x4B400000)
_LOWEST, _HIGHEST = np.float32(-104.0), np.float32(89.0)
# Taylor coefficients of (exp(r) - 1 - r) / r**2, good to half a unit in the last place for |r| <= ln(2) / 2.
_C2, _C3, _C4 = np.float32(1 / 2), np.float32(1 / 6), np.float32(1 / 24)
_C5, _C6, _C7 = np.float32(1 / 120), np.float32(1 / 720), np.float32(1 / 5040)
_ONE = np.float32(1.0)


@kernel()
def exp(x):  # type: ignore[no-untyped-def]
    """``e ** x`` to about one unit in the last place, through denormals to 0, to infinity above, NaN for NaN."""
    x = max(min(x, _HIGHEST), _LOWEST)  # in this order a NaN comes through
    shifted = x * _LOG2E + _SHIFT
    whole = shifted - _SHIFT
    r = (x - whole * _LN2_HIGH) - whole * _LN2_LOW
    tail = _C2 + r * (_C3 + r * (_C4 + r * (_C5 + r * (_C6 + r * _C7))))
    power = np.int32(np.int32(as_bits(shifted)) - _SHIFT_BITS)
    # Two factors: 2 ** -150 and 2 ** 128 are no fp32 numbers of their own.
    half = np.int32(power >> np.int32(1))
    return (_ONE + (r + r * r * tail)) * _two_to(half) * _two_to(np.int32(power - half))


@kernel()
def _two_to(power):  # type: ignore[no-untyped-def]
    return as_float(np.uint32(np.int32(power + np.int32(127)) << np.int32(23)))
