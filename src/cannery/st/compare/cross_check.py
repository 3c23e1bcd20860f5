"""cross_check: the output's error against a third party's error on the same golden.

Source: hicann/ops-test-kit `docs/Precision_Comparison.md` @36750932; hicann/opbase
`docs/zh/ops_precision_standard/commercial_standard.md` @3e629665.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from cannery.core import DataType
from cannery.st.compare import standards
from cannery.st.compare.verdict import Array, StandardError, Tally, Verdict, chunks, wide

NAME = "cross_check"


@dataclass
class _Errors:
    """Errors of one implementation, gathered piece by piece: of large values relative, of small values counted."""

    mare: float = 0.0
    relative_sum: float = 0.0
    square_sum: float = 0.0
    small_errors: int = 0

    def add(self, values: Array, golden: Array, is_large: Array, is_small: Array, small_atol: float) -> Array:
        """Take in one piece; gives where a small value is out of order."""
        with np.errstate(invalid="ignore", over="ignore"):
            error = np.abs(values - golden)
            relative = error[is_large] / (np.abs(golden[is_large]) + standards.REL_EPSILON)
            self.square_sum += float(np.square(error[is_large]).sum())
            wrong = is_small & ~(error <= small_atol)
        self.mare = max(self.mare, float(relative.max(initial=0.0)))
        self.relative_sum += float(relative.sum())
        self.small_errors += int(np.count_nonzero(wrong))
        return wrong


def cross_check(
    a: Array, g: Array, third: Array | None, dtype: DataType, parameters: Mapping[str, Any] = MappingProxyType({})
) -> Verdict:
    """Judge output a by golden g and the third party's output.

    Raises:
        StandardError: there is no third party of this size, or no threshold for the type.
    """
    if third is None or third.size != a.size:
        found = "none" if third is None else f"one of {third.size} elements"
        raise StandardError(f"{NAME}: third party: found {found}, expected {a.size} elements")
    small, level = _limits(dtype, parameters)
    ours, theirs, tally, large_count, special_faults = _Errors(), _Errors(), Tally(a.size), 0, 0
    for start, pieces in chunks(a, g, third.reshape(-1)):
        x, y, b = map(wide, pieces)
        finite = np.isfinite(x) & np.isfinite(y) & np.isfinite(b)
        is_large = finite & (np.abs(y) >= small.value)
        wrong = ours.add(x, y, is_large, finite & ~is_large, small.atol)
        theirs.add(b, y, is_large, finite & ~is_large, small.atol)
        fault = ~finite & ~(_same(x, b) | (~np.isfinite(y) & _same(x, y)))
        tally.add(start, wrong | fault)
        large_count += int(np.count_nonzero(is_large))
        special_faults += int(np.count_nonzero(fault))
    ratios = _ratios(ours, theirs, max(large_count, 1), small.value)
    faults = [
        f"{key} {value:.4g} > {getattr(level, key)}"
        for key, value in ratios.items()
        if not value <= getattr(level, key)
    ]
    small_ratio = ours.small_errors / max(theirs.small_errors, 1)
    if small_ratio > standards.CROSS_SMALL_RATIO:
        faults.append(f"errors of small values {small_ratio:.4g} > {standards.CROSS_SMALL_RATIO}")
    if special_faults:
        faults.append(f"{special_faults} NaN or Inf out of place")
    metrics = {f"{key}_ratio": value for key, value in {**ratios, "small": small_ratio}.items()}
    return Verdict(NAME, not faults, 100.0 * tally.share, "; ".join(faults), metrics, tuple(tally.first))


def _limits(dtype: DataType, parameters: Mapping[str, Any]) -> tuple[standards.Small, standards.Level]:
    small = standards.CROSS_SMALL.get(dtype)
    level = standards.CROSS_LEVELS.get(parameters.get("level", standards.CROSS_LEVEL))
    if small is None:
        legal = ", ".join(item.short for item in standards.CROSS_SMALL)
        raise StandardError(f"{NAME}: found an output of {dtype.short}, expected {legal}")
    if level is None:
        legal = ", ".join(standards.CROSS_LEVELS)
        raise StandardError(f"{NAME}: level: found {parameters['level']!r}, expected one of {legal}")
    value, atol = parameters.get("small_value", small.value), parameters.get("small_value_atol", small.atol)
    return standards.Small(value, atol), level


def _ratios(ours: _Errors, theirs: _Errors, count: int, floor: float) -> dict[str, float]:
    return {
        "mare": _ratio(ours.mare, theirs.mare, floor),
        "mere": _ratio(ours.relative_sum / count, theirs.relative_sum / count, floor),
        "rmse": _ratio(math.sqrt(ours.square_sum / count), math.sqrt(theirs.square_sum / count), floor),
    }


def _ratio(ours: float, theirs: float, floor: float) -> float:
    if math.isnan(ours) or math.isnan(theirs):
        return math.inf
    if ours == theirs and (ours == 0 or math.isinf(ours)):
        return 1.0
    return ours / max(theirs, floor)


def _same(x: Array, y: Array) -> Array:
    return (x == y) | (np.isnan(x) & np.isnan(y))
