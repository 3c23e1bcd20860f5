"""Copies between memories: data_copy and data_copy_pad (hicann/asc-devkit docs, data movement, @82b89a15f263).

Counted copies move whole blocks of 32 bytes and drop the rest. All lengths and gaps are in bytes, except where a name
says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from cannery.aicore.core import Core
from cannery.aicore.instruction import FILL, MOVE, Access, Instruction, Runs, Site
from cannery.aicore.memory import POISON
from cannery.isa.dtypes import DataType
from cannery.isa.limits import COUNT, PADDING_BYTES, check_value
from cannery.isa.op import DAV_2201, DAV_3510, ByArch, Op
from cannery.isa.operands import BLOCK
from cannery.isa.regions import Combine, load_bytes, store_bytes, window
from cannery.isa.table import TABLE
from cannery.isa.tensors import Global, Local, Tensor, memory_of, reach

Array = np.ndarray[Any, Any]
_UNITS: Final[ByArch[Mapping[str, int]]] = ByArch(
    {DAV_2201: MappingProxyType({"BT": 64, "FB": 128}), DAV_3510: MappingProxyType({"FB": 64})}
)
"""Bytes of a block on the way to the bias table and the fixpipe buffer (DataCopy from L1)."""
_UNDEFINED: Final = bytes([POISON])
"""What a padded copy fills up with when nobody says what: the pattern of fresh memory."""


class Pieces(NamedTuple):
    """Equal pieces at equal distances: number, bytes of one, bytes from start to start."""

    number: int
    length: int
    step: int

    @property
    def extent(self) -> int:
        """Bytes from the first piece's start to the last one's end."""
        return (self.number - 1) * self.step + self.length

    def runs(self) -> Runs | None:
        """The touched bytes, None where they are one stretch."""
        return None if self.number == 1 or self.step == self.length else _runs(*self)


@lru_cache(maxsize=512)
def _runs(number: int, length: int, step: int) -> Runs:
    return tuple((index * step, index * step + length) for index in range(number))


class Slice(NamedTuple):
    """One dimension of a sliced copy: start, end and gap in elements, ``burst`` in blocks of 32 bytes."""

    start: int
    end: int
    stride: int
    burst: int
    shape: int


class Padding(NamedTuple):
    """What a padded copy adds to each piece, in elements; ``value`` None: that of the pad register."""

    left: int = 0
    right: int = 0
    value: Any = None


def copy_counted(core: Core, site: Site | None, op: Op, dst: Tensor, src: Tensor, count: int) -> None:
    """Copy ``count`` elements, rounded down to whole blocks of 32 bytes.

    Raises:
        TypeError: two element types.
        ValueError: a count beyond uint32.
    """
    op.check_types(core, (dst.dtype, src.dtype))
    check_value(f"{op.name}: count", count, COUNT)
    local = src if isinstance(src, Local) else dst
    size = count * local.dtype.size
    whole = size // BLOCK * BLOCK
    if whole != size:
        to, origin = memory_of(dst), memory_of(src)
        pipes = (pipe_between(core, op, to, origin),)
        core.report(
            "rounded_copy", site, memory=to if isinstance(dst, Local) else origin, pipes=pipes, size=size, kept=whole
        )
    if whole > 0:
        pieces = Pieces(1, whole, whole)
        copy_pieces(core, site, op, dst, src, pieces, pieces)


def copy_blocks(
    core: Core, site: Site | None, op: Op, dst: Tensor, src: Tensor, count: int, blocks: int, gaps: tuple[int, int]
) -> None:
    """Copy ``count`` pieces of ``blocks`` blocks; ``gaps`` behind a piece, of destination and source, in blocks.

    A block has 32 bytes; on the way to the tables of the cube what is copied and the destination have larger ones.
    """
    op.check_types(core, (dst.dtype, src.dtype))
    if not count or not blocks:
        return
    unit = _UNITS[core.soc.npu_arch].get(memory_of(dst), BLOCK)
    length = blocks * unit
    there, origin = (Pieces(count, length, length + gap * size) for gap, size in zip(gaps, (unit, BLOCK), strict=True))
    copy_pieces(core, site, op, dst, src, there, origin)


def copy_slices(
    core: Core, site: Site | None, op: Op, dst: Tensor, src: Tensor, there: Sequence[Slice], origin: Sequence[Slice]
) -> None:
    """Copy part of a tensor of several dimensions into part of another one, innermost dimension first."""
    op.check_types(core, (dst.dtype, src.dtype))
    size = (src if isinstance(src, Local) else dst).dtype.size
    length = origin[0].burst * BLOCK
    piece = Pieces(1, length, length)
    for to, start in zip(_slice_starts(there, size), _slice_starts(origin, size), strict=True):
        copy_pieces(core, site, op, _behind(dst, to), _behind(src, start), piece, piece)


def _behind(tensor: Tensor, offset: int) -> Tensor:
    """The tensor from a byte offset on."""
    kept = tensor.size - offset // tensor.dtype.size
    if isinstance(tensor, Global):
        return Global(tensor.owner, tensor.address + offset, tensor.dtype, max(0, kept))
    return Local(tensor.owner, tensor.addr + offset, tensor.dtype, kept)


def _slice_starts(slices: Sequence[Slice], size: int) -> list[int]:
    """Byte offsets of the bursts of a sliced copy."""
    starts, pitch = [0], size
    for axis, part in enumerate(slices):
        burst = part.burst * BLOCK // size if axis == 0 else 1
        inside = range(part.start, part.end + 1, burst + part.stride)
        starts = [outer * pitch + start for outer in inside for start in starts]
        pitch *= part.shape or 1
    return starts


def load_padded(
    core: Core, site: Site | None, op: Op, dst: Local, src: Global, count: int, length: int, gaps: tuple[int, int],
    padding: Padding,
) -> None:  # fmt: skip
    """Copy ``count`` pieces of ``length`` bytes into local memory, each filled up to whole blocks.

    ``gaps``: behind a piece, in blocks at the destination, in bytes at the source.

    The filler is the padding's value, or that of the pad register. Without either it is the piece's first element, and
    undefined where paddings are asked for.
    """
    op.check_types(core, (dst.dtype, src.dtype))
    size = dst.dtype.size
    left, right = padding.left * size, padding.right * size
    for side, of_side in (("left", left), ("right", right)):
        check_value(f"{op.name}: bytes of {side}_padding", of_side, (0, PADDING_BYTES))
    if not count or not length:
        return
    slot = -(-(left + length + right) // BLOCK) * BLOCK
    there = Pieces(count, slot, slot + gaps[0] * BLOCK)
    origin = Pieces(count, length, length + gaps[1])
    write = _without_filler(dst.access(0, there.extent)._replace(runs=there.runs()))
    read = src.access(core.gm, 0, origin.extent)._replace(runs=origin.runs())
    value = core.registers.pad_value if padding.value is None else padding.value
    asked = bool(left or right)
    fill = np.frombuffer(_UNDEFINED, np.uint8) if value is None else dst.dtype.bytes_of(value)
    unwritten = _around_pieces(write.lower, there, left, length) if value is None and asked else ()
    buffer, offset = src.owner.buffer, src.offset

    def effect() -> None:
        for index in range(there.number):
            loaded = buffer.load(offset + index * origin.step, length)
            piece: Array = np.resize(fill if value is not None or asked else loaded[:size], slot)
            piece[left : left + length] = loaded
            store_bytes(dst, write.lower + index * there.step, piece)

    pipe = pipe_between(core, op, write.memory.name, read.memory.name)
    core.issue(
        Instruction(
            op.name, pipe, (read,), (write,), site, effect, (), FILL, None, unwritten, dst.dtype, count * length
        )
    )


def store_padded(
    core: Core, site: Site | None, op: Op, dst: Global, src: Local, count: int, length: int, gaps: tuple[int, int]
) -> None:
    """Copy ``count`` pieces of ``length`` bytes out; at the source each begins on a whole block.

    ``gaps``: behind a piece, in bytes at the destination, in blocks at the source.
    """
    op.check_types(core, (dst.dtype, src.dtype))
    if not count or not length:
        return
    slot = -(-length // BLOCK) * BLOCK
    there, origin = Pieces(count, length, length + gaps[0]), Pieces(count, length, slot + gaps[1] * BLOCK)
    copy_pieces(core, site, op, dst, src, there, origin)


def _around_pieces(start: int, there: Pieces, left: int, length: int) -> Runs:
    """The filler's bytes, before and behind each piece."""
    inner = ((0, left), (left + length, there.length))
    starts = [start + index * there.step for index in range(there.number)]
    return tuple((at + a, at + b) for at in starts for a, b in inner if a < b)


