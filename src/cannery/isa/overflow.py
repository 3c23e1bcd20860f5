"""Half results beyond 65504: infinity, or the largest number where the launch saturates.

The documents of the 910B disagree: the control register's default saturates (SetCtrlSpr), sums of blocks do not
(ReduceDataBlock). Infinity is the default here; the setting ``saturate`` is the other reading. A checked launch notes
where it matters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import Site
from cannery.aicore.pipes import V
from cannery.isa.op import Op
from cannery.isa.operands import Operand

Array = np.ndarray[Any, Any]
LARGEST: Final = 65504.0
_POLES: Final = frozenset({"div", "reciprocal"})
_OVERFLOWING: Final = _POLES | {
    "add", "sub", "mul", "adds", "muls", "axpy", "exp", "cast", "add_relu", "sub_relu", "mul_add_dst", "fused_mul_add",
    "fused_mul_add_relu", "reduce_sum", "whole_reduce_sum", "block_reduce_sum", "pair_reduce_sum", "repeat_reduce_sum",
}  # fmt: skip
"""Instructions whose result may be infinite where their sources are not."""


def is_looked_at(core: Core, op: Op, operands: Sequence[Operand]) -> bool:
    """Whether the half result of an instruction is to be looked at: it may overflow, and its operands exist."""
    if op.name not in _OVERFLOWING or not (core.watchers or core.launch.saturates):
        return False
    return all(tensor.addr + region.extent <= tensor.owner.memory.size for tensor, region in operands)


def guarded(
    core: Core, site: Site | None, op: Op, effect: Callable[..., Any], load: Callable[..., Array],
    store: Callable[..., None], dst: Operand, sources: Sequence[Operand],
) -> Callable[..., None]:  # fmt: skip
    """The effect of an instruction, which tells of infinite results of finite sources, and lets them saturate."""

    def run(*args: Any) -> None:
        finite = _finite([load(*source) for source in sources], dst[1].number, divides=op.name in _POLES)
        effect(*args)
        result = load(*dst)
        over = np.isinf(result) & finite
        number = int(np.count_nonzero(over))
        if not number:
            return
        if core.launch.saturates:
            store(*dst, np.where(over, np.copysign(result.dtype.type(LARGEST), result), result))
        facts = {"op": op.name, "number": number, "value": LARGEST if core.launch.saturates else "inf"}
        core.report("half_overflow", site, memory="UB", pipes=(V,), **facts)

    return run


def _finite(values: Sequence[Array], number: int, *, divides: bool) -> Any:
    """Of each result, whether its sources are finite; where results are of several elements, whether all are."""
    if divides and np.any(values[-1] == 0):
        values = [*values[:-1], np.where(values[-1] == 0, np.inf, values[-1])]
    if all(len(value) == number for value in values):
        return np.logical_and.reduce([np.isfinite(value) for value in values])
    return all(bool(np.isfinite(value).all()) for value in values)
