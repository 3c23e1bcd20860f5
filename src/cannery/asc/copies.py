"""data_copy and data_copy_pad (hicann/asc-devkit docs, data movement, @82b89a15f263; hicann/pyasc
`python/asc/language/basic/data_copy.py` @cecba26ace65).

Counted copies move whole blocks of 32 bytes and drop the rest; pieces and gaps are in blocks, except where a name says
bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from cannery.aicore.core import Core
from cannery.aicore.instruction import FILL, MOVE, Access, Instruction, Runs, Site
from cannery.aicore.memory import Arena, GlobalBuffer, poison
from cannery.aicore.pipes import FIX, MTE1, MTE2, MTE3, V
from cannery.asc.context import here, running
from cannery.asc.layouts import load_nz, store_nd
from cannery.asc.params import (
    DataCopyExtParams,
    DataCopyPadExtParams,
    DataCopyPadParams,
    DataCopyParams,
    Nd2NzParams,
    Nz2NdParamsFull,
    SliceInfo,
)
from cannery.asc.tensors import GlobalTensor, LocalTensor, scalar_bytes

Tensor = GlobalTensor | LocalTensor

_PIPES: Final = MappingProxyType(
    {
        ("UB", "GM"): MTE2, ("L1", "GM"): MTE2, ("GM", "UB"): MTE3, ("GM", "L1"): MTE3, ("UB", "UB"): V,
        ("L1", "UB"): MTE3, ("BT", "L1"): MTE1, ("FB", "L1"): FIX, ("L0A", "L1"): MTE1, ("L0B", "L1"): MTE1,
    }
)  # fmt: skip
"""The pipe of a copy, by destination and source memory."""

_COMBINE: Final = MappingProxyType({"add": np.add, "max": np.maximum, "min": np.minimum})


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


def data_copy(dst: Tensor, src: Tensor, *args: Any, **options: Any) -> None:
    """Copy between global and local memory, or within local memory.

    Forms: ``count`` elements, rounded down to 32 bytes; ``repeat_params=DataCopyParams(...)``;
    ``slice_list1, slice_list2, dim_value`` (destination's slices first); ``intri_params=Nd2NzParams(...)`` on load and
    ``Nz2NdParamsFull(...)`` on store.

    Raises:
        NotImplementedError: copies out of L0C.
        TypeError: no form takes these arguments.
    """
    if len(args) == 1 and not options and isinstance(args[0], int):
        _counted(dst, src, args[0], here())
        return
    site = here()
    if "count" in options:
        _counted(dst, src, options["count"], site)
        return
    params = options.get("repeat_params", options.get("intri_params", args[0] if args else None))
    if isinstance(params, DataCopyParams):
        _pieces_of_blocks(dst, src, params, site)
    elif isinstance(params, Nd2NzParams) and isinstance(dst, LocalTensor) and isinstance(src, GlobalTensor):
        load_nz(dst, src, params, site)
    elif isinstance(params, Nz2NdParamsFull) and isinstance(dst, GlobalTensor) and isinstance(src, LocalTensor):
        store_nd(dst, src, params, site)
    elif isinstance(params, (list, tuple)) or "slice_list1" in options:
        _sliced(dst, src, args, options, site)
    elif isinstance(params, int):
        _counted(dst, src, params, site)
    else:
        name = type(params).__name__
        raise NotImplementedError(f"data_copy with {name} on {running().soc.name} is not simulated")


def data_copy_pad(dst: Tensor, src: Tensor, data_copy_params: Any, pad_params: Any = None, **options: Any) -> None:
    """Copy pieces whose length is in bytes. Into local memory each piece is filled up to 32 bytes.

    Raises:
        NotImplementedError: a layout-converting form.
        TypeError: padding that belongs to another direction.
    """
    site = here()
    if options:
        raise NotImplementedError(f"data_copy_pad with {', '.join(options)} is not simulated")
    params = data_copy_params
    count, length = int(params.block_count), int(params.block_len)
    if not count or not length:
        return
    if isinstance(dst, LocalTensor) and isinstance(src, GlobalTensor):
        _load_padded(dst, src, params, pad_params or DataCopyPadParams(), site)
    elif isinstance(dst, GlobalTensor) and isinstance(src, LocalTensor):
        slot = -(-length // 32) * 32
        there = Pieces(count, length, length + int(params.dst_stride))
        here_ = Pieces(count, length, slot + int(params.src_stride) * 32)
        _move(dst, src, there, here_, "data_copy_pad", site)
    else:
        raise NotImplementedError(f"data_copy_pad within local memory on {running().soc.name} is not simulated")


def set_pad_value(padding_value: Any, pos: Any = None) -> None:
    """The value later padded copies fill up with when ``is_pad`` is off."""
    del pos
    running().registers.pad_value = padding_value


def _counted(dst: Tensor, src: Tensor, count: int, site: Site) -> None:
    size = int(count) * (src if isinstance(src, LocalTensor) else dst).dtype.size
    whole = size // 32 * 32
    if whole != size:
        memory = _memory_of(dst if isinstance(dst, LocalTensor) else src)
        running().report("rounded_copy", site, memory=memory, pipes=(_pipe(dst, src),), size=size, kept=whole)
    if whole > 0:
        pieces = Pieces(1, whole, whole)
        _move(dst, src, pieces, pieces, "data_copy", site)


def _pieces_of_blocks(dst: Tensor, src: Tensor, params: DataCopyParams, site: Site) -> None:
    count, length = int(params.block_count), int(params.block_len) * 32
    if not count or not length:
        return
    there = Pieces(count, length, length + int(params.dst_stride) * 32)
    origin = Pieces(count, length, length + int(params.src_stride) * 32)
    _move(dst, src, there, origin, "data_copy", site)


def _sliced(dst: Tensor, src: Tensor, args: Sequence[Any], options: dict[str, Any], site: Site) -> None:
    names = ("slice_list1", "slice_list2", "dim_value")
    values: list[Any] = [options.get(name, args[at] if at < len(args) else None) for at, name in enumerate(names)]
    dims = int(values[2] if values[2] is not None else len(values[0]))
    size = (src if isinstance(src, LocalTensor) else dst).dtype.size
    there, origin = (_slice_starts(values[side][:dims], size) for side in (0, 1))
    length = int(values[1][0].burst_len) * 32
    for to, start in zip(there, origin, strict=True):
        piece = Pieces(1, length, length)
        _move(dst[to // size :], src[start // size :], piece, piece, "data_copy", site)


def _slice_starts(slices: Sequence[SliceInfo], size: int) -> list[int]:
    """Byte offsets of the bursts of a sliced copy, innermost dimension first."""
    starts, pitch = [0], size
    for axis, part in enumerate(slices):
        burst = int(part.burst_len) * 32 // size if axis == 0 else 1
        step = burst + int(part.stride)
        inside = range(int(part.start_index), int(part.end_index) + 1, step)
        starts = [outer * pitch + start for outer in inside for start in starts]
        pitch *= int(part.shape_value) or 1
    return starts


def _load_padded(dst: LocalTensor, src: GlobalTensor, params: DataCopyExtParams, pad: Any, site: Site) -> None:
    size = dst.dtype.size
    length = int(params.block_len)
    left, right = int(pad.left_padding) * size, int(pad.right_padding) * size
    slot = -(-(left + length + right) // 32) * 32
    origin = Pieces(int(params.block_count), length, length + int(params.src_stride))
    there = Pieces(origin.number, slot, slot + int(params.dst_stride) * 32)
    fill = _filler(dst, pad)
    core = running()
    write = _without_filler(dst.access(0, there.extent)._replace(runs=there.runs()))
    unwritten: Runs = ()
    if not (pad.is_pad or core.registers.pad_value is not None):
        inner = ((0, left), (left + length, slot))
        starts = [write.lower + index * there.step for index in range(there.number)]
        unwritten = tuple((at + a, at + b) for at in starts for a, b in inner if a < b)
    read = src.access(0, origin.extent)._replace(runs=origin.runs())
    buffer, offset = src.owner.buffer, read.lower - src.owner.origin

    def effect() -> None:
        for index in range(there.number):
            at = write.lower + index * there.step
            piece = np.resize(fill, slot)
            piece[left : left + length] = buffer.load(offset + index * origin.step, length)
            _store(dst, at, piece, None)

    work = origin.number * length
    core.issue(
        Instruction(
            "data_copy_pad", MTE2, (read,), (write,), site, effect, (), FILL, None, unwritten, dst.dtype, work
        )
    )  # fmt: skip


def _without_filler(write: Access) -> Access:
    """The last piece's filler may reach beyond a tensor's last element, up to the end of that block of 32 bytes."""
    end = write.owner.upper
    return write._replace(upper=end) if end < write.upper <= -(-end // 32) * 32 else write


def _filler(dst: LocalTensor, pad: DataCopyPadParams | DataCopyPadExtParams) -> np.ndarray[Any, Any]:
    value = pad.padding_value if pad.is_pad else running().registers.pad_value
    if value is None:
        return np.frombuffer(b"\xff\xff\xff\x7f", np.uint8)
    return scalar_bytes(value, dst.dtype)


def _move(dst: Tensor, src: Tensor, there: Pieces, origin: Pieces, name: str, site: Site) -> None:
    write = dst.access(0, there.extent)
    read = src.access(0, origin.extent)
    if there.number > 1:
        write, read = write._replace(runs=there.runs()), read._replace(runs=origin.runs())
    core = running()
    effect, *args = _copier(core, dst, src, write, read, there, origin)
    atomic = core.registers.atomic_op if write.memory is core.gm else None
    work = origin.number * origin.length
    core.issue(
        Instruction(
            name, _pipe(dst, src), (read,), (write,), site, effect, tuple(args), MOVE, atomic, (), src.dtype, work
        )
    )  # fmt: skip


def _pipe(dst: Tensor, src: Tensor) -> int:
    key = (_memory_of(dst), _memory_of(src))
    pipe = _PIPES.get(key)
    if pipe is None:
        raise NotImplementedError(f"data_copy from {key[1]} to {key[0]} on {running().soc.name} is not simulated")
    return pipe


def _memory_of(tensor: Tensor) -> str:
    return "GM" if isinstance(tensor, GlobalTensor) else tensor.owner.memory.name


def _copier(
    core: Core, dst: Tensor, src: Tensor, write: Access, read: Access, there: Pieces, origin: Pieces
) -> tuple[Any, ...]:
    """An effect and its arguments. What lies inside its memories is a plain copy between two views."""
    atomic = core.registers.atomic_op if isinstance(dst, GlobalTensor) else None
    if atomic is None:
        target, source = _view(dst, write), _view(src, read)
        if target is not None and source is not None:
            wide = _wide_views(dst, src, write, read)
            views = [(_cut(target, there), _cut(source, origin))]
            if wide is not None:
                halves = [Pieces(side.number, side.length // 2, side.step // 2) for side in (there, origin)]
                views.append((_cut(wide[0], halves[0]), _cut(wide[1], halves[1])))
            return (np.copyto, *views[0]) if wide is None else (_copy_both, *views[0], *views[1])
    combine = _combiner(core, src) if atomic is not None else None
    return _copy_pieces, dst, src, write.lower, read.lower, there, origin, combine


def _cut(stretch: np.ndarray[Any, Any], pieces: Pieces) -> np.ndarray[Any, Any]:
    """A stretch as its pieces, one a row; both count elements of the stretch."""
    if pieces.number == 1:
        return stretch
    strides = (pieces.step * stretch.itemsize, stretch.itemsize)
    return as_strided(stretch, (pieces.number, pieces.length), strides)


def _wide_views(dst: Tensor, src: Tensor, write: Access, read: Access) -> tuple[Any, Any] | None:
    """In precise mode, the float32 values behind the 16-bit slots of a copy within local memory."""
    if isinstance(dst, GlobalTensor) or isinstance(src, GlobalTensor) or write.memory.wide is None:
        return None
    views = [access.memory.wide[access.lower // 2 : access.upper // 2] for access in (write, read)]
    return views[0], views[1]


def _copy_both(target: Any, source: Any, wide_target: Any, wide_source: Any) -> None:
    np.copyto(target, source)
    np.copyto(wide_target, wide_source)


def _view(tensor: Tensor, access: Access) -> np.ndarray[Any, Any] | None:
    """The bytes of an access as a view, None where some of them do not exist."""
    if isinstance(tensor, LocalTensor):
        memory: Arena = tensor.owner.memory
        return memory.data[access.lower : access.upper] if access.upper <= memory.size else None
    buffer: GlobalBuffer = tensor.owner.buffer
    offset = access.lower - buffer.base
    if offset < 0 or offset + access.upper - access.lower > buffer.nbytes:
        return None
    return buffer.data[offset : offset + access.upper - access.lower]


def _combiner(core: Core, src: Tensor) -> Callable[[Any, Any], Any]:
    operation = _COMBINE[str(core.registers.atomic_op)]
    dtype = (core.registers.atomic_dtype or src.dtype).numpy

    def combine(old: np.ndarray[Any, Any], new: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        whole = len(new) // dtype.itemsize * dtype.itemsize
        result = new.copy()
        joined = operation(old[:whole].view(dtype), new[:whole].view(dtype), dtype=dtype)
        result[:whole] = joined.astype(dtype).view(np.uint8)
        return result

    return combine


def _copy_pieces(dst: Tensor, src: Tensor, to: int, start: int, there: Pieces, origin: Pieces, combine: Any) -> None:
    for index in range(there.number):
        data = _load(src, start + index * origin.step, origin.length)
        _store(dst, to + index * there.step, data, combine)


def _load(tensor: Tensor, address: int, length: int) -> np.ndarray[Any, Any]:
    if isinstance(tensor, GlobalTensor):
        return tensor.owner.buffer.load(address - tensor.owner.origin, length)
    memory: Arena = tensor.owner.memory
    kept = max(0, min(length, memory.size - address))
    data: np.ndarray[Any, Any] = np.empty(length, np.uint8)
    poison(data)
    data[:kept] = memory.data[address : address + kept]
    return data


def _store(tensor: Tensor, address: int, data: np.ndarray[Any, Any], combine: Any) -> None:
    if isinstance(tensor, LocalTensor):
        memory: Arena = tensor.owner.memory
        kept = max(0, min(len(data), memory.size - address))
        memory.data[address : address + kept] = data[:kept]
        return
    buffer, offset = tensor.owner.buffer, address - tensor.owner.origin
    first, last = buffer.clip(offset, len(data))
    if first >= last:
        return
    part = data[first - offset : last - offset]
    buffer.data[first:last] = part if combine is None else combine(buffer.data[first:last], part)
