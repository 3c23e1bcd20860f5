"""What differs between bf16 pairs and single fp32 values: packing rows, and writing dS.

Each function has two bodies; numba picks one by the type of its first argument, an array of units (see ``panel``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from .jit import kernel

WIDTH = 64  # columns of a score tile
HEAD_DIM = 128

_LOW = np.uint32(0xFFFF)
_HIGH = np.uint32(0xFFFF0000)
_HALF_STEP = np.uint32(0x8000)  # half a bf16 step
_BF16_MAX = np.float32(3.3895313892515355e38)
_F16_MAX = np.float32(65504.0)
_F16_TINY = np.float32(2.0**-14)  # the smallest normal fp16
_F16_STEP = np.float32(2.0**-24)  # the step below it
_F16_SCALE = np.float32(2.0**24)
_F16_HALF_STEP = np.uint32(0x1000)
_F16_KEEP = np.uint32(0xFFFFE000)
_ZERO = np.float32(0.0)
_HALF = np.float32(0.5)


def _reinterpret(source: Any, to: Any, llvm: ir.Type) -> Any:
    @intrinsic
    def cast(typing, value):  # type: ignore[no-untyped-def]
        return to(source), lambda context, builder, signature, args: builder.bitcast(args[0], llvm)

    return cast


as_bits = _reinterpret(types.float32, types.uint32, ir.IntType(32))
as_float = _reinterpret(types.uint32, types.float32, ir.FloatType())


def _is_pairs(units: Any) -> bool:
    return bool(units.dtype == types.uint32)


def interleave(out: Any, at: Any, source: Any, row: Any, rows: Any) -> None:
    """Write one step of a summed dimension made of rows: ``out[at, d]`` takes the rows of step ``row``, zeros beyond
    ``rows``.

    Pairs: rows ``2 * row`` and ``2 * row + 1`` share a unit. Single values: row ``row`` is copied.
    """
    raise NotImplementedError("compiled code only")


@overload(interleave)
def _interleave(out, at, source, row, rows):  # type: ignore[no-untyped-def]  # both bodies repeat these names
    def pairs(out, at, source, row, rows):  # type: ignore[no-untyped-def]
        first, second = 2 * row, 2 * row + 1
        for unit in range(source.shape[1]):
            a = source[first, unit] if first < rows else np.uint32(0)
            b = source[second, unit] if second < rows else np.uint32(0)
            out[at, 2 * unit] = (a & _LOW) | (b << np.uint32(16))
            out[at, 2 * unit + 1] = (a >> np.uint32(16)) | (b & _HIGH)

    def singles(out, at, source, row, rows):  # type: ignore[no-untyped-def]
        for unit in range(source.shape[1]):
            out[at, unit] = source[row, unit] if row < rows else _ZERO

    return pairs if _is_pairs(out) else singles


def first_half(out: Any, units: Any) -> None:
    """Copy units with the second value of each pair cleared; single values have no second half and are copied."""
    raise NotImplementedError("compiled code only")


@overload(first_half)
def _first_half(out, units):  # type: ignore[no-untyped-def]  # both bodies repeat these names
    def pairs(out, units):  # type: ignore[no-untyped-def]
        for d in range(HEAD_DIM):
            out[d] = units[d] & _LOW

    def singles(out, units):  # type: ignore[no-untyped-def]
        out[:] = units

    return pairs if _is_pairs(out) else singles


@kernel()
def _bf16_bits(value):  # type: ignore[no-untyped-def]
    """The bits of ``value`` saturated to bf16, half a step further from zero: the upper half is the rounded number."""
    value = max(min(value, _BF16_MAX), -_BF16_MAX)  # in this order a NaN comes through
    return np.uint32(as_bits(value) + _HALF_STEP)


@kernel()
def _to_float16_grid(value):  # type: ignore[no-untyped-def]
    """``value`` rounded to the nearest fp16 number, half away from zero, saturating; still fp32."""
    magnitude = abs(value)
    scaled = magnitude * _F16_SCALE
    whole = np.float32(np.floor(scaled))
    tiny = (whole + (np.float32(1.0) if scaled - whole >= _HALF else _ZERO)) * _F16_STEP
    normal = min(as_float(np.uint32(np.uint32(as_bits(magnitude) + _F16_HALF_STEP) & _F16_KEEP)), _F16_MAX)
    rounded = tiny if magnitude < _F16_TINY else normal
    rounded = value if value != value else rounded
    return rounded if value > _ZERO else -rounded


def write_ds(by_head: Any, block: Any, by_row: Any, column: Any, score: Any, di: Any, w: Any, half: Any) -> None:
    """Write dS of one score tile, ``di[j] * w[h]`` where the score is positive, in the input's precision, twice.

    ``by_head[block]`` (heads / values a unit, 64) feeds dk, ``by_row[:, column:column + 64]`` feeds dq. ``half``
    rounds single values to fp16.
    """
    raise NotImplementedError("compiled code only")


# The loops below take whole 1-d rows, write one each, and compute before they choose: so the compiler's test for
# overlapping arrays passes and it emits vector code.
@kernel()
def _pair_of_heads(out, score0, score1, di, w0, w1):  # type: ignore[no-untyped-def]
    for j in range(WIDTH):
        first, second = di[j] * w0, di[j] * w1
        a = _bf16_bits(_ZERO if score0[j] <= _ZERO else first)  # in this order a NaN score is not hidden
        b = _bf16_bits(_ZERO if score1[j] <= _ZERO else second)
        out[j] = np.uint32(a >> np.uint32(16)) | np.uint32(b & _HIGH)


@kernel()
def _first_of_pairs(out, pairs):  # type: ignore[no-untyped-def]
    for j in range(WIDTH):
        out[j] = np.uint16(pairs[j])


@kernel()
def _second_of_pairs(out, pairs):  # type: ignore[no-untyped-def]
    for j in range(WIDTH):
        out[j] = np.uint16(pairs[j] >> np.uint32(16))


@kernel()
def _one_head(out, score_row, di, wh):  # type: ignore[no-untyped-def]
    for j in range(WIDTH):
        product = di[j] * wh
        out[j] = _ZERO if score_row[j] <= _ZERO else product


@kernel()
def _round_to_half(row):  # type: ignore[no-untyped-def]
    for j in range(WIDTH):
        row[j] = _to_float16_grid(row[j])


@overload(write_ds)
def _write_ds(by_head, block, by_row, column, score, di, w, half):  # type: ignore[no-untyped-def]
    def pairs(by_head, block, by_row, column, score, di, w, half):  # type: ignore[no-untyped-def]
        for pair in range(by_head.shape[1]):
            h, out = 2 * pair, by_head[block, pair]
            _pair_of_heads(out, score[h], score[h + 1], di, w[h], w[h + 1])
            _first_of_pairs(by_row[h, column : column + WIDTH], out)
            _second_of_pairs(by_row[h + 1, column : column + WIDTH], out)

    def singles(by_head, block, by_row, column, score, di, w, half):  # type: ignore[no-untyped-def]
        for h in range(by_head.shape[1]):
            out = by_head[block, h]
            _one_head(out, score[h], di, w[h])
            if half:
                _round_to_half(out)
            by_row[h, column : column + WIDTH] = out

    return pairs if _is_pairs(by_head) else singles


@kernel()
def _nearest_bfloat16(value):  # type: ignore[no-untyped-def]
    """The bf16 bits of ``value``, half to even; NaN stays NaN."""
    bits = as_bits(value)
    odd = np.uint32(np.uint32(bits >> np.uint32(16)) & np.uint32(1))
    rounded = np.uint32(np.uint32(bits + np.uint32(np.uint32(0x7FFF) + odd)) >> np.uint32(16))
    return np.uint16(rounded if value == value else np.uint32(0x7FC0))


@kernel()
def store_bfloat16(first, last, token, dq, out):  # type: ignore[no-untyped-def]
    """Write rows of fp32 ``dq`` to ``out[token]`` as bf16 bits; heads beyond those of ``out`` are padding."""
    for i in range(first, last):
        for h in range(out.shape[1]):
            source, into = dq[i, h], out[token[i], h]
            for d in range(HEAD_DIM):
                into[d] = _nearest_bfloat16(source[d])
