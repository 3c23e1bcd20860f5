"""Conversions between element types (hicann/asc-devkit docs, Cast, @82b89a15f263)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import Site
from cannery.isa.dtypes import DataType, float16, int8, int32, uint64
from cannery.isa.enums import RoundMode
from cannery.isa.op import Op
from cannery.isa.operands import BLOCK, Addressing, Lanes, operands, runs_of, stretch
from cannery.isa.reserved import held_scratch
from cannery.isa.rounding import converter, to_integer
from cannery.isa.scalar import write_element
from cannery.isa.semantics import relu
from cannery.isa.tensors import Local
from cannery.isa.vector import elementwise, gather, issue, scatter

Array = np.ndarray[Any, Any]
_LANES: Final = 16  # elements of a block that has a scale for each


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


def combined(core: Core, site: Site | None, op: Op, tensors: Sequence[Local], addressing: Addressing) -> None:
    """Compute as the row's function does, then convert: to nearest even where bits are lost, integers saturate.

    Raises:
        TypeError, ValueError: types or an addressing that it has not.
    """
    op.check_types(core, tuple(tensor.dtype for tensor in tensors), counted=addressing.elements is not None)
    dst, src = tensors[0].dtype, tensors[1].dtype
    convert = _conversion(core, dst, src, RoundMode.CAST_NONE)
    target, *sources = operands(core, op, tensors, addressing)
    elementwise(core, site, op, lambda *values: convert(op.compute(*values)), target, sources)


def dequantised_sum(core: Core, site: Site | None, op: Op, tensors: Sequence[Local], addressing: Addressing) -> None:
    """add_deq_relu: the sum of integers times the scale as half, not below 0."""
    op.check_types(core, tuple(tensor.dtype for tensor in tensors), counted=addressing.elements is not None)
    convert = converter(int32, float16, RoundMode.CAST_RINT, core.registers.deq_scale)
    held_scratch(core, site, op)
    target, *sources = operands(core, op, tensors, addressing)
    elementwise(core, site, op, lambda a, b: relu(convert(a + b)), target, sources)


class Scaling(NamedTuple):
    """How 16-bit integers become bytes: times a scale, plus an offset, signed or not."""

    scale: float
    offset: int
    signed: bool

    def word(self) -> int:
        """As the register has it: the scale's bits, 9 bits of the offset from bit 37 on, the sign in bit 46."""
        bits = int(np.float32(self.scale).view(np.uint32))
        return bits | (self.offset & 0x1FF) << 37 | int(self.signed) << 46


def set_scale_vector(core: Core, site: Site | None, op: Op, vector: Local, scalings: Sequence[Scaling]) -> None:
    """Store 16 words for cast_deq, and remember where.

    Raises:
        TypeError: the tensor is no uint64.
    """
    if vector.dtype != uint64:
        raise TypeError(f"{op.name}: vdeq: found {vector.dtype}, expected uint64")
    for place, scaling in enumerate(scalings):
        write_element(core, site, op, vector, place, scaling.word())
    core.registers.deq_vector, core.registers.deq_word = vector, None


def dequantised(
    core: Core, site: Site | None, op: Op, dst: Local, src: Local, addressing: Addressing, *, by_lane: bool,
    last_half: bool,
) -> None:  # fmt: skip
    """cast_deq: int32 to half times the scale; int16 to bytes times a scale plus an offset, saturating.

    The 16 bytes of a block of 16 elements go to one half of a block of 32; the other half stays as it is.
    ``by_lane``: each of 16 lanes has a scaling of its own, out of a tensor.

    Raises:
        TypeError: types that it has not, or bytes of another sign than the scaling says.
        ValueError: no scaling of that kind has been set.
    """
    op.check_types(core, (dst.dtype, src.dtype), counted=addressing.elements is not None)
    if dst.dtype == float16:
        target, source = operands(core, op, (dst, src), addressing)
        conversion = converter(int32, float16, RoundMode.CAST_RINT, core.registers.deq_scale)
        elementwise(core, site, op, conversion, target, [source])
        return
    vector, word = core.registers.deq_vector, core.registers.deq_word
    if (vector if by_lane else word) is None:
        wanted = "set_deq_scale(vdeq, VdeqInfo)" if by_lane else "set_deq_scale(scale, offset, sign_mode)"
        raise ValueError(f"{op.name}: is_vec_deq: found {by_lane}, expected {wanted} before")
    if not by_lane and word is not None:
        _check_sign(op, dst.dtype, word)
    # Lanes are counted in the source's elements, on both sides: a block of either has 16.
    (_, there), source = operands(core, op, (dst.as_type(src.dtype), src), addressing)
    region = _halves(there, last_half)
    words = (vector, stretch(_LANES, 8))

    def effect() -> None:
        values = gather(*source)
        all_words = gather(*words) if by_lane else np.array([word], np.uint64)
        places = _positions(source[1]) % _LANES if by_lane else np.zeros(len(values), np.int64)
        scatter(dst, region, _scaled(values, all_words[places], dst.dtype))

    if region.number:
        issue(core, site, op, [source, words] if by_lane else [source], [(dst, region)], effect)


def _check_sign(op: Op, dtype: DataType, word: int) -> None:
    signed = bool(word >> 46 & 1)
    if signed != (dtype == int8):
        expected = "int8" if signed else "uint8"
        raise TypeError(f"{op.name}: dst: found {dtype}, expected {expected} for sign_mode {signed}")


def _halves(lanes: Lanes, last: bool) -> Lanes:
    """The bytes of lanes, 16 to a block."""
    index = _positions(lanes)
    if not len(index):
        return stretch(0, 1)
    at = index // _LANES * BLOCK + index % _LANES + (_LANES if last else 0)
    distinct = len(np.unique(at)) == len(at)
    return Lanes(at, len(at), int(at.max()) + 1, runs_of(at, np.flatnonzero(np.diff(at) != 1), 1), distinct)


def _positions(lanes: Lanes) -> Array:
    return np.arange(lanes.number) if lanes.offsets is None else lanes.offsets


def _scaled(values: Array, words: Array, dtype: DataType) -> Array:
    """In float32; the scale keeps 10 bits behind the point."""
    scales = (words & np.uint64(0xFFFFE000)).astype(np.uint32).view(np.float32)
    offsets = (words >> np.uint64(37) & np.uint64(0x1FF)).astype(np.int64)
    offsets = np.where(offsets > 255, offsets - 512, offsets).astype(np.float32)
    result = values.astype(np.float32) * scales + offsets
    return to_integer(result, dtype.numpy, RoundMode.CAST_RINT)
