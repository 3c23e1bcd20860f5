"""cast and the dequantisation scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from cannery.asc.context import running
from cannery.asc.enums import RoundMode
from cannery.asc.params import UnaryRepeatParams
from cannery.asc.tensors import LocalTensor
from cannery.asc.vector.forms import DST, SRC, form_of, operands
from cannery.asc.vector.issue import elementwise
from cannery.asc.vector.rounding import check, converter


def cast(dst: LocalTensor, src: LocalTensor, round_mode: RoundMode, *args: Any, **options: Any) -> None:
    """Convert elements: ``cast(dst, src, round_mode, count | mask, repeat_times, repeat_params, is_set_mask=True)``.

    Masks and repeats are counted in the wider of the two types.

    Raises:
        TypeError, ValueError: the chip has no such conversion, or not with that mode.
    """
    mode = RoundMode(round_mode)
    check(src.dtype, dst.dtype, mode)
    registers = dst.owner.core.registers
    form = form_of("cast", args, options, UnaryRepeatParams)
    target, source = operands(registers, form, (dst, src), (DST, SRC))
    elementwise("cast", _conversion(dst, src, mode, registers.deq_scale), target, [source])


def _conversion(dst: LocalTensor, src: LocalTensor, mode: RoundMode, scale: float) -> Any:
    if dst.owner.core.launch.precise and src.dtype.is_float() and dst.dtype.is_float() and src.dtype != dst.dtype:
        return lambda x: x.astype(np.float32)
    return converter(src.dtype, dst.dtype, mode, scale)


def set_deq_scale(scale: Any, *rest: Any) -> None:
    """The scale of int32 → half conversions.

    Raises:
        NotImplementedError: the forms with offset and sign, for 8-bit results.
    """
    if rest:
        raise NotImplementedError(f"set_deq_scale with offsets on {running().soc.name} is not simulated")
    running().registers.deq_scale = float(scale)
