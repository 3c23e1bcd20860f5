"""cast and the dequantisation scale."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cannery.asc.context import here, running
from cannery.asc.enums import RoundMode
from cannery.asc.tensors import LocalTensor, core_of
from cannery.asc.vector.forms import addressing_of
from cannery.isa import convert
from cannery.isa.table import TABLE

__all__ = ["cast", "set_deq_scale"]

_CAST: Final = TABLE["cast"]


def cast(dst: LocalTensor, src: LocalTensor, round_mode: RoundMode, *args: Any, **options: Any) -> None:
    """Convert elements: ``cast(dst, src, round_mode, count | mask, repeat_times, repeat_params, is_set_mask=True)``.

    Masks and repeats are counted in the wider of the two types.

    Raises:
        TypeError, ValueError: the chip has no such conversion, or not with that mode.
    """
    addressing = addressing_of(_CAST, args, options, _CAST.operands)
    convert.cast(core_of(_CAST, dst, src), here(), _CAST, dst, src, RoundMode(round_mode), addressing)


def set_deq_scale(scale: Any, *rest: Any) -> None:
    """The scale of int32 → half conversions, a half itself (SetDeqScale).

    Raises:
        NotImplementedError: the forms with offset and sign, for 8-bit results.
    """
    if rest:
        raise NotImplementedError(f"set_deq_scale with offsets on {running().soc.name} is not simulated")
    running().registers.deq_scale = float(np.float16(scale))
