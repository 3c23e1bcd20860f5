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
from cannery.aicore.pipes import FIX, MTE1, MTE2, MTE3, M, S, V
from cannery.isa import advanced, limits, semantics, types
from cannery.isa.dtypes import DataType
from cannery.isa.op import DAV_2201, DAV_3510, NUMBER, SCALAR, Align, ByArch, Op, Route, Types, on_both, one_type

BINARY: Final = ("dst", "src0", "src1")
UNARY: Final = ("dst", "src")
WITH_SCALAR: Final = ("dst", "src", SCALAR)


_FIELDS: Final = MappingProxyType({BINARY: limits.BINARY, UNARY: limits.UNARY, WITH_SCALAR: limits.UNARY})


def lanewise(
    name: str, operands: tuple[str, ...], compute: Callable[..., Any], allowed: Iterable[DataType] | types.Column,
    **columns: Any,
) -> Op:  # fmt: skip
    """A row of the lane-wise family: all tensors have one of the same types."""
    width = len([operand for operand in operands if operand != SCALAR])
    dtypes = allowed.of(width) if isinstance(allowed, types.Column) else on_both(one_type(width, allowed))
    return Op(name, "lanewise", operands, compute, dtypes, limits=_FIELDS[operands], **columns)


def _accumulating(name: str, compute: Callable[..., Any], allowed: types.Column, page: str) -> Op:
    return lanewise(name, BINARY, compute, allowed, reads_dst=True, page=page)


def _shift(name: str, compute: Callable[..., Any], page: str) -> Op:
    return lanewise(name, WITH_SCALAR, compute, types.SHIFT, amounts=limits.SHIFTS, page=page)


def _reduction(
    name: str, form: str, compute: Callable[..., Any], align: Align, allowed: ByArch[Types], page: str
) -> Op:
    return Op(name, form, UNARY, compute, allowed, flow=CONSUME, align=align, limits=limits.REDUCTION, page=page)


def _of_tensor(name: str, form: str, compute: Callable[..., Any], allowed: types.Column, page: str) -> Op:
    fields = limits.WHOLE_REDUCTION
    return Op(name, form, _TO_SCRATCH, compute, allowed.of(3), flow=CONSUME, align=_ONE, limits=fields, page=page)


def _atomic(name: str, combine: Callable[..., Any], page: str) -> Op:
    return Op(name, "atomic", (), combine, types.ATOMIC, S, page=page)


_ONE: Final = Align(elements=1)
_EIGHT: Final = Align(elements=8)
_TO_SCRATCH: Final = ("dst", "src", "shared_tmp_buffer")
_BEST: Final = types.BEST_OF_REPEAT.of(2)
_BLOCKS: Final = types.REDUCED_BLOCKS.of(2)

