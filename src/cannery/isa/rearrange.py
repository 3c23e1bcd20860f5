"""duplicate, copy, brcb, transpose, gather: instructions of the vector pipe that move elements
(hicann/asc-devkit docs, data filling and rearrangement, @82b89a15f263).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import Site
from cannery.isa.op import Op
from cannery.isa.operands import (
    BLOCK,
    REPEAT,
    Addressing,
    Lanes,
    Pattern,
    Strides,
    full,
    lanes,
    pattern_of,
    stretch,
)
from cannery.isa.tensors import Local
from cannery.isa.vector import elementwise, gather, issue, scatter


def duplicate(core: Core, site: Site | None, op: Op, dst: Local, scalar: Any, addressing: Addressing) -> None:
    """Fill with a number."""
    value = dst.dtype.element(scalar)
    if addressing.elements is not None:
        core.registers.count_form_used()
    elementwise(core, site, op, lambda: value, (dst, _region(core, op, dst, addressing)), [])


def copy(core: Core, site: Site | None, op: Op, dst: Local, src: Local, addressing: Addressing) -> None:
    """Masked copy within UB on the vector pipe. In counter mode the mask counts a repeat's elements."""
    size = dst.dtype.size
    pattern = pattern_of(core, op, addressing, size)
    if core.registers.counter_mode:
        pattern = Pattern(addressing.repeats, (1 << min(int(pattern.total or 0), REPEAT // size)) - 1)
    there, origin = (lanes(pattern, size, size, *strides) for strides in addressing.strides)
    elementwise(core, site, op, op.compute, (dst, there), [(src, origin)])


def broadcast_to_blocks(
    core: Core, site: Site | None, op: Op, dst: Local, src: Local, repeats: int, strides: Strides
) -> None:
    """brcb: each repeat takes 8 elements; element i fills block i of the destination."""
    size = dst.dtype.size
    there = lanes(full(repeats, size), size, size, *strides)
    _permute(core, site, op, dst, there, src, stretch(8 * repeats, size), lambda x: np.repeat(x, BLOCK // size))


def transpose(core: Core, site: Site | None, op: Op, dst: Local, src: Local) -> None:
    """One 16 × 16 tile of 16-bit elements."""
    region = stretch(256, dst.dtype.size)
    _permute(core, site, op, dst, region, src, region, lambda x: x.reshape(16, 16).T.copy().reshape(-1))


def _permute(
    core: Core, site: Site | None, op: Op, dst: Local, there: Lanes, src: Local, origin: Lanes,
    place: Callable[[Any], Any],
) -> None:  # fmt: skip
    """Lanes that are not computed one by one: the whole source is read before anything is written."""

    def effect() -> None:
        scatter(dst, there, place(gather(src, origin)))

    if there.number:
        issue(core, site, op, [(src, origin)], [(dst, there)], effect)


def gather_elements(
    core: Core, site: Site | None, op: Op, dst: Local, src: Local, src_offset: Local, src_base: int,
    addressing: Addressing,
) -> None:  # fmt: skip
    """gather: dst[i] = the element at byte ``src_base + src_offset[i]`` of src."""
    size = dst.dtype.size
    there = _region(core, op, dst, addressing)
    offsets = stretch(there.number, 4)
    whole = stretch((src.owner.upper - src.addr) // size, size)

    def effect() -> None:
        at = (gather(src_offset, offsets).astype(np.int64) + src_base) // size
        inside = (at >= 0) & (at < whole.number)
        scatter(dst, there, gather(src, whole)[np.where(inside, at, 0)])

    if there.number:
        # Which elements of src are read depends on data: none is judged, rather than all of them wrongly.
        issue(core, site, op, [(src_offset, offsets)], [(dst, there)], effect, work=(dst, there))


def _region(core: Core, op: Op, dst: Local, addressing: Addressing) -> Lanes:
    """The destination's lanes, of a call that gives no strides of other operands."""
    size = dst.dtype.size
    if addressing.elements is not None:
        return stretch(addressing.elements, size)
    return lanes(pattern_of(core, op, addressing, size), size, size, *addressing.strides[0])
