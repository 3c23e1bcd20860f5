"""The functions on arrays behind vector instructions.

16-bit floating-point results are rounded once an instruction, as numpy and ml_dtypes do; integers wrap
(hicann/asc-devkit docs, Memory vector calculation, @82b89a15f263).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def _flush(x: Array) -> Array:
    """Subnormal results become 0."""
    tiny = np.finfo(x.dtype).tiny if x.dtype.kind == "f" else np.float32(1.1754944e-38)
    return np.where(np.abs(x) < tiny, x.dtype.type(0), x)


def _precisely(function: Callable[[Array], Array], x: Array) -> Array:
    """A function within 1 ulp: of float32 in float64, rounded once."""
    result: Array = function(x.astype(np.float64) if x.dtype == np.float32 else x).astype(x.dtype)
    return result


def exp(x: Array) -> Array:
    """eˣ, subnormal results flushed."""
    return _flush(_precisely(np.exp, x))


def ln(x: Array) -> Array:
    """The natural logarithm, subnormal results flushed."""
    return _flush(_precisely(np.log, x))


def div(a: Array, b: Array) -> Array:
    """a / b; of integers the quotient is truncated toward zero, a division by 0 gives 0."""
    if a.dtype.kind not in "iu":
        return np.divide(a, b)
    with np.errstate(divide="ignore"):
        floored = a // b
    exact = floored * b == a
    return np.where((b != 0) & ~exact & ((a < 0) != (b < 0)), floored + floored.dtype.type(1), floored)


def bitwise_not(x: Array) -> Array:
    """All bits inverted, whatever the type."""
    bits = x.view(f"u{x.dtype.itemsize}") if x.dtype.kind not in "iu" else x
    return np.invert(bits).view(x.dtype)


def relu(x: Array) -> Array:
    """Negative values become 0."""
    return np.maximum(x, x.dtype.type(0))


def rsqrt(x: Array) -> Array:
    """1 / √x, correctly rounded."""
    return (x.dtype.type(1) / np.sqrt(x)).astype(x.dtype)


def reciprocal(x: Array) -> Array:
    """1 / x, correctly rounded; of integers truncated."""
    return div(np.ones_like(x), x)


def add_relu(a: Array, b: Array) -> Array:
    """relu of the sum."""
    return relu(a + b)


def sub_relu(a: Array, b: Array) -> Array:
    """relu of the difference."""
    return relu(a - b)


def fused_mul_add(a: Array, b: Array, old: Array) -> Array:
    """a · old + b."""
    return a * old + b


def fused_mul_add_relu(a: Array, b: Array, old: Array) -> Array:
    """relu of a · old + b."""
    return relu(a * old + b)


def mul_add_dst(a: Array, b: Array, old: Array) -> Array:
    """old + a · b."""
    return old + a * b


def leaky_relu(x: Array, slope: Any) -> Array:
    """Negative values times a slope."""
    return np.where(x >= x.dtype.type(0), x, x * slope)


def axpy(x: Array, scalar: Any, old: Array) -> Array:
    """scalar · x + old: source and scalar are converted to the type of the destination first."""
    return np.multiply(x, scalar, dtype=old.dtype) + old if x.dtype != old.dtype else scalar * x + old


def shift_left(x: Array, by: Any) -> Array:
    """A shift that keeps the sign bit of signed integers."""
    shifted = np.left_shift(x, by)
    if x.dtype.kind == "u":
        return shifted
    keep = shifted & x.dtype.type(np.iinfo(x.dtype).max)
    return np.where(x < 0, keep | x.dtype.type(np.iinfo(x.dtype).min), keep)


def shift_right(x: Array, by: Any) -> Array:
    """An arithmetic shift of signed integers, a logical one of unsigned."""
    return np.right_shift(x, by)


def tree_sum(rows: Array) -> Array:
    """The sum of each row by adjacent pairs, rounded at every level."""
    while rows.shape[-1] > 1:
        rows = pair_sums(rows)
    return rows[..., 0]


def pair_sums(rows: Array) -> Array:
    """The sums of each row's adjacent pairs; an odd last one stays alone."""
    if rows.shape[-1] % 2:
        rows = np.concatenate([rows, np.zeros((*rows.shape[:-1], 1), rows.dtype)], axis=-1)
    return rows[..., ::2] + rows[..., 1::2]


def max_of_rows(rows: Array) -> Array:
    """The largest of each row."""
    return rows.max(axis=-1)


def min_of_rows(rows: Array) -> Array:
    """The smallest of each row."""
    return rows.min(axis=-1)


def first_max(rows: Array) -> Array:
    """Where the largest of each row is, the first of several."""
    return rows.argmax(axis=-1)


def first_min(rows: Array) -> Array:
    """Where the smallest of each row is, the first of several."""
    return rows.argmin(axis=-1)
