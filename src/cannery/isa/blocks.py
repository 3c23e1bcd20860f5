"""Instructions that rearrange blocks of 32 bytes: gatherb, trans_data_to_5hd, transpose of images, interpolation
(hicann/asc-devkit docs, Memory vector calculation, @82b89a15f263).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import Access, Instruction, Looked, Lookup, Site
from cannery.aicore.memory import POISON, Arena
from cannery.aicore.pipes import V
from cannery.isa import composite
from cannery.isa.composite import Spread, Temporaries
from cannery.isa.dtypes import DataType, uint32
from cannery.isa.enums import TransposeType
from cannery.isa.op import DAV_3510, REPEAT_TIMES, Op
from cannery.isa.operands import (
    BLOCK,
    Addressing,
    Lanes,
    Strides,
    full,
    lane_numbers,
    lanes,
    pattern_of,
    runs_of,
    stretch,
)
from cannery.isa.tensors import Allocation, Local
from cannery.isa.vector import gather, scatter

Array = np.ndarray[Any, Any]
_EACH: Final = 8  # blocks of a repeat
_LIST: Final = 16  # addresses of trans_data_to_5hd


def gather_blocks(
    core: Core, site: Site | None, op: Op, dst: Local, src: Local, offset: Local, repeats: int, strides: Strides
) -> None:
    """gatherb: block i of the destination is the one at byte ``offset[i]`` of the source; 8 a repeat."""
    op.check_types(core, (dst.dtype, src.dtype))
    _check_offsets(op, "offset", offset)
    op.check_field(core, REPEAT_TIMES, repeats)
    blk, rep = strides
    op.check_strides(core, op.tensors[:1], [strides])
    if not repeats:
        return
    size = dst.dtype.size
    there = lanes(full(repeats, size), size, size, blk or 1, rep)
    places = stretch(_EACH * repeats, 4)
    lookup = _lookup(src)

    def effect() -> None:
        at = _look(core, lookup, src, gather(offset, places))
        scatter(dst, there, _blocks_at(src.owner.memory, at).reshape(-1).view(dst.dtype.numpy))

    composite.issue(
        core, site, op, [(dst, there)], [(offset, places)], effect, 0, work=(dst, there), lookup=lookup
    )  # fmt: skip


def _check_offsets(op: Op, name: str, offsets: Local) -> None:
    if offsets.dtype != uint32:
        raise TypeError(f"{op.name}: {name}: found {offsets.dtype}, expected uint32")


def _lookup(src: Local) -> Lookup:
    return Lookup(src.access(0, max(src.owner.upper - src.addr, BLOCK), BLOCK), BLOCK)


def _look(core: Core, lookup: Lookup, src: Local, offsets: Array) -> Array:
    """The addresses that offsets name; watchers are told."""
    at = offsets.astype(np.int64) + src.addr
    if core.watchers:
        core.tell(Looked(lookup, tuple(at.tolist())))
    return at


def _blocks_at(memory: Arena, at: Array) -> Array:
    """Blocks of bytes at addresses, one a row; poison where the memory has none."""
    places = at[:, None] + np.arange(BLOCK)
    exists = (places >= 0) & (places < memory.size)
    found: Array = np.where(exists, memory.data[np.where(exists, places, 0)], np.uint8(POISON))
    return found


class Bilinear(NamedTuple):
    """``vertical`` results of ``horizontal`` products each; ``by_block``: a weight for each block, not each product."""

    horizontal: int
    vertical: int
    by_block: bool
    dst_block_stride: int
    dst_row_stride: int


def interpolate(
    core: Core, site: Site | None, op: Op, tensors: Sequence[Local], mask: Any, shape: Bilinear, buffer: Local | None
) -> None:
    """bilinear_interpolation: gathered blocks times weights, added up in half.

    ``tensors``: destination, source, offsets, weights.
    """
    dst, src, offset, weights = tensors
    op.check_types(core, (dst.dtype, src.dtype, weights.dtype))
    _check_offsets(op, "src0_offset", offset)
    for field, value in (
        ("h_repeat", shape.horizontal), ("v_repeat", shape.vertical), ("v_r_offset", shape.dst_row_stride),
    ):  # fmt: skip
        op.check_field(core, field, value)
    op.check_strides(core, op.tensors[:1], [(shape.dst_block_stride, 0)])
    products = shape.horizontal * shape.vertical
    pattern = pattern_of(core, op, Addressing(None, mask, 1), 2)
    there = _rows(lanes(pattern, 2, 2, shape.dst_block_stride, 0), shape)
    active = lane_numbers(pattern.bits, 128)
    places, factors = stretch(_EACH * products, 4), stretch(products * (_EACH if shape.by_block else 1), 2)
    lookup = _lookup(src)

    def effect() -> None:
        at = _look(core, lookup, src, gather(offset, places))
        blocks = _blocks_at(src.owner.memory, at).view(np.float16).reshape(products, _EACH, -1)
        weight = gather(weights, factors).reshape(products, -1, 1)
        terms = (blocks * weight).reshape(shape.vertical, shape.horizontal, 128)
        total = terms[:, 0]
        for column in range(1, shape.horizontal):
            total = total + terms[:, column]
        scatter(dst, there, total[:, active].reshape(-1))

    size = (src.size + weights.size) * BLOCK if core.soc.npu_arch != DAV_3510 else 0
    composite.issue(
        core, site, op, [(dst, there)], [(offset, places), (weights, factors)], effect, size, Temporaries(buffer),
        work=(dst, stretch(products * 128, 2)), lookup=lookup,
    )  # fmt: skip


def _rows(one: Lanes, shape: Bilinear) -> Lanes:
    """The lanes of a row of results, for all rows."""
    inside = np.arange(one.number) if one.offsets is None else one.offsets
    index = (np.arange(shape.vertical)[:, None] * shape.dst_row_stride + inside).reshape(-1)
    if not len(index):
        return one
    breaks = np.flatnonzero(np.diff(index) != 1)
    distinct = len(np.unique(index)) == len(index)
    return Lanes(index, len(index), (int(index.max()) + 1) * 2, runs_of(index, breaks, 2), distinct)


class Addresses(NamedTuple):
    """16 blocks: the tensor each lies in, and its address."""

    owners: tuple[Allocation, ...]
    starts: tuple[int, ...]


class FiveDims(NamedTuple):
    """Repeats, distances from one to the next in blocks, and which half of a block bytes go to and come from."""

    repeats: int
    dst_step: int
    src_step: int
    dst_high: bool
    src_high: bool


def to_five_dims(
    core: Core, site: Site | None, op: Op, dst: Addresses, src: Addresses, dtype: DataType, shape: FiveDims
) -> None:
    """trans_data_to_5hd: 16 blocks as a matrix, transposed into 16 blocks.

    With one repeat the distances are added once: the effective start is behind the addresses.

    Raises:
        TypeError: an element type that it has not.
        ValueError: not 16 addresses, or a field beyond its limits.
    """
    op.check_types(core, (dtype,))
    for field, value in (
        (REPEAT_TIMES, shape.repeats), ("dst_rep_stride", shape.dst_step), ("src_rep_stride", shape.src_step),
    ):  # fmt: skip
        op.check_field(core, field, value)
    for name, addresses in (("dst_list", dst), ("src_list", src)):
        if len(addresses.starts) != _LIST:
            raise ValueError(f"{op.name}: {name}: found {len(addresses.starts)} addresses, expected {_LIST}")
    if not shape.repeats:
        return
    to, origin = (_repeated(one, step, shape.repeats) for one, step in ((dst, shape.dst_step), (src, shape.src_step)))
    half = BLOCK // 2 if dtype.size == 1 else 0
    length = half or BLOCK
    to, origin = to + half * shape.dst_high, origin + half * shape.src_high
    memory = dst.owners[0].memory

    def effect() -> None:
        blocks = _pieces(src.owners[0].memory, origin, length).view(dtype.numpy)
        turned = np.ascontiguousarray(blocks.transpose(0, 2, 1)).reshape(shape.repeats, _LIST, -1)
        _put(memory, to, turned.view(np.uint8))

    reads, writes = _accesses(src, origin, length), _accesses(dst, to, length)
    spread = _transposed(shape.repeats, length // dtype.size, dtype.size)
    if not len(reads) == len(writes) == 1:
        spread = _lost
    work = shape.repeats * _LIST * length // dtype.size
    core.issue(Instruction(op.name, V, reads, writes, site, effect, (), op.flow, None, (), dtype, work, spread=spread))


def _repeated(addresses: Addresses, step: int, repeats: int) -> Array:
    """Addresses of each repeat's blocks."""
    first = 1 if repeats == 1 else 0
    numbers = np.arange(first, first + repeats)
    return np.array(addresses.starts)[None, :] + numbers[:, None] * step * BLOCK


