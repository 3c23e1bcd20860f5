"""duplicate, copy, brcb, transpose, gather: instructions of the vector pipe that move elements
(hicann/asc-devkit docs, data filling and rearrangement, @82b89a15f263).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import Looked, Lookup, Site
from cannery.aicore.memory import POISON
from cannery.isa.dtypes import uint32
from cannery.isa.op import REPEAT_TIMES, Op
from cannery.isa.operands import (
    BLOCK,
    REPEAT,
    Addressing,
    Lanes,
    Pattern,
    Strides,
    counted,
    full,
    lanes,
    pattern_of,
    stretch,
)
from cannery.isa.tensors import Local
from cannery.isa.vector import elementwise, gather, issue, scatter


def duplicate(core: Core, site: Site | None, op: Op, dst: Local, scalar: Any, addressing: Addressing) -> None:
    """Fill with a number."""
    op.check_types(core, (dst.dtype,), counted=addressing.elements is not None)
    value = dst.dtype.element(scalar)
    if addressing.elements is not None:
        core.registers.count_form_used()
    elementwise(core, site, op, lambda: value, (dst, _region(core, op, dst, addressing)), [])


def copy(core: Core, site: Site | None, op: Op, dst: Local, src: Local, addressing: Addressing) -> None:
    """Masked copy within UB on the vector pipe. In counter mode the mask counts a repeat's elements."""
    op.check_types(core, (dst.dtype, src.dtype), counted=False)
    size = dst.dtype.size
    pattern = pattern_of(core, op, addressing, size)
    op.check_strides(core, op.tensors, addressing.strides)
    if core.registers.counter_mode:
        pattern = Pattern(addressing.repeats, (1 << min(int(pattern.total or 0), REPEAT // size)) - 1)
    there, origin = (lanes(pattern, size, size, *strides) for strides in addressing.strides)
    elementwise(core, site, op, op.compute, (dst, there), [(src, origin)])


def broadcast_to_blocks(
    core: Core, site: Site | None, op: Op, dst: Local, src: Local, repeats: int, strides: Strides
) -> None:
    """brcb: each repeat takes 8 elements; element i fills block i of the destination."""
    op.check_types(core, (dst.dtype, src.dtype))
    op.check_field(core, REPEAT_TIMES, repeats)
    op.check_strides(core, op.tensors[:1], [strides])
    size = dst.dtype.size
    there = lanes(full(repeats, size), size, size, *strides)
    _permute(core, site, op, dst, there, src, stretch(8 * repeats, size), lambda x: np.repeat(x, BLOCK // size))


def transpose(core: Core, site: Site | None, op: Op, dst: Local, src: Local) -> None:
    """One 16 × 16 tile of 16-bit elements."""
    op.check_types(core, (dst.dtype, src.dtype))
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
    op.check_types(core, (dst.dtype, src.dtype), counted=addressing.elements is not None)
    if src_offset.dtype != uint32:
        raise TypeError(f"{op.name}: src_offset: found {src_offset.dtype}, expected uint32")
    size = dst.dtype.size
    there = _region(core, op, dst, addressing)
    offsets = stretch(there.number, 4)
    start = src.addr + src_base
    lookup = Lookup(src.access(src_base, max(src.owner.upper - start, size), size), size)

    def effect() -> None:
        at = gather(src_offset, offsets).astype(np.int64) + start
        if core.watchers:
            core.tell(Looked(lookup, tuple(at.tolist())))
        scatter(dst, there, _elements_at(src, at))

    if there.number:
        issue(core, site, op, [(src_offset, offsets)], [(dst, there)], effect, work=(dst, there), lookup=lookup)


def _elements_at(src: Local, at: np.ndarray[Any, Any]) -> Any:
    """The elements at byte addresses; poison where the memory has none."""
    size = src.dtype.size
    first = at - src.addr
    whole = stretch((src.owner.upper - src.addr) // size, size)
    if not (first % size).any() and (first >= 0).all() and (first < whole.number * size).all():
        return gather(src, whole)[first // size]
    memory = src.owner.memory
    places = at[:, None] + np.arange(size)
    exists = (places >= 0) & (places < memory.size)
    raw = np.where(exists, memory.data[np.where(exists, places, 0)], np.uint8(POISON))
    return raw.view(src.dtype.numpy)[:, 0]


def _region(core: Core, op: Op, dst: Local, addressing: Addressing) -> Lanes:
    """The destination's lanes, of a call that gives no strides of other operands."""
    size = dst.dtype.size
    if addressing.elements is not None:
        return stretch(counted(op, addressing), size)
    op.check_strides(core, op.tensors[:1], addressing.strides)
    return lanes(pattern_of(core, op, addressing, size), size, size, *addressing.strides[0])
