"""The functions on arrays behind the mathematical functions of the advanced API.

Computed in float64 and rounded once (hicann/asc-devkit docs, advanced API, mathematics, @82b89a15f263, which promises
no accuracy). Where a function has no value, the result is NaN, at a pole infinite.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
_INT_BITS = 32


def rounded_once(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """A function of float64 for arrays of any floating-point type."""

    def compute(x: Array) -> Array:
        with np.errstate(all="ignore"):
            return function(x.astype(np.float64)).astype(x.dtype)

    return compute


def _each(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function of one number, element by element."""
    mapped = np.frompyfunc(function, 1, 1)
    return lambda x: np.asarray(mapped(x), np.float64)


erf = rounded_once(_each(math.erf))
erfc = rounded_once(_each(math.erfc))


def frac(x: Array) -> Array:
    """What stands behind the point, with the sign of x."""
    return x - np.trunc(x)


def sign(x: Array) -> Array:
    """−1, 0 or 1; of NaN 0."""
    return np.where(np.isnan(x), x.dtype.type(0), np.sign(x)).astype(x.dtype)


def log_gamma(x: Array) -> Array:
    """ln |Γ(x)|; infinite at 0 and the negative integers."""
    result: Array = rounded_once(_each(_log_gamma))(x)
    return result


def _log_gamma(x: float) -> float:
    is_pole = x <= 0 and x == math.floor(x)
    return math.inf if is_pole else math.lgamma(x)


def digamma(x: Array) -> Array:
    """Γ′(x) / Γ(x); NaN at 0 and the negative integers."""
    result: Array = rounded_once(_digamma)(x)
    return result


_STEPS = 10  # of the recurrence, after which the asymptotic series is exact in float64
_SERIES = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 5 / 660, -691 / 32760, 1 / 12)


def _digamma(x: Array) -> Array:
    mirrored = np.where(x < 0.5, 1 - x, x)
    values = np.zeros_like(x)
    for step in range(_STEPS):
        values -= 1 / (mirrored + step)
    top = mirrored + _STEPS
    values += np.log(top) - 0.5 / top
    power = 1 / top**2
    for order, coefficient in enumerate(_SERIES, 1):
        values -= coefficient * power**order
    fraction = x - np.round(x)  # tan has the period π; of the difference it is exact
    reflected = np.where(fraction == 0, np.nan, values - np.pi / np.tan(np.pi * fraction))
    return np.where(x < 0.5, reflected, values)


def power(base: Array, exponent: Array) -> Array:
    """base to the exponent; integers wrap, and a negative exponent truncates."""
    if base.dtype.kind not in "iu":
        with np.errstate(all="ignore"):
            return np.power(base.astype(np.float64), exponent.astype(np.float64)).astype(base.dtype)
    positive = _integer_power(base, np.maximum(exponent, 0))
    inverse = np.where(base == 1, 1, np.where(base == -1, np.where(exponent % 2 == 0, 1, -1), 0))
    return np.where(exponent < 0, inverse, positive).astype(base.dtype)


def _integer_power(base: Array, exponent: Array) -> Array:
    """By squaring: products of the bits' powers, modulo the width."""
    factor, left, result = base.copy(), exponent.astype(np.int64), np.ones_like(base)
    for _ in range(_INT_BITS):
        result = np.where(left & 1, result * factor, result)
        factor, left = factor * factor, left >> 1
    return result


def muls_add(x: Array, scalar: Any, old: Array) -> Array:
    """scalar · x + old as a product and a sum in float32, rounded to the destination's type at the end."""
    product = np.float32(scalar) * x.astype(np.float32)
    return (product + old.astype(np.float32)).astype(old.dtype)
