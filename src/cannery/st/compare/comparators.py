"""The standards of ops-test-kit as functions of two flat arrays: a, the output, and g, the golden.

Source: hicann/ops-test-kit `ttk/core_modules/comparison` and `docs/Precision_Comparison.md` @36750932.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from cannery.core import DataType
from cannery.st.compare import standards
from cannery.st.compare.cross_check import cross_check
from cannery.st.compare.verdict import Array, StandardError, Tally, Verdict, chunks, wide


@dataclass(frozen=True)
class Terms:
    """What a standard needs besides the two arrays.

    Attributes:
        dtype: the output's data type.
        parameters: of the TestSpec's tolerance.
        rtol_ptol: the case file's tolerances of the output.
        atol: its absolute tolerance.
        third: the third party's output.
        has_float_input: whether an input is of a floating type.
    """

    dtype: DataType
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    rtol_ptol: tuple[float, float] | None = None
    atol: float = standards.ISCLOSE_ATOL
    third: Array | None = None
    has_float_input: bool = True


Comparator = Callable[[Array, Array, Terms], Verdict]


def compare_by(standard: str, a: Array, g: Array, terms: Terms) -> Verdict:
    """Judge one output. Two empty arrays agree; arrays of different sizes never do.

    Raises:
        StandardError: the standard cannot judge these tensors.
    """
    a, g = a.reshape(-1), g.reshape(-1)
    if a.size != g.size:
        return Verdict(standard, False, 0.0, f"{a.size} elements, the golden has {g.size}")
    if a.size == 0:
        return Verdict(standard, True, 100.0)
    return _COMPARATORS[standard](a, g, terms)


def bits(array: Array) -> Array:
    """The same memory as unsigned integers, or as bytes where an element is larger than 8 of them."""
    array = np.ascontiguousarray(array)
    return array.view(f"u{array.itemsize}") if array.itemsize in (1, 2, 4, 8) else array.view(np.uint8)


def binary_equal(a: Array, g: Array, terms: Terms) -> Verdict:
    """Every element has the same bits; two NaNs agree. Integers and bools of different types agree by value."""
    name = "binary_equal"
    if a.dtype != g.dtype:
        return _equal_integers(a, g)
    if np.array_equal(bits(a), bits(g)):
        return Verdict(name, True, 100.0)
    tally = Tally(a.size)
    for start, (x, y) in chunks(a, g):
        differs = (bits(x).reshape(x.size, -1) != bits(y).reshape(y.size, -1)).any(axis=1)
        if a.dtype.kind not in "iub":
            differs &= ~(np.isnan(x) & np.isnan(y))
        tally.add(start, differs)
    return tally.verdict(name, tally.bad == 0)


def _equal_integers(a: Array, g: Array) -> Verdict:
    if a.dtype.kind not in "iub" or g.dtype.kind not in "iub":
        return Verdict("binary_equal", False, 0.0, f"an output of {a.dtype.name}, the golden is {g.dtype.name}")
    tally = Tally(a.size)
    for start, (x, y) in chunks(a, g):
        tally.add(start, np.not_equal(x, y))
    return tally.verdict("binary_equal", tally.bad == 0)


def _agree_specially(x: Array, y: Array) -> tuple[Array, Array]:
    """Where one of the two is not finite, and where both are the same kind of not finite."""
    special = ~(np.isfinite(x) & np.isfinite(y))
    return special, special & ((x == y) | (np.isnan(x) & np.isnan(y)))


def mix_tolerance(a: Array, g: Array, terms: Terms) -> Verdict:
    """99 % of the elements within atol + rtol·|g|, and no error above the limit."""
    mixed = standards.MIX_TOLERANCE.get(terms.dtype, standards.MIX_DEFAULT)._replace(**terms.parameters)
    tally, largest = Tally(a.size), 0.0
    for start, (x, y) in chunks(a, g):
        x, y = wide(x), wide(y)
        special, agree = _agree_specially(x, y)
        with np.errstate(invalid="ignore", over="ignore"):
            error = np.where(special, np.where(agree, 0.0, np.inf), np.abs(x - y))
            bound = np.where(special, 0.0, mixed.atol + mixed.rtol * np.abs(y))
        tally.add(start, error > bound)
        largest = max(largest, float(error.max()))
    passed = tally.share >= standards.MATCHED_RATIO and largest <= mixed.limit
    verdict = tally.verdict("mix_tolerance", passed, {"matched_ratio": tally.share, "max_abs_error": largest})
    return _explained(verdict, f"largest error {largest:g}, limit {mixed.limit:g}")


def stat_rel_err(a: Array, g: Array, terms: Terms) -> Verdict:
    """Mean relative error below the threshold, largest below ten times it; NaN and Inf in the same places."""
    threshold = terms.parameters.get("threshold", standards.STAT_REL_ERR.get(terms.dtype, standards.STAT_DEFAULT))
    tally, total, largest, mismatches = Tally(a.size), 0.0, 0.0, 0
    for start, (x, y) in chunks(a, g):
        x, y = wide(x), wide(y)
        special, agree = _agree_specially(x, y)
        with np.errstate(invalid="ignore", over="ignore"):
            relative = np.where(special, 0.0, np.abs(x - y) / (np.abs(y) + standards.REL_EPSILON))
        mismatches += int(np.count_nonzero(special & ~agree))
        tally.add(start, (special & ~agree) | (relative >= standards.MARE_FACTOR * threshold))
        total, largest = total + float(relative.sum()), max(largest, float(relative.max()))
    mean = total / a.size
    passed = mismatches == 0 and mean < threshold and largest < standards.MARE_FACTOR * threshold
    verdict = tally.verdict("stat_rel_err", passed, {"mere": mean, "mare": largest})
    return _explained(verdict, f"MERE {mean:g} (limit {threshold:g}), MARE {largest:g}, {mismatches} NaN or Inf apart")


def isclose(a: Array, g: Array, terms: Terms) -> Verdict:
    """numpy.isclose; a share of ptol of the elements may be out of it."""
    default = standards.ISCLOSE_LOW if terms.dtype in standards.LOW_PRECISION else standards.ISCLOSE_HIGH
    rtol, ptol = terms.rtol_ptol or (default, default)
    tally = Tally(a.size)
    for start, (x, y) in chunks(a, g):
        with np.errstate(invalid="ignore", over="ignore"):
            tally.add(start, ~np.isclose(wide(x), wide(y), rtol=rtol, atol=terms.atol, equal_nan=True))
    return tally.verdict("isclose", tally.bad <= ptol * a.size, {"rtol": rtol, "ptol": ptol})


def cosine(a: Array, g: Array, terms: Terms) -> Verdict:
    """1 - cos of the angle between the two as vectors is at most the tolerance."""
    limit = terms.rtol_ptol[0] if terms.rtol_ptol else standards.COSINE
    dot = aa = gg = 0.0
    # A power of two that makes the largest element about 1, lest squares overflow.
    scale = max(float(np.abs(wide(part)).max()) for array in (a, g) for _, (part,) in chunks(array)) or 1.0
    for _, (x, y) in chunks(a, g):
        x, y = wide(x) / scale, wide(y) / scale
        dot += float(np.vdot(y, x).real)
        aa, gg = aa + float(np.vdot(x, x).real), gg + float(np.vdot(y, y).real)
    cos = 1.0 if aa == gg == 0 else dot / math.sqrt(aa * gg) if aa * gg > 0 else 0.0
    # A NaN is not at most anything.
    passed = 1 - cos <= limit
    info = "" if passed else f"1 - cos is {1 - cos:g}, at most {limit:g} is allowed"
    return Verdict("cosine", passed, 100.0 * cos, info, {"cosine": cos})


def requant(a: Array, g: Array, terms: Terms) -> Verdict:
    """8-bit floats seen as int8 differ by at most 1; a share of ptol of the elements may not."""
    is_float8 = a.itemsize == 1 and a.dtype.kind not in "iub"
    ptol = standards.REQUANT_PTOL if is_float8 else 0.0
    if a.itemsize != 1 or g.itemsize != 1:
        raise StandardError(f"requant: found {a.dtype.name} and {g.dtype.name}, expected 8-bit types")
    return _within_one("requant", a.view(np.int8), g.view(np.int8), ptol)


def quant(a: Array, g: Array, terms: Terms) -> Verdict:
    """int8 and int4 outputs of float inputs differ by at most 1; a share of ptol of the elements may not."""
    if terms.dtype not in (DataType.DT_INT8, DataType.DT_INT4):
        raise StandardError(f"quant: found an output of {terms.dtype.short}, expected int8 or int4")
    if not terms.has_float_input:
        raise StandardError("quant: found no float input, expected at least one")
    return _within_one("quant", a, g, float(terms.parameters.get("ptol", 0.0)))


def _within_one(name: str, a: Array, g: Array, ptol: float) -> Verdict:
    tally = Tally(a.size)
    for start, (x, y) in chunks(a, g):
        tally.add(start, np.abs(x.astype(np.int32) - y.astype(np.int32)) > 1)
    return tally.verdict(name, tally.bad <= ptol * a.size, {"ptol": ptol})


def _cross_check(a: Array, g: Array, terms: Terms) -> Verdict:
    return cross_check(a, g, terms.third, terms.dtype, terms.parameters)


def _explained(verdict: Verdict, words: str) -> Verdict:
    return verdict if verdict.passed else replace(verdict, error_info=f"{verdict.error_info}; {words}")


_COMPARATORS: Mapping[str, Comparator] = MappingProxyType(
    {
        "binary_equal": binary_equal,
        "mix_tolerance": mix_tolerance,
        "stat_rel_err": stat_rel_err,
        "isclose": isclose,
        "cosine": cosine,
        "requant": requant,
        "quant": quant,
        "cross_check": _cross_check,
    }
)
