"""Conversions between element types (hicann/asc-devkit docs, Cast, @82b89a15f263)."""

from __future__ import annotations

from typing import Any

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import Site
from cannery.isa.dtypes import DataType
from cannery.isa.enums import RoundMode
from cannery.isa.op import Op
from cannery.isa.operands import Addressing, operands
from cannery.isa.rounding import converter
from cannery.isa.tensors import Local
from cannery.isa.vector import elementwise


def cast(
    core: Core, site: Site | None, op: Op, dst: Local, src: Local, mode: RoundMode, addressing: Addressing
) -> None:
    """Convert elements. Masks and repeats are counted in the wider of the two types.

    Raises:
        TypeError, ValueError: the chip has no such conversion, or not with that mode.
    """
    _check(core, op, src.dtype, dst.dtype, mode)
    target, source = operands(core, op, (dst, src), addressing)
    elementwise(core, site, op, _conversion(core, dst.dtype, src.dtype, mode), target, [source])


def _check(core: Core, op: Op, src: DataType, dst: DataType, mode: RoundMode) -> None:
    types = op.types_on(core)
    if types is None:
        return
    modes = types.modes.get((dst, src))
    if modes is None:
        targets = ", ".join(sorted(str(to) for to, origin in types.modes if origin == src)) or "none"
        raise TypeError(f"{op.name}: found {src} to {dst}, expected one of {targets} from {src} on {core.soc.name}")
    if mode not in modes:
        names = ", ".join(sorted(RoundMode(one).name for one in modes))
        raise ValueError(f"{op.name}: {src} to {dst}: found {RoundMode(mode).name}, expected one of {names}")


def _conversion(core: Core, dst: DataType, src: DataType, mode: RoundMode) -> Any:
    if core.launch.precise and src.is_float() and dst.is_float() and src != dst:
        return lambda x: x.astype(np.float32)
    return converter(src, dst, mode, core.registers.deq_scale)
