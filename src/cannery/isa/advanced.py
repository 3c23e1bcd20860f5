"""The advanced API's functions on vectors: one row each, as in the table of instructions.

Types, limits and overlaps: the pages of `docs/zh/api/SIMD-API/高阶API`; temporary buffers: `impl/adv_api/tiling`, the
smallest that is allowed; both hicann/asc-devkit @82b89a15f263. Names are those of pyasc's ``asc.adv``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from cannery.aicore.instruction import CONSUME, FILL
from cannery.isa import dtypes as d
from cannery.isa import special, types
from cannery.isa.composite import repeats
from cannery.isa.dtypes import DataType
from cannery.isa.op import DAV_2201, DAV_3510, SCALAR, ByArch, Op, Temporary, Types, on_both, one_type

PREFIX: Final = "adv."
_HALF_AND_FLOAT: Final = types.FLOATING.of(2)
_NONE: Final = repeats(0, 0)
_BLOCK: Final = 32


def _one_input(
    name: str, compute: Callable[..., Any], temporary: Temporary, later: Temporary | None = None,
    allowed: ByArch[Types] = _HALF_AND_FLOAT, *, apart: bool = True,
) -> Op:  # fmt: skip
    """``f(dst, src, count)``; ``later``: the temporary buffer on dav-3510 where it differs."""
    sizes = ByArch({DAV_2201: temporary, DAV_3510: later or temporary})
    page = f"数学计算/{name.capitalize()}接口"
    return Op(
        PREFIX + name, "math", ("dst", "src"), compute, allowed, page=page, apart=apart, temporary=sizes
    )  # fmt: skip


def _of_float64(name: str, function: Callable[[Any], Any], temporary: Temporary) -> Op:
    return _one_input(name, special.rounded_once(function), temporary)


def _digamma_later(count: int, dtype: DataType, reuse: bool) -> int:
    del reuse
    return 4 * max(count * dtype.size, 256) if dtype.size == 2 else 0


def _lgamma_later(count: int, dtype: DataType, reuse: bool) -> int:
    del dtype, reuse
    return 4 * count


def _power(count: int, dtype: DataType, reuse: bool) -> int:
    del count, reuse
    if dtype.is_int():
        return 6 * 256
    return (8 if dtype.size == 2 else 5) * 256


def _power_later(count: int, dtype: DataType, reuse: bool) -> int:
    del reuse
    return 0 if dtype.is_int() else 12 * count


_POWER: Final = frozenset({d.float16, d.float32, d.int32})
_POWER_LATER: Final = _POWER | {d.int8, d.uint8, d.int16, d.uint16, d.uint32, d.bfloat16}
_SIGN: Final = ByArch(
    {DAV_2201: one_type(2, {d.float16, d.float32}), DAV_3510: one_type(2, {d.float16, d.float32, d.int64})}
)
_PAIRS: Final = frozenset({(d.float16, d.float16), (d.float32, d.float32), (d.float32, d.float16)})

_MATH: Final = (
    _of_float64("acos", np.arccos, repeats(6, 2)),
    _of_float64("acosh", np.arccosh, repeats(2, 1)),
    _of_float64("asin", np.arcsin, repeats(6, 2)),
    _of_float64("asinh", np.arcsinh, repeats(3, 3)),
    _of_float64("atan", np.arctan, repeats(12, 5)),
    _of_float64("atanh", np.arctanh, repeats(4, 1)),
    _one_input("ceil", np.ceil, repeats(2, 1)),
    _of_float64("cos", np.cos, repeats(8, 3, 2)),
    _of_float64("cosh", np.cosh, repeats(6, 2)),
    _one_input("digamma", special.digamma, repeats(16, 7, 6), _digamma_later),
    _one_input("erf", special.erf, repeats(8, 3)),
    _one_input("erfc", special.erfc, repeats(16, 7)),
    _one_input("floor", np.floor, repeats(2, 0)),
    _one_input("frac", special.frac, repeats(4, 0)),
    _one_input("lgamma", special.log_gamma, repeats(26, 8, 7), _lgamma_later),
    _of_float64("log", np.log, _NONE),
    _one_input("round", np.rint, repeats(1, 0), _NONE, apart=False),
    _one_input("sign", special.sign, repeats(3, 3), allowed=_SIGN),
    _of_float64("sin", np.sin, repeats(8, 3, 2)),
    _of_float64("sinh", np.sinh, repeats(4, 1)),
    _of_float64("tan", np.tan, repeats(10, 4)),
    _of_float64("tanh", np.tanh, repeats(4, 1)),
    _one_input("trunc", np.trunc, repeats(2, 1), apart=False),
    Op(
        f"{PREFIX}exp", "taylor", ("dst", "src"), special.rounded_once(np.exp), _HALF_AND_FLOAT,
        page="数学计算/Exp接口", apart=True, temporary=on_both(repeats(4, 3, 2)),
    ),
    Op(
        f"{PREFIX}power", "math", ("dst", "src0", "src1"), special.power,
        ByArch({DAV_2201: one_type(3, _POWER), DAV_3510: one_type(3, _POWER_LATER)}), page="数学计算/Power接口",
        apart=True, temporary=ByArch({DAV_2201: _power, DAV_3510: _power_later}),
    ),
    Op(
        f"{PREFIX}xor", "math", ("dst", "src0", "src1"), np.bitwise_xor, on_both(one_type(3, {d.int16, d.uint16})),
        page="数学计算/Xor接口", apart=True, temporary=on_both(repeats(1, 1)),
    ),
    Op(
        f"{PREFIX}axpy", "muls_add", ("dst", "src", SCALAR), special.muls_add,
        on_both(Types(dict.fromkeys(_PAIRS, frozenset()))), page="数学计算/Axpy接口", reads_dst=True, apart=True,
        temporary=ByArch({DAV_2201: repeats(4, 1), DAV_3510: _NONE}),
    ),
)  # fmt: skip

_QUANTIZED: Final = Types({(d.int8, source): frozenset() for source in (d.float16, d.float32)})
_NORMALISED: Final = on_both(one_type(3, {d.float16, d.float32}))
_SOFTMAX: Final = on_both(
    Types(
        {
            **one_type(4, {d.float16, d.float32}).modes,
            (d.float16, d.float32, d.float32, d.float16): frozenset(),
        }
    )
)


def softmax_bytes(rows: int, columns: int, size: int, npu_arch: int) -> int:
    """GetSoftMaxMinTmpSize: of a matrix whose sums and maxima have elements of ``size`` bytes."""
    block = _BLOCK // size
    if npu_arch == DAV_3510:
        filled = -(-rows // 8) * 8
        return 4 * max(rows * (8 + columns) + 4 * 64 + filled, rows * (block + columns))
    return 4 * (block + columns + 64)


def rmsnorm_bytes(columns: int, size: int) -> int:
    """GetRmsNormMinTmpSize."""
    return 4 * (columns * (2 if size == 2 else 1) + 8)


_EXTRACTED: Final = Types({(dtype, d.uint32, dtype): frozenset() for dtype in (d.float16, d.float32)})

ROWS: Final = (
    *_MATH,
    Op(
        f"{PREFIX}extract", "extract", ("dst_value", "dst_index", "src"), types=on_both(_EXTRACTED), flow=FILL,
        targets=2, apart=True, page="排序操作/Extract",
    ),
    Op(
        f"{PREFIX}quant", "quant", ("dst", "src"), types=on_both(_QUANTIZED), page="量化操作/AscendQuant",
        temporary=on_both(repeats(2, 2)),
    ),
    Op(
        f"{PREFIX}softmax", "softmax", ("dst", "sum", "max", "src"), types=_SOFTMAX, flow=CONSUME, targets=3,
        page="激活函数/SoftMax接口",
    ),
    Op(
        f"{PREFIX}rmsnorm", "rmsnorm", ("dst", "src", "gamma"), types=_NORMALISED, flow=CONSUME,
        page="归一化操作/RmsNorm",
    ),
)  # fmt: skip
