"""Which elements a vector instruction touches.

One repeat is 256 bytes of the wider operand. Element j of block b in repeat r lies at
``base + (r * rep_stride + b * blk_stride) * 32 bytes + j``; a mask switches lanes off, counter mode counts elements
over all repeats (hicann/asc-devkit docs, SIMD calculation, @82b89a15f263).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from cannery.aicore.instruction import Access, Runs
from cannery.aicore.registers import FULL, Registers
from cannery.asc.tensors import LocalTensor

BLOCK = 32
REPEAT = 256
MAX_REPEAT = 255


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
    starts = np.arange(pattern.repeats) * rep_stride * per_block
    index = starts[:, None] + inside[_active(pattern.bits, per_repeat)]
    flat = index.reshape(-1)
    if pattern.total is not None:
        flat = flat[: pattern.total]
    if not len(flat):
        return stretch(0, size)
    breaks = np.flatnonzero(np.diff(flat) != 1)
    if not len(breaks) and flat[0] == 0:
        return stretch(len(flat), size)
    firsts = flat[np.concatenate([[0], breaks + 1])]
    lasts = flat[np.concatenate([breaks, [len(flat) - 1]])]
    runs = tuple((int(a) * size, (int(b) + 1) * size) for a, b in zip(firsts, lasts, strict=True))
    distinct = len(np.unique(flat)) == len(flat)
    return Lanes(flat, len(flat), (int(flat.max()) + 1) * size, runs, distinct)


def _active(bits: int, per_repeat: int) -> np.ndarray[Any, Any]:
    if bits & ((1 << per_repeat) - 1) == (1 << per_repeat) - 1:
        return np.arange(per_repeat)
    return np.array([lane for lane in range(per_repeat) if bits >> lane & 1], np.int64)


def pattern_of(registers: Registers, mask: Any, repeat_times: int, wide: int, is_set_mask: bool = True) -> Pattern:
    """The active lanes of a mask-form call.

    Raises:
        ValueError: more than 255 repeats, or fewer than none.
    """
    repeats = int(repeat_times)
    if not 0 <= repeats <= MAX_REPEAT:
        raise ValueError(f"repeat_times: found {repeats}, expected 0 to {MAX_REPEAT}")
    per_repeat = REPEAT // wide
    if registers.counter_mode:
        total = int(mask) if is_set_mask and isinstance(mask, int) else registers.mask_low
        return Pattern(-(-total // per_repeat), (1 << per_repeat) - 1, total)
    if not is_set_mask:
        return Pattern(repeats, registers.mask_low | registers.mask_high << 64)
    return Pattern(repeats, mask_bits(mask, per_repeat))


def mask_bits(mask: Any, per_repeat: int) -> int:
    """A mask as bits: the first n lanes for an integer, [low, high] words for a list."""
    if isinstance(mask, (list, tuple)):
        words = [int(word) & FULL for word in mask]
        return words[0] | (words[1] << 64 if len(words) > 1 else 0)
    return (1 << min(int(mask), per_repeat)) - 1


def access(tensor: LocalTensor, region: Lanes, align: int = 32) -> Access:
    """The access of a tensor's lanes."""
    lower = tensor.addr
    owner = tensor.owner
    return Access(owner.memory, lower, lower + region.extent, owner, region.runs, align)