def _without_filler(write: Access) -> Access:
    """The last piece's filler may reach beyond a tensor's last element, up to the end of that block of 32 bytes."""
    end = write.owner.upper
    return write._replace(upper=end) if end < write.upper <= -(-end // BLOCK) * BLOCK else write


def copy_pieces(core: Core, site: Site | None, op: Op, dst: Tensor, src: Tensor, there: Pieces, origin: Pieces) -> None:
    """Copy equal pieces; atomically where the atomic register says so and the destination is global."""
    write, read = reach(core, dst, there.extent), reach(core, src, origin.extent)
    if there.number > 1:
        write, read = write._replace(runs=there.runs()), read._replace(runs=origin.runs())
    atomic = core.registers.atomic_op if write.memory is core.gm else None
    effect, args = _copier(core, dst, src, write, read, there, origin)
    pipe, work = pipe_between(core, op, write.memory.name, read.memory.name), origin.number * origin.length
    core.issue(Instruction(op.name, pipe, (read,), (write,), site, effect, args, MOVE, atomic, (), src.dtype, work))


def pipe_between(core: Core, op: Op, to: str, origin: str) -> int:
    """The pipe that copies from one memory to another.

    Raises:
        NotImplementedError: none does.
    """
    pipe = op.routes[core.soc.npu_arch].get((to, origin))
    if pipe is None:
        raise NotImplementedError(f"{op.name} from {origin} to {to} on {core.soc.name} is not simulated")
    return pipe


def _copier(
    core: Core, dst: Tensor, src: Tensor, write: Access, read: Access, there: Pieces, origin: Pieces
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """An effect and its arguments. What lies inside its memories is a plain copy between two views."""
    atomic = core.registers.atomic_op if isinstance(dst, Global) else None
    if atomic is None:
        target, source = window(dst, write.lower, write.upper), window(src, read.lower, read.upper)
        if target is not None and source is not None:
            views = (target, source) if there.number == 1 else (_cut(target, there), _cut(source, origin))
            wide = _wide_views(dst, src, write, read)
            if wide is None:
                return np.copyto, views
            halves = [Pieces(side.number, side.length // 2, side.step // 2) for side in (there, origin)]
            return _copy_both, (*views, _cut(wide[0], halves[0]), _cut(wide[1], halves[1]))
    combine = combiner(core, src.dtype) if atomic is not None else None
    return _copy_pieces, (dst, src, write.lower, read.lower, there, origin, combine)


def _cut(stretch: Array, pieces: Pieces) -> Array:
    """A stretch as its pieces, one a row; both count elements of the stretch."""
    if pieces.number == 1:
        return stretch
    strides = (pieces.step * stretch.itemsize, stretch.itemsize)
    return as_strided(stretch, (pieces.number, pieces.length), strides)


def _wide_views(dst: Tensor, src: Tensor, write: Access, read: Access) -> tuple[Any, Any] | None:
    """In precise mode, the float32 values behind the 16-bit slots of a copy within local memory."""
    if isinstance(dst, Global) or isinstance(src, Global) or write.memory.wide is None:
        return None
    views = [access.memory.wide[access.lower // 2 : access.upper // 2] for access in (write, read)]
    return views[0], views[1]


def _copy_both(target: Any, source: Any, wide_target: Any, wide_source: Any) -> None:
    np.copyto(target, source)
    np.copyto(wide_target, wide_source)


def combiner(core: Core, dtype: DataType) -> Combine | None:
    """What the atomic register says to do with global memory's old bytes; None: overwrite them."""
    if core.registers.atomic_op is None:
        return None
    operation = TABLE[f"set_atomic_{core.registers.atomic_op}"].compute
    kind = (core.registers.atomic_dtype or dtype).numpy

    def combine(old: Array, new: Array) -> Array:
        whole = len(new) // kind.itemsize * kind.itemsize
        result = new.copy()
        joined = operation(old[:whole].view(kind), new[:whole].view(kind), dtype=kind)
        result[:whole] = joined.astype(kind).view(np.uint8)
        return result

    return combine


def _copy_pieces(dst: Tensor, src: Tensor, to: int, start: int, there: Pieces, origin: Pieces, combine: Any) -> None:
    for index in range(there.number):
        # What the destination has not is dropped: as much as a wrong count may say is never made.
        kept = max(0, min(origin.length, _end(dst) - (to + index * there.step)))
        data = load_bytes(src, start + index * origin.step, kept)
        store_bytes(dst, to + index * there.step, data, combine)


def _end(tensor: Tensor) -> int:
    """Behind the last address of a tensor's memory."""
    if isinstance(tensor, Local):
        return int(tensor.owner.memory.size)
    return int(tensor.owner.origin + tensor.owner.buffer.nbytes)
