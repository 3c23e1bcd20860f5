"""Which elements a vector instruction touches.

One repeat is 256 bytes of the wider operand. Element j of block b in repeat r lies at
``base + (r * rep_stride + b * blk_stride) * 32 bytes + j``; a mask switches lanes off, counter mode counts elements
over all repeats (hicann/asc-devkit docs, SIMD calculation, @82b89a15f263).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import Access, Runs
from cannery.aicore.registers import FULL
from cannery.isa.op import REPEAT_TIMES, Op
from cannery.isa.tensors import Local

BLOCK = 32
REPEAT = 256
MOST = 2**31 - 1
"""The largest count."""
MOST_LANES = 128
"""Lanes of a repeat of 16-bit elements; of wider ones a repeat has fewer, and a larger mask means all."""

Strides = tuple[int, int]
"""From block to block and from repeat to repeat, start to start, in blocks of 32 bytes."""


class Addressing(NamedTuple):
    """How a call addresses its operands: ``elements`` contiguous ones, or, where that is None, masked repeats.

    Attributes:
        elements: how many, from each operand's start.
        mask: the first n lanes of a repeat, or two 64-bit words of lanes, the low one first.
        repeats: how many repeats.
        strides: one pair for each operand.
        set_mask: the mask is this call's own; otherwise that of the mask register.
    """

    elements: int | None
    mask: Any = 0
    repeats: int = 1
    strides: tuple[Strides, ...] = ()
    set_mask: bool = True


class Pattern(NamedTuple):
    """Active lanes: of each of ``repeats`` repeats by ``bits``, or the first ``total`` of all when that is not None."""

    repeats: int
    bits: int
    total: int | None = None


class Lanes(NamedTuple):
    """The elements of one operand, in lane order, as offsets from its start.

    Attributes:
        offsets: element offsets; None: 0 to ``number``.
        number: how many elements.
        extent: bytes from the start to behind the last element.
        runs: the touched bytes; None: one stretch from the start.
        distinct: no element occurs twice.
    """

    offsets: np.ndarray[Any, Any] | None
    number: int
    extent: int
    runs: Runs | None
    distinct: bool


Operand = tuple[Local, Lanes]


def operands(core: Core, op: Op, tensors: Sequence[Local], addressing: Addressing) -> list[Operand]:
    """Each tensor with its lanes. Sets the mask register as the hardware does.

    Raises:
        ValueError: a count, mask, repeat or stride beyond its limits.
    """
    if addressing.elements is not None:
        count = counted(op, addressing)
        core.registers.count_form_used()
        return [(tensor, stretch(count, tensor.dtype.size)) for tensor in tensors]
    wide = max(tensor.dtype.size for tensor in tensors)
    pattern = pattern_of(core, op, addressing, wide)
    op.check_strides(core, [name for name in op.tensors if name != "sel_mask"], addressing.strides)
    registers = core.registers
    if addressing.set_mask and not registers.counter_mode:
        registers.mask_low, registers.mask_high = pattern.bits & FULL, pattern.bits >> 64
    return [
        (tensor, lanes(pattern, wide, tensor.dtype.size, *strides))
        for tensor, strides in zip(tensors, addressing.strides, strict=True)
    ]


def counted(op: Op, addressing: Addressing) -> int:
    """The number of elements of a call with a count.

    Raises:
        ValueError: it is negative, or no int32.
    """
    count = addressing.elements or 0
    if not 0 <= count <= MOST:
        raise ValueError(f"{op.name}: count: found {count}, expected 0 to {MOST}")
    return count


@lru_cache(maxsize=1024)
def stretch(count: int, size: int) -> Lanes:
    """The first ``count`` elements, contiguous."""
    return Lanes(None, count, count * size, None, True)


@lru_cache(maxsize=1024)
def lanes(pattern: Pattern, wide: int, size: int, blk_stride: int, rep_stride: int) -> Lanes:
    """The lanes of an operand with elements of ``size`` bytes in an instruction whose wider type has ``wide`` bytes."""
    per_repeat = REPEAT // wide
    per_block = BLOCK // size
    lane = np.arange(per_repeat)
    inside = lane // per_block * blk_stride * per_block + lane % per_block
    starts: np.ndarray[Any, Any] = np.arange(pattern.repeats) * rep_stride * per_block
    index = starts[:, None] + inside[lane_numbers(pattern.bits, per_repeat)]
    flat = index.reshape(-1)
    if pattern.total is not None:
        flat = flat[: pattern.total]
    if not len(flat):
        return stretch(0, size)
    breaks = np.flatnonzero(np.diff(flat) != 1)
    if not len(breaks) and flat[0] == 0:
        return stretch(len(flat), size)
    distinct = len(np.unique(flat)) == len(flat)
    return Lanes(flat, len(flat), (int(flat.max()) + 1) * size, runs_of(flat, breaks, size), distinct)


def runs_of(offsets: np.ndarray[Any, Any], breaks: np.ndarray[Any, Any], size: int) -> Runs:
    """The bytes of elements at offsets that go on one by one, except behind ``breaks``."""
    firsts = offsets[np.concatenate([[0], breaks + 1])]
    lasts = offsets[np.concatenate([breaks, [len(offsets) - 1]])]
    return tuple((int(a) * size, (int(b) + 1) * size) for a, b in zip(firsts, lasts, strict=True))


def lane_numbers(bits: int, per_repeat: int) -> np.ndarray[Any, Any]:
    """The lanes of a repeat that are on."""
    return np.array([lane for lane in range(per_repeat) if bits >> lane & 1], np.int64)


def pattern_of(core: Core, op: Op, addressing: Addressing, wide: int) -> Pattern:
    """The active lanes of a call with repeats.

    Raises:
        ValueError: more repeats than the instruction has, or a mask of no lanes that there are.
    """
    repeats = int(addressing.repeats)
    op.check_field(core, REPEAT_TIMES, repeats)
    per_repeat = REPEAT // wide
    registers = core.registers
    mask = addressing.mask
    if registers.counter_mode:
        own = addressing.set_mask and isinstance(mask, int)
        total = int(mask) if own else registers.mask_low
        if not 0 <= total <= MOST:
            raise ValueError(f"{op.name}: mask in counter mode: found {total}, expected 0 to {MOST}")
        return Pattern(-(-total // per_repeat), (1 << per_repeat) - 1, total)
    if not addressing.set_mask:
        return Pattern(repeats, registers.mask_low | registers.mask_high << 64)
    return Pattern(repeats, mask_bits(op, mask, per_repeat))


def mask_bits(op: Op, mask: Any, per_repeat: int) -> int:
    """A mask as bits: the first n lanes for an integer, more than there are meaning all; [low, high] words for a list.

    Raises:
        TypeError: neither an integer nor a list.
        ValueError: a negative number of lanes, more than any repeat has, no word of 64 bits, more than two.
    """
    if isinstance(mask, (list, tuple)):
        words = [int(word) for word in mask]
        if not 1 <= len(words) <= 2 or not all(0 <= word <= FULL for word in words):
            raise ValueError(f"{op.name}: mask: found {words}, expected one or two words of 64 bits, the low one first")
        return words[0] | (words[1] << 64 if len(words) > 1 else 0)
    if not isinstance(mask, (int, np.integer)):
        raise TypeError(f"{op.name}: mask: found {mask!r}, expected a number of lanes or a list of words")
    if not 0 <= mask <= MOST_LANES:
        raise ValueError(f"{op.name}: mask: found {int(mask)}, expected 0 to {MOST_LANES} lanes")
    return (1 << min(int(mask), per_repeat)) - 1


def full(repeats: int, size: int) -> Pattern:
    """All lanes of a number of repeats."""
    return Pattern(repeats, (1 << REPEAT // size) - 1)


def access(tensor: Local, region: Lanes, align: int = 32) -> Access:
    """The access of a tensor's lanes."""
    lower = tensor.addr
    owner = tensor.owner
    return Access(owner.memory, lower, lower + region.extent, owner, region.runs, align)
