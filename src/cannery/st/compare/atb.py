"""ATB's standard, by the kind of work an operator does.

Source: ascend-transformer-boost `tests/framework/python/CsvOpsTestTool` @ddcc8b6, the "new" precision standard.
"""

from __future__ import annotations

import numpy as np

from cannery.core import DataType
from cannery.st.compare.comparators import Terms, binary_equal
from cannery.st.compare.standards import ATB_OP_TYPES
from cannery.st.compare.verdict import Array, StandardError, Tally, Verdict, chunks, wide


def compare_atb(a: Array, g: Array, dtype: DataType, op_type: str, accumulations: int = 1) -> Verdict:
    """Judge one output: all elements within threshold · max(1, |g|).

    What is exact by its kind (a move, a cast, integers) is compared bit for bit, two NaNs agreeing. For computed floats
    NaN and Inf count as 0 on both sides first, as the original has it.

    Raises:
        StandardError: no such kind, or no threshold for the type.
    """
    if op_type not in ATB_OP_TYPES:
        raise StandardError(f"op type: found {op_type!r}, expected one of {', '.join(ATB_OP_TYPES)}")
    a, g = a.reshape(-1), g.reshape(-1)
    if a.size != g.size:
        return Verdict(op_type, False, 0.0, f"{a.size} elements, the golden has {g.size}")
    if a.size == 0:
        return Verdict(op_type, True, 100.0)
    by_type = ATB_OP_TYPES[op_type]
    if not by_type or not dtype.is_floating:
        return binary_equal(a, g, Terms(dtype))
    if dtype not in by_type:
        raise StandardError(
            f"{op_type}: found an output of {dtype.short}, expected {', '.join(t.short for t in by_type)}"
        )
    threshold = [value for least, value in by_type[dtype] if accumulations >= least][-1]
    return _within(op_type, a, g, threshold)


def _within(op_type: str, a: Array, g: Array, threshold: float) -> Verdict:
    tally = Tally(a.size)
    for start, pieces in chunks(a, g):
        x, y = (np.nan_to_num(wide(piece), nan=0.0, posinf=0.0, neginf=0.0) for piece in pieces)
        tally.add(start, np.abs(x - y) > threshold * np.maximum(1.0, np.abs(y)))
    return tally.verdict(op_type, tally.bad == 0, {"threshold": threshold})