def _pieces(memory: Arena, at: Array, length: int) -> Array:
    places = at[..., None] + np.arange(length)
    found: Array = memory.data[np.minimum(places, len(memory.data) - 1)]
    return found


def _put(memory: Arena, at: Array, values: Array) -> None:
    places = at[..., None] + np.arange(values.shape[-1])
    kept = places < memory.size
    memory.data[places[kept]] = values[kept]


def _accesses(addresses: Addresses, at: Array, length: int) -> tuple[Access, ...]:
    """One access for each tensor, and one more for each block that begins between blocks."""
    found: list[Access] = []
    for owner in dict.fromkeys(addresses.owners):
        mine = at[:, [place for place, one in enumerate(addresses.owners) if one is owner]].reshape(-1)
        lower = int(mine.min())
        runs = tuple([(start - lower, start - lower + length) for start in mine.tolist()])
        found.append(Access(owner.memory, lower, int(mine.max()) + length, owner, runs, length))
        found += [
            Access(owner.memory, start, start + length, owner, None, length)
            for start in mine.tolist()
            if start % length and start != lower
        ]
    return tuple(found)


def _transposed(repeats: int, width: int, size: int) -> Spread:
    """How never-written bytes go from one source to one destination."""
    numbers = np.arange(repeats * _LIST * width).reshape(repeats, _LIST, width)
    target = np.empty(numbers.size, np.int64)
    target[numbers.transpose(0, 2, 1).reshape(-1)] = np.arange(numbers.size)
    return moved_by(target, size)


