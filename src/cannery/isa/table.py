"""The instructions: one row each.

A lane-wise instruction is a row and nothing else; the others name the function on arrays that makes them differ from
the rest of their family.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from cannery.aicore.instruction import CONSUME, FILL, MOVE
from cannery.aicore.pipes import FIX, MTE1, MTE2, MTE3, S, V
from cannery.isa import semantics, types
from cannery.isa.dtypes import DataType
from cannery.isa.op import SCALAR, Align, ByArch, Op, Route, Types, on_both, one_type

BINARY: Final = ("dst", "src0", "src1")
UNARY: Final = ("dst", "src")
WITH_SCALAR: Final = ("dst", "src", SCALAR)


def lanewise(
    name: str, operands: tuple[str, ...], compute: Callable[..., Any], allowed: Iterable[DataType], **columns: Any
) -> Op:
    """A row of the lane-wise family: all tensors have one of the same types."""
    width = len([operand for operand in operands if operand != SCALAR])
    return Op(name, "lanewise", operands, compute, on_both(one_type(width, allowed)), **columns)


def _accumulating(name: str, compute: Callable[..., Any]) -> Op:
    return lanewise(name, BINARY, compute, types.FLOATING, reads_dst=True)


def _reduction(
    name: str, form: str, compute: Callable[..., Any], align: Align, operands: tuple[str, ...] = UNARY
) -> Op:
    columns = on_both(one_type(2, types.REDUCIBLE))
    return Op(name, form, operands, compute, columns, flow=CONSUME, align=align)


def _atomic(name: str, combine: Callable[..., Any]) -> Op:
    return Op(name, "atomic", (), combine, on_both(one_type(1, types.ATOMIC)), S)


_ONE: Final = Align(elements=1)
_OF_SOURCE: Final[ByArch[Types]] = on_both(one_type(1, types.FLOATING))
_TO_SCRATCH: Final = ("dst", "src", "shared_tmp_buffer")
_COMPARABLE: Final = on_both(types.COMPARABLE)

_GLOBAL_COPIES: Final[Mapping[Route, int]] = MappingProxyType(
    {("UB", "GM"): MTE2, ("L1", "GM"): MTE2, ("GM", "UB"): MTE3, ("GM", "L1"): MTE3}
)
_COPIES: Final[Mapping[Route, int]] = MappingProxyType(
    {
        **_GLOBAL_COPIES, ("UB", "UB"): V, ("L1", "UB"): MTE3, ("BT", "L1"): MTE1, ("FB", "L1"): FIX,
        ("L0A", "L1"): MTE1, ("L0B", "L1"): MTE1,
    }
)  # fmt: skip
ROWS: Final = (
    lanewise("add", BINARY, np.add, types.ARITHMETIC),
    lanewise("sub", BINARY, np.subtract, types.ARITHMETIC),
    lanewise("mul", BINARY, np.multiply, types.ARITHMETIC),
    lanewise("div", BINARY, np.divide, types.FLOATING),
    lanewise("max", BINARY, np.maximum, types.ARITHMETIC),
    lanewise("min", BINARY, np.minimum, types.ARITHMETIC),
    lanewise("bitwise_and", BINARY, np.bitwise_and, types.BITS),
    lanewise("bitwise_or", BINARY, np.bitwise_or, types.BITS),
    lanewise("add_relu", BINARY, semantics.add_relu, types.RECTIFIABLE),
    lanewise("sub_relu", BINARY, semantics.sub_relu, types.RECTIFIABLE),
    _accumulating("fused_mul_add", semantics.fused_mul_add),
    _accumulating("fused_mul_add_relu", semantics.fused_mul_add_relu),
    _accumulating("mul_add_dst", semantics.mul_add_dst),
    lanewise("abs", UNARY, np.abs, types.ARITHMETIC),
    lanewise("exp", UNARY, semantics.exp, types.FLOATING),
    lanewise("ln", UNARY, semantics.ln, types.FLOATING),
    lanewise("sqrt", UNARY, np.sqrt, types.FLOATING),
    lanewise("rsqrt", UNARY, semantics.rsqrt, types.FLOATING),
    lanewise("reciprocal", UNARY, semantics.reciprocal, types.FLOATING),
    lanewise("relu", UNARY, semantics.relu, types.RECTIFIABLE),
    lanewise("bitwise_not", UNARY, np.invert, types.BITS),
    lanewise("adds", WITH_SCALAR, np.add, types.ARITHMETIC),
    lanewise("muls", WITH_SCALAR, np.multiply, types.ARITHMETIC),
    lanewise("maxs", WITH_SCALAR, np.maximum, types.ARITHMETIC),
    lanewise("mins", WITH_SCALAR, np.minimum, types.ARITHMETIC),
    lanewise("leaky_relu", WITH_SCALAR, semantics.leaky_relu, types.FLOATING),
    lanewise("shift_left", WITH_SCALAR, semantics.shift_left, types.SHIFTABLE),
    lanewise("shift_right", WITH_SCALAR, semantics.shift_right, types.SHIFTABLE),
    Op("axpy", "lanewise", WITH_SCALAR, semantics.axpy, _OF_SOURCE, reads_dst=True),
    Op("cast", "cast", UNARY, types=on_both(types.CONVERTIBLE)),
    Op("compare", "compare", BINARY, types=_COMPARABLE, flow=CONSUME),
    Op("compare_scalar", "compare", WITH_SCALAR, types=_COMPARABLE, flow=CONSUME),
    Op("get_cmp_mask", "compare_mask", ("dst",)),
    Op("set_cmp_mask", "compare_mask", ("src",), flow=CONSUME),
    Op("select", "select", ("dst", "sel_mask", "src0", "src1"), types=on_both(types.SELECTABLE)),
    Op("get_value", "element", ("src",), pipe=S, flow=CONSUME),
    Op("set_value", "element", ("dst", SCALAR), pipe=S, flow=FILL),
    Op("data_copy", "copy", UNARY, pipe=None, routes=_COPIES, flow=MOVE),
    _atomic("set_atomic_add", np.add),
    _atomic("set_atomic_max", np.maximum),
    _atomic("set_atomic_min", np.minimum),
    # Where a padded copy stores, bytes keep their state.
    Op("data_copy_pad", "copy_padded", UNARY, pipe=None, routes=_GLOBAL_COPIES, flow=FILL),
    Op("duplicate", "duplicate", ("dst", SCALAR)),
    Op("copy", "masked_copy", UNARY, flow=MOVE),
    Op("brcb", "brcb", ("dst", "src0")),
    Op("transpose", "transpose", UNARY),
    Op("gather", "gather", ("dst", "src", "src_offset")),
    _reduction("whole_reduce_sum", "reduce_repeat", semantics.tree_sum, _ONE),
    _reduction("repeat_reduce_sum", "reduce_repeat", semantics.tree_sum, _ONE),
    _reduction("whole_reduce_max", "best_of_repeat", semantics.first_max, _ONE),
    _reduction("whole_reduce_min", "best_of_repeat", semantics.first_min, _ONE),
    _reduction("block_reduce_sum", "reduce_block", semantics.tree_sum, Align(elements=8)),
    _reduction("block_reduce_max", "reduce_block", semantics.max_of_rows, Align(elements=8)),
    _reduction("block_reduce_min", "reduce_block", semantics.min_of_rows, Align(elements=8)),
    _reduction("pair_reduce_sum", "reduce_pair", semantics.pair_sums, Align(32)),
    _reduction("reduce_sum", "sum_of_tensor", semantics.tree_sum, _ONE, _TO_SCRATCH),
    _reduction("reduce_max", "best_of_tensor", semantics.first_max, _ONE, _TO_SCRATCH),
    _reduction("reduce_min", "best_of_tensor", semantics.first_min, _ONE, _TO_SCRATCH),
)

TABLE: Final = MappingProxyType({op.name: op for op in ROWS})
"""The instructions by name."""
