"""Copies that change the layout on the way: ND → NZ on load, NZ → ND on store
(hicann/asc-devkit docs, DataCopy with Nd2NzParams and Nz2NdParamsFull, @82b89a15f263).

NZ: columns in groups of C0 = 32 bytes; a group holds its rows one after the other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import MOVE, Access, Instruction, Site
from cannery.aicore.memory import Arena
from cannery.isa.move import pipe_between
from cannery.isa.op import Op
from cannery.isa.operands import BLOCK, runs_of
from cannery.isa.tensors import Global, Local, Tensor, reach

Array = np.ndarray[Any, Any]
_GROUP = 16  # columns of a group of NzToNd, whatever the element


class NdToNz(NamedTuple):
    """Counts and source strides in elements; the NZ side's group and row strides in groups of 32 bytes."""

    matrices: int
    rows: int
    columns: int
    src_matrix_stride: int
    src_row_stride: int
    dst_group_stride: int
    dst_row_stride: int
    dst_matrix_stride: int


class NzToNd(NamedTuple):
    """Source strides in 256 (matrices) and 16 elements (groups), destination strides in elements."""

    matrices: int
    rows: int
    columns: int
    src_matrix_stride: int
    src_group_stride: int
    dst_row_stride: int
    dst_matrix_stride: int


class Places(NamedTuple):
    """Element offsets of the two sides of a copy, in the same order; −1 in ``source`` stands for a zero."""

    source: Array
    target: Array


def load_nz(core: Core, site: Site | None, op: Op, dst: Local, src: Global, shape: NdToNz) -> None:
    """ND in global memory to NZ in local memory; the tail of a partial group is zero."""
    _issue(core, site, op, dst, src, nd_to_nz(shape, BLOCK // dst.dtype.size))


def store_nd(core: Core, site: Site | None, op: Op, dst: Global, src: Local, shape: NzToNd) -> None:
    """NZ in local memory to ND in global memory."""
    _issue(core, site, op, dst, src, nz_to_nd(shape))


def nd_to_nz(shape: NdToNz, group: int) -> Places:
    """Element c of row r of matrix q goes to group c // C0, row r, place c % C0."""
    width = -(-shape.columns // group) * group
    q, r, c = np.ogrid[: shape.matrices, : shape.rows, :width]
    source = q * shape.src_matrix_stride + r * shape.src_row_stride + c
    target = (
        q * shape.dst_matrix_stride
        + c // group * shape.dst_group_stride * group
        + r * shape.dst_row_stride * group
        + c % group
    )
    return Places(np.where(c < shape.columns, source, -1).reshape(-1), target.reshape(-1))


def nz_to_nd(shape: NzToNd) -> Places:
    """The inverse: matrices 256 elements apart times their stride, groups 16 elements times theirs."""
    q, r, c = np.ogrid[: shape.matrices, : shape.rows, : shape.columns]
    source = q * shape.src_matrix_stride * 256 + c // _GROUP * shape.src_group_stride * _GROUP + r * _GROUP + c % _GROUP
    target = q * shape.dst_matrix_stride + r * shape.dst_row_stride + c
    return Places(source.reshape(-1), target.reshape(-1))


def _issue(core: Core, site: Site | None, op: Op, dst: Tensor, src: Tensor, places: Places) -> None:
    op.check_types(core, (dst.dtype, src.dtype))
    if not len(places.target):
        return
    dtype = dst.dtype
    real = places.source[places.source >= 0]
    read, write = _access(core, src, real, dtype.size), _access(core, dst, places.target, dtype.size)

    def effect() -> None:
        values: Array = np.zeros(len(places.target), dtype.numpy)
        values[places.source >= 0] = _load(src, real)
        _store(dst, places.target, values)

    pipe, work = pipe_between(core, op, write.memory.name, read.memory.name), len(real) * dtype.size
    core.issue(Instruction(op.name, pipe, (read,), (write,), site, effect, (), MOVE, None, (), dtype, work))


def _access(core: Core, tensor: Tensor, offsets: Array, size: int) -> Access:
    touched = np.unique(offsets)
    runs = runs_of(touched, np.flatnonzero(np.diff(touched) != 1), size)
    return reach(core, tensor, (int(offsets.max()) + 1) * size)._replace(runs=runs)


def _load(tensor: Tensor, offsets: Array) -> Array:
    count = int(offsets.max()) + 1
    if isinstance(tensor, Global):
        whole = tensor.owner.buffer.load(tensor.offset, count * tensor.dtype.size).view(tensor.dtype.numpy)
    else:
        whole = tensor.owner.memory.array(tensor.dtype.numpy, tensor.addr, count)
    loaded: Array = whole[offsets]
    return loaded


def _store(tensor: Tensor, offsets: Array, values: Array) -> None:
    size = tensor.dtype.size
    if isinstance(tensor, Global):
        buffer, start = tensor.owner.buffer, tensor.offset
        data, kept = buffer.data, start + offsets * size + size <= buffer.nbytes
    else:
        memory: Arena = tensor.owner.memory
        start = tensor.addr
        data, kept = memory.data, start + offsets * size + size <= memory.size
    places = (start + offsets[kept] * size)[:, None] + np.arange(size)
    data[places] = values[kept].view(np.uint8).reshape(-1, size)