def _lost(pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Between several tensors the way of never-written bytes is not followed."""
    del pieces
    return []


def moved_by(target: Array, size: int) -> Spread:
    """The bytes that elements of ``size`` bytes reach which go to the places ``target``."""

    def spread(pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
        touched: Iterable[int] = sorted({at for a, b in pieces for at in range(a // size, -(-b // size))})
        return [(int(target[at]) * size, int(target[at]) * size + size) for at in touched]

    return spread


class Images(NamedTuple):
    """N × C × H × W."""

    n: int
    c: int
    h: int
    w: int


_FORMATS: Final = {
    TransposeType.TRANSPOSE_NCHW2NHWC: (0, 2, 3, 1),
    TransposeType.TRANSPOSE_NHWC2NCHW: (0, 3, 1, 2),
}


def transpose_images(
    core: Core, site: Site | None, op: Op, dst: Local, src: Local, shape: Images, kind: TransposeType,
    buffer: Local | None,
) -> None:  # fmt: skip
    """transpose with parameters, of images: N × C × H × W to N × H × W × C, or back.

    Raises:
        TypeError: element types that it has not.
        ValueError: lengths beyond their limits, or a plane that is no whole blocks.
    """
    op.check_types(core, (dst.dtype, src.dtype))
    size, plane = src.dtype.size, shape.h * shape.w
    for field, value in (("n_size", shape.n), ("c_size", shape.c), ("h_size * w_size", plane)):
        op.check_field(core, field, value)
    if plane * size % BLOCK:
        raise ValueError(f"{op.name}: h_size * w_size: found {plane} {src.dtype}, expected whole blocks of 32 bytes")
    count = shape.n * shape.c * plane
    if not count:
        return
    to_last = kind == TransposeType.TRANSPOSE_NCHW2NHWC
    dims = tuple(shape) if to_last else (shape.n, shape.h, shape.w, shape.c)
    axes = _FORMATS[kind]
    region = stretch(count, size)

    def effect() -> None:
        scatter(dst, region, gather(src, region).reshape(dims).transpose(axes).reshape(-1))

    order = np.arange(count).reshape(dims).transpose(axes).reshape(-1)
    target = np.empty(count, np.int64)
    target[order] = np.arange(count)
    rows, columns = (32 if size == 1 else 16), BLOCK // size
    blocks = shape.c + 2 if to_last else 2 * shape.c + 1
    composite.issue(
        core, site, op, [(dst, region)], [(src, region)], effect, blocks * rows * columns * size, Temporaries(buffer),
        spread=moved_by(target, size),
    )  # fmt: skip