_GLOBAL: Final[Mapping[Route, int]] = MappingProxyType(
    {("UB", "GM"): MTE2, ("L1", "GM"): MTE2, ("GM", "UB"): MTE3, ("GM", "L1"): MTE3}
)
_GLOBAL_COPIES: Final = on_both(_GLOBAL)
_TO_TABLES: Final[Mapping[Route, int]] = MappingProxyType(
    {("UB", "UB"): V, ("BT", "L1"): MTE1, ("FB", "L1"): FIX, ("L0A", "L1"): MTE1, ("L0B", "L1"): MTE1}
)
_OUT_OF_L1: Final = ("GM", "L1")
# Between UB and L1, which belong to two cores, nothing is simulated; out of L1 to global memory 950 has no way.
_COPIES: Final[ByArch[Mapping[Route, int]]] = ByArch(
    {
        DAV_2201: MappingProxyType({**_GLOBAL, **_TO_TABLES}),
        DAV_3510: MappingProxyType(
            {**{key: pipe for key, pipe in _GLOBAL.items() if key != ("GM", "L1")}, **_TO_TABLES}
        ),
    }
)
_TO_CUBE: Final[Mapping[Route, int]] = MappingProxyType({("L0A", "L1"): MTE1, ("L0B", "L1"): MTE1})
_LOADS: Final[ByArch[Mapping[Route, int]]] = ByArch(
    {
        DAV_2201: MappingProxyType({**_TO_CUBE, ("L0A", "GM"): MTE2, ("L0B", "GM"): MTE2, ("L1", "GM"): MTE2}),
        DAV_3510: MappingProxyType({**_TO_CUBE, ("L1", "GM"): MTE2}),
    }
)
_TRANSPOSED_LOADS: Final[ByArch[Mapping[Route, int]]] = ByArch(
    {DAV_2201: _TO_CUBE, DAV_3510: MappingProxyType({("L0B", "L1"): MTE1})}
)
_SPARSE_LOADS: Final[ByArch[Mapping[Route, int]]] = on_both(MappingProxyType({("L0B", "L1"): MTE1}))
_FILLINGS: Final[ByArch[Mapping[Route, int]]] = ByArch(
    {
        DAV_2201: MappingProxyType({("L1", NUMBER): MTE2, ("L0A", NUMBER): MTE1, ("L0B", NUMBER): MTE1}),
        DAV_3510: MappingProxyType({("L1", NUMBER): MTE2}),
    }
)
_FROM_CUBE: Final[Mapping[Route, int]] = MappingProxyType({("GM", "L0C"): FIX, ("L1", "L0C"): FIX})
_DRAINS: Final = on_both(_FROM_CUBE)
ROWS: Final = (
    lanewise("add", BINARY, np.add, types.ADD, page="Add"),
    lanewise("sub", BINARY, np.subtract, types.ADD, page="Sub"),
    lanewise("mul", BINARY, np.multiply, types.MUL, page="Mul"),
    lanewise("div", BINARY, semantics.div, types.DIV, page="Div"),
    lanewise("max", BINARY, np.maximum, types.ADD, page="Max"),
    lanewise("min", BINARY, np.minimum, types.ADD, page="Min"),
    lanewise("bitwise_and", BINARY, np.bitwise_and, types.BITS, page="And"),
    lanewise("bitwise_or", BINARY, np.bitwise_or, types.BITS, page="Or"),
    lanewise("add_relu", BINARY, semantics.add_relu, types.ADD_RELU, page="AddRelu"),
    lanewise("sub_relu", BINARY, semantics.sub_relu, types.ADD_RELU, page="SubRelu"),
    _accumulating("fused_mul_add", semantics.fused_mul_add, types.FUSED, "FusedMulAdd"),
    _accumulating("fused_mul_add_relu", semantics.fused_mul_add_relu, types.FUSED_RELU, "MulAddRelu"),
    _accumulating("mul_add_dst", semantics.mul_add_dst, types.FUSED_RELU, "MulAddDst"),
    lanewise("abs", UNARY, np.abs, types.ABS, page="Abs"),
    lanewise("exp", UNARY, semantics.exp, types.FLOATING, page="Exp"),
    lanewise("ln", UNARY, semantics.ln, types.FLOATING, page="Ln"),
    lanewise("sqrt", UNARY, np.sqrt, types.FLOATING, page="Sqrt"),
    lanewise("rsqrt", UNARY, semantics.rsqrt, types.FLOATING, page="Rsqrt"),
    lanewise("reciprocal", UNARY, semantics.reciprocal, types.RECIPROCAL, page="Reciprocal"),
    lanewise("relu", UNARY, semantics.relu, types.RELU, page="Relu"),
    lanewise("bitwise_not", UNARY, semantics.bitwise_not, types.NOT, page="Not"),
    lanewise("adds", WITH_SCALAR, np.add, types.WITH_SCALAR, page="Adds"),
    lanewise("muls", WITH_SCALAR, np.multiply, types.MULS, page="Muls"),
    lanewise("maxs", WITH_SCALAR, np.maximum, types.WITH_SCALAR, page="Maxs"),
    lanewise("mins", WITH_SCALAR, np.minimum, types.WITH_SCALAR, page="Mins"),
    lanewise("leaky_relu", WITH_SCALAR, semantics.leaky_relu, types.FLOATING, page="LeakyRelu"),
    _shift("shift_left", semantics.shift_left, "ShiftLeft"),
    _shift("shift_right", semantics.shift_right, "ShiftRight"),
    Op(
        "axpy", "lanewise", WITH_SCALAR, semantics.axpy, types.AXPY, limits=limits.UNARY, reads_dst=True, page="Axpy"
    ),
    Op("mul_cast", "combined", BINARY, np.multiply, types.MUL_CAST, limits=limits.BINARY, page="MulCast"),
    Op(
        "add_relu_cast", "combined", BINARY, semantics.add_relu, types.RELU_CAST, limits=limits.BINARY,
        page="AddReluCast",
    ),
    Op(
        "sub_relu_cast", "combined", BINARY, semantics.sub_relu, types.RELU_CAST, limits=limits.BINARY,
        page="SubReluCast",
    ),
    Op(
        "add_deq_relu", "dequantised_sum", BINARY, types=types.DEQUANTISED_SUM, limits=limits.BINARY, page="AddDeqRelu"
    ),
    Op("cast_deq", "dequantised", UNARY, types=types.DEQUANTISED, limits=limits.UNARY, page="CastDequant"),
    Op("set_deq_scale", "deq_scale", ("vdeq",), pipe=S, flow=FILL, page="SetDeqScale"),
    Op("cast", "cast", UNARY, types=types.CONVERTIBLE, limits=limits.UNARY, page="Cast"),
    Op(
        "compare", "compare", BINARY, types=types.COMPARABLE, flow=CONSUME, limits=limits.BINARY, page="Compare"
    ),
    Op(
        "compare_scalar", "compare", WITH_SCALAR, types=types.COMPARABLE_WITH_SCALAR, flow=CONSUME,
        limits=limits.UNARY, page="Compares",
    ),
    Op("get_cmp_mask", "compare_mask", ("dst",), page="GetCmpMask"),
    Op("set_cmp_mask", "compare_mask", ("src",), flow=CONSUME, page="SetCmpMask"),
    Op(
        "select", "select", ("dst", "sel_mask", "src0", "src1"), types=types.SELECTABLE, limits=limits.BINARY,
        page="Select",
    ),
    Op("get_value", "element", ("src",), pipe=S, flow=CONSUME),
    Op("set_value", "element", ("dst", SCALAR), pipe=S, flow=FILL),
    Op(
        "data_copy", "copy", UNARY, types=types.MOVE.of(2), pipe=None, routes=_COPIES, flow=MOVE, page="DataCopy"
    ),
    _atomic("set_atomic_add", np.add, "SetAtomicAdd"),
    _atomic("set_atomic_max", np.maximum, "SetAtomicMax"),
    _atomic("set_atomic_min", np.minimum, "SetAtomicMin"),
    # Where a padded copy stores, bytes keep their state.
    Op(
        "data_copy_pad", "copy_padded", UNARY, types=types.MOVE.of(2), pipe=None, routes=_GLOBAL_COPIES, flow=FILL,
        page="DataCopyPad",
    ),
    Op(
        "duplicate", "duplicate", ("dst", SCALAR), types=types.DUPLICATE.of(1), limits=limits.UNARY, page="Duplicate"
    ),
    Op("copy", "masked_copy", UNARY, types=types.COPY.of(2), flow=MOVE, limits=limits.MASKED_COPY, page="Copy"),
    Op("brcb", "brcb", ("dst", "src0"), types=types.BROADCAST.of(2), limits=limits.BROADCAST, page="Brcb"),
    Op("transpose", "transpose", UNARY, types=types.TRANSPOSE.of(2), page="Transpose"),
    Op(
        "gather", "gather", ("dst", "src", "src_offset"), types=types.GATHER.of(2), limits=limits.BROADCAST,
        page="Gather",
    ),
    Op(
        "load_data", "load", UNARY, types=types.LOAD.of(2), pipe=None, routes=_LOADS, flow=MOVE, limits=limits.LOAD,
        page="LoadData_2D",
    ),
    Op(
        "load_data_with_transpose", "load", UNARY, types=types.LOAD_TRANSPOSED.of(2), pipe=None,
        routes=_TRANSPOSED_LOADS, flow=MOVE, limits=limits.LOAD, page="LoadDataWithTranspose",
    ),
    Op(
        "init_const_value", "fill", ("dst",), types=types.FILLING.of(1), pipe=None, routes=_FILLINGS, flow=FILL,
        limits=limits.FILLING, page="Fill",
    ),
    Op(
        "load_data_with_sparse", "load", ("dst", "src", "idx"), types=types.LOAD_SPARSE, pipe=None,
        routes=_SPARSE_LOADS, flow=MOVE, limits=limits.LOAD, page="LoadDataWithSparse",
    ),
    Op(
        "mmad_with_sparse", "mmad", ("dst", "fm", "filter"), types=types.SPARSE_PRODUCT, pipe=M, flow=CONSUME,
        limits=limits.PRODUCT, page="MmadWithSparse",
    ),
    Op(
        "mmad", "mmad", ("dst", "fm", "filter", "bias"), types=types.PRODUCT, pipe=M, flow=CONSUME,
        limits=limits.PRODUCT, page="Mmad",
    ),
    Op(
        "fixpipe", "fixpipe", ("dst", "src", "cbuf_workspace"), types=types.DRAINED, pipe=None, routes=_DRAINS,
        flow=MOVE, limits=limits.DRAIN, page="Fixpipe",
    ),
    Op(
        "gatherb", "gather_blocks", ("dst", "src0", "offset"), types=types.GATHER_BLOCKS.of(2),
        limits=limits.BROADCAST, page="Gatherb",
    ),
    Op(
        "scatter", "scatter", ("dst", "src", "dst_offset"), types=types.SCATTER, limits=limits.BROADCAST,
        page="Scatter",
    ),
    Op(
        "gather_mask", "pack", ("dst", "src0", "src1_pattern"), types=types.PACKED, flow=MOVE, limits=limits.PACKING,
        page="GatherMask",
    ),
    Op(
        "trans_data_to_5hd", "five_dims", ("dst_list", "src_list"), types=types.TO_FIVE_DIMS.of(1), flow=MOVE,
        limits=limits.FIVE_DIMS, page="TransDataTo5HD",
    ),
    Op(
        "bilinear_interpolation", "bilinear", ("dst", "src0", "src0_offset", "src1"), types=types.HALF.of(3),
        limits=limits.BILINEAR, page="BilinearInterpolation",
    ),
    Op("sort32", "sort", ("dst", "src0", "src1"), types=types.FLOATING.of(2), flow=CONSUME, page="Sort32"),
    Op(
        "sort", "sort", ("dst", "concat", "index"), types=types.FLOATING.of(2), flow=CONSUME, apart=True,
        page="排序操作/Sort",
    ),
    Op("mrg_sort", "merge", ("dst", "sort_list"), types=types.FLOATING.of(2), flow=CONSUME, page="MrgSort"),
    Op("mrg_sort4", "merge", ("dst", "src"), types=types.NOWHERE, flow=CONSUME, page="MrgSort4"),
    Op("rp_sort16", "proposals", UNARY, types=types.NOWHERE, page="RpSort16"),
    Op("proposal_concat", "proposals", UNARY, types=types.NOWHERE, page="ProposalConcat"),
    Op("proposal_extract", "proposals", UNARY, types=types.NOWHERE, page="ProposalExtract"),
    _reduction("whole_reduce_sum", "reduce_repeat", semantics.tree_sum, _ONE, types.SUM_OF_REPEAT, "ReduceRepeat"),
    _reduction("repeat_reduce_sum", "reduce_repeat", semantics.tree_sum, _ONE, types.SUM_OF_REPEAT, "ReduceRepeat"),
    _reduction("whole_reduce_max", "best_of_repeat", semantics.first_max, _ONE, _BEST, "ReduceRepeat"),
    _reduction("whole_reduce_min", "best_of_repeat", semantics.first_min, _ONE, _BEST, "ReduceRepeat"),
    _reduction("block_reduce_sum", "reduce_block", semantics.tree_sum, _EIGHT, _BLOCKS, "ReduceDataBlock"),
    _reduction("block_reduce_max", "reduce_block", semantics.max_of_rows, _EIGHT, _BLOCKS, "ReduceDataBlock"),
    _reduction("block_reduce_min", "reduce_block", semantics.min_of_rows, _EIGHT, _BLOCKS, "ReduceDataBlock"),
    _reduction("pair_reduce_sum", "reduce_pair", semantics.pair_sums, Align(32), _BLOCKS, "ReducePairElem"),
    _of_tensor("reduce_sum", "sum_of_tensor", semantics.tree_sum, types.SUM_OF_TENSOR, "ReduceSum"),
    _of_tensor("reduce_max", "best_of_tensor", semantics.first_max, types.BEST_OF_TENSOR, "ReduceMax"),
    _of_tensor("reduce_min", "best_of_tensor", semantics.first_min, types.BEST_OF_TENSOR, "ReduceMin"),
    *advanced.ROWS,
)  # fmt: skip

TABLE: Final = MappingProxyType({op.name: op for op in ROWS})
"""The instructions by name."""

TRANSPOSED_TILE: Final = TABLE["transpose"]._replace(types=types.TRANSPOSED_TILE.of(2))
TRANSPOSED_IMAGES: Final = TABLE["transpose"]._replace(
    types=types.TRANSPOSED_IMAGES.of(2), flow=MOVE, limits=limits.IMAGES, apart=True
)
"""transpose with parameters: what its kinds have in other columns."""
