"""Instructions whose places are data: gather_mask packs elements, scatter puts them apart
(hicann/asc-devkit docs, GatherMask and Scatter, @82b89a15f263).

Both look at their data when they are issued, with all earlier work of the vector pipe done, so that what they touch is
known. gather_mask returns how many elements it has kept, and so has to; scatter's offsets are read again when it takes
effect.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.flags import Blocked
from cannery.aicore.instruction import Instruction, Site
from cannery.aicore.pipes import V
from cannery.isa.dtypes import uint8, uint32
from cannery.isa.op import REPEAT_TIMES, Op
from cannery.isa.operands import (
    BLOCK,
    REPEAT,
    Addressing,
    Lanes,
    Operand,
    access,
    counted,
    lanes,
    pattern_of,
    runs_of,
    stretch,
)
from cannery.isa.regions import store_bytes
from cannery.isa.tensors import Local
from cannery.isa.vector import gather, scatter, stored

Array = np.ndarray[Any, Any]
_FIXED: Final[MappingProxyType[int, Callable[[Array], Array]]] = MappingProxyType(
    {
        1: lambda lane: lane % 2 == 0,
        2: lambda lane: lane % 2 == 1,
        3: lambda lane: lane % 4 == 0,
        4: lambda lane: lane % 4 == 1,
        5: lambda lane: lane % 4 == 2,
        6: lambda lane: lane % 4 == 3,
        7: lambda lane: lane >= 0,
    }
)
"""Lanes that a pattern by number keeps."""


class Packing(NamedTuple):
    """``repeats`` repeats of ``elements`` elements, None: of 256 bytes; strides in blocks."""

    repeats: int
    elements: int | None
    src_block_stride: int
    src_repeat_stride: int
    pattern_repeat_stride: int


def pack(core: Core, site: Site | None, op: Op, dst: Local, src: Local, pattern: Local | int, shape: Packing) -> int:
    """gather_mask: the elements whose bit is 1, one after the other; how many there are.

    Raises:
        DeadlockError: the vector pipe waits for what only the program could still set.
        TypeError, ValueError: types or fields that it has not.
    """
    _check(core, op, dst, src, pattern, shape)
    size = src.dtype.size
    per_repeat = REPEAT // size if shape.elements is None else shape.elements
    core.registers.count_form_used()
    core.registers.kept_count = 0
    if not shape.repeats or not per_repeat:
        return 0
    bits = _bits_of(pattern, per_repeat, shape) if isinstance(pattern, Local) else None
    if not core.settle(V):
        raise core.deadlock(Blocked("S", op.name, "", site))
    lane = np.arange(per_repeat)
    per_block = BLOCK // size
    inside = lane // per_block * shape.src_block_stride * per_block + lane % per_block
    index = np.arange(shape.repeats)[:, None] * shape.src_repeat_stride * per_block + inside
    if isinstance(pattern, Local):
        kept = _kept(_bits_of(pattern, per_repeat, shape), per_repeat, shape)
    else:
        kept = np.tile(_FIXED[int(pattern)](lane), (shape.repeats, 1))
    chosen = index[kept]
    count = len(chosen)
    core.registers.kept_count = count
    source, target = _at(src, chosen), (dst, stretch(count, size))

    def effect() -> None:
        if count:
            scatter(*target, gather(*source))

    reads = (*([access(*source)] if count else []), *([access(*bits)] if bits is not None else []))
    writes = (access(*target),) if count else ()
    work = shape.repeats * per_repeat
    core.issue(Instruction(op.name, V, reads, writes, site, effect, (), op.flow, None, (), src.dtype, work))
    core.settle(V)
    return count


def _check(core: Core, op: Op, dst: Local, src: Local, pattern: Local | int, shape: Packing) -> None:
    types = (dst.dtype, src.dtype)
    op.check_types(core, (*types, pattern.dtype) if isinstance(pattern, Local) else types)
    fields = {
        REPEAT_TIMES: shape.repeats, "mask": shape.elements or 0, "src0_block_stride": shape.src_block_stride,
        "src0_repeat_stride": shape.src_repeat_stride, "src1_repeat_stride": shape.pattern_repeat_stride,
    }  # fmt: skip
    if not isinstance(pattern, Local):
        fields["src1_pattern"] = int(pattern)
    for field, value in fields.items():
        op.check_field(core, field, value)


def _bits_of(pattern: Local, per_repeat: int, shape: Packing) -> Operand:
    """The bytes of the pattern's bits: in each repeat one after the other."""
    each = -(-per_repeat // 8)
    index = (np.arange(shape.repeats)[:, None] * shape.pattern_repeat_stride * BLOCK + np.arange(each)).reshape(-1)
    return _at(pattern.as_type(uint8), index)


def _kept(bits: Operand, per_repeat: int, shape: Packing) -> Array:
    raw = np.asarray(gather(*bits)).reshape(shape.repeats, -1)
    kept: Array = np.unpackbits(raw, axis=1, bitorder="little")[:, :per_repeat].astype(bool)
    return kept


def _at(tensor: Local, index: Array) -> Operand:
    """Elements at offsets, as an operand."""
    size = tensor.dtype.size
    if not len(index):
        return tensor, stretch(0, size)
    breaks = np.flatnonzero(np.diff(index) != 1)
    if not len(breaks) and index[0] == 0:
        return tensor, stretch(len(index), size)
    extent = (int(index.max()) + 1) * size
    return tensor, Lanes(index, len(index), extent, runs_of(index, breaks, size), True)


def put_apart(
    core: Core, site: Site | None, op: Op, dst: Local, src: Local, offset: Local, base: int, addressing: Addressing
) -> None:
    """scatter: element i of the source goes to byte ``base + offset[i]`` of the destination.

    Raises:
        NotImplementedError: the chip has no such instruction.
        TypeError: element types that it has not, or offsets that are no uint32.
    """
    op.check_types(core, (dst.dtype, src.dtype), counted=addressing.elements is not None)
    if offset.dtype != uint32:
        raise TypeError(f"{op.name}: dst_offset: found {offset.dtype}, expected uint32")
    size = src.dtype.size
    origin = _source(core, op, src, addressing)
    if not origin.number:
        return
    places = stretch(origin.number, 4)
    start = dst.addr + base

    def effect() -> None:
        values = np.ascontiguousarray(stored(src, origin)).view(np.uint8).reshape(-1, size)
        for at, value in zip(gather(offset, places).tolist(), values, strict=True):
            store_bytes(dst, start + at, value)

    reads = (access(src, origin), access(offset, places))
    writes = _targets(dst, start, gather(offset, places).astype(np.int64) if core.settle(V) else None)
    core.issue(Instruction(op.name, V, reads, writes, site, effect, (), op.flow, None, (), src.dtype, origin.number))


def _targets(dst: Local, start: int, offsets: Array | None) -> tuple[Any, ...]:
    """What is written: the elements, or, where nobody knows yet, all behind the start."""
    size = dst.dtype.size
    if offsets is None:
        return (dst.access(start - dst.addr, max(dst.owner.upper - start, size), size),)
    lower = int(offsets.min())
    runs = tuple([(at - lower, at - lower + size) for at in offsets.tolist()])
    whole = dst.access(start + lower - dst.addr, int(offsets.max()) - lower + size, size)._replace(runs=runs)
    astray = [at for at in offsets.tolist() if (start + at) % size and at != lower]
    return (whole, *[dst.access(start + at - dst.addr, size, size) for at in astray[:1]])


def _source(core: Core, op: Op, src: Local, addressing: Addressing) -> Lanes:
    size = src.dtype.size
    if addressing.elements is not None:
        return stretch(counted(op, addressing), size)
    op.check_strides(core, op.tensors[1:2], addressing.strides)
    return lanes(pattern_of(core, op, addressing, size), size, size, *addressing.strides[0])
