"""The semantics of elementwise vector instructions: from a name to a small function on arrays.

16-bit floating-point results are rounded once an instruction, as numpy and ml_dtypes do; integers wrap
(hicann/asc-devkit docs, Memory vector calculation, @82b89a15f263).
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from cannery.asc import dtypes
from cannery.asc.dtypes import DataType

Array = np.ndarray[Any, Any]
Compute = Callable[..., Any]

ARITHMETIC: Final = frozenset({dtypes.int16, dtypes.int32, dtypes.float16, dtypes.float32, dtypes.bfloat16})
FLOATING: Final = frozenset({dtypes.float16, dtypes.float32, dtypes.bfloat16})
BITS: Final = frozenset({dtypes.int16, dtypes.uint16})
SHIFTABLE: Final = frozenset({dtypes.int16, dtypes.uint16, dtypes.int32, dtypes.uint32})
RECTIFIABLE: Final = FLOATING | {dtypes.int16, dtypes.int32}


class Semantics(NamedTuple):
    """What an instruction computes, and for which element types. ``reads_dst``: the old destination comes last."""

    compute: Compute
    types: frozenset[DataType]
    reads_dst: bool = False


def _flush(x: Array) -> Array:
    """Subnormal results become 0."""
    tiny = np.finfo(x.dtype).tiny if x.dtype.kind == "f" else np.float32(1.1754944e-38)
    return np.where(np.abs(x) < tiny, x.dtype.type(0), x)


def _exp(x: Array) -> Array:
    return _flush(np.exp(x))


def _ln(x: Array) -> Array:
    return _flush(np.log(x))


def _relu(x: Array) -> Array:
    return np.maximum(x, x.dtype.type(0))


def _rsqrt(x: Array) -> Array:
    return (x.dtype.type(1) / np.sqrt(x)).astype(x.dtype)


def _reciprocal(x: Array) -> Array:
    return (x.dtype.type(1) / x).astype(x.dtype)


def _add_relu(a: Array, b: Array) -> Array:
    return _relu(a + b)


def _sub_relu(a: Array, b: Array) -> Array:
    return _relu(a - b)


def _fused_mul_add(a: Array, b: Array, old: Array) -> Array:
    return a * old + b


def _fused_mul_add_relu(a: Array, b: Array, old: Array) -> Array:
    return _relu(a * old + b)


def _mul_add_dst(a: Array, b: Array, old: Array) -> Array:
    return old + a * b


def _leaky_relu(x: Array, slope: Any) -> Array:
    return np.where(x >= x.dtype.type(0), x, x * slope)


def _axpy(x: Array, scalar: Any, old: Array) -> Array:
    return (scalar * x).astype(old.dtype) + old


def _shift_left(x: Array, by: Any) -> Array:
    wide = x.astype(np.int64) << np.int64(by)
    if x.dtype.kind == "u":
        return wide.astype(x.dtype)
    keep = wide & np.int64(np.iinfo(x.dtype).max)
    return np.where(x < 0, keep | np.int64(np.iinfo(x.dtype).min), keep).astype(x.dtype)


def _shift_right(x: Array, by: Any) -> Array:
    return (x.astype(np.int64) >> np.int64(by)).astype(x.dtype)


BINARY: Final = MappingProxyType(
    {
        "add": Semantics(np.add, ARITHMETIC),
        "sub": Semantics(np.subtract, ARITHMETIC),
        "mul": Semantics(np.multiply, ARITHMETIC),
        "div": Semantics(np.divide, FLOATING),
        "max": Semantics(np.maximum, ARITHMETIC),
        "min": Semantics(np.minimum, ARITHMETIC),
        "bitwise_and": Semantics(np.bitwise_and, BITS),
        "bitwise_or": Semantics(np.bitwise_or, BITS),
        "add_relu": Semantics(_add_relu, RECTIFIABLE),
        "sub_relu": Semantics(_sub_relu, RECTIFIABLE),
        "fused_mul_add": Semantics(_fused_mul_add, FLOATING, reads_dst=True),
        "fused_mul_add_relu": Semantics(_fused_mul_add_relu, FLOATING, reads_dst=True),
        "mul_add_dst": Semantics(_mul_add_dst, FLOATING, reads_dst=True),
    }
)
"""dst = src0 ∘ src1."""

UNARY: Final = MappingProxyType(
    {
        "abs": Semantics(np.abs, ARITHMETIC),
        "exp": Semantics(_exp, FLOATING),
        "ln": Semantics(_ln, FLOATING),
        "sqrt": Semantics(np.sqrt, FLOATING),
        "rsqrt": Semantics(_rsqrt, FLOATING),
        "reciprocal": Semantics(_reciprocal, FLOATING),
        "relu": Semantics(_relu, RECTIFIABLE),
        "bitwise_not": Semantics(np.invert, BITS),
    }
)
"""dst = f(src)."""

SCALAR: Final = MappingProxyType(
    {
        "adds": Semantics(np.add, ARITHMETIC),
        "muls": Semantics(np.multiply, ARITHMETIC),
        "maxs": Semantics(np.maximum, ARITHMETIC),
        "mins": Semantics(np.minimum, ARITHMETIC),
        "leaky_relu": Semantics(_leaky_relu, FLOATING),
        "shift_left": Semantics(_shift_left, SHIFTABLE),
        "shift_right": Semantics(_shift_right, SHIFTABLE),
        "axpy": Semantics(_axpy, FLOATING, reads_dst=True),
    }
)
"""dst = src ∘ scalar; the scalar is converted to the source's element type first."""
