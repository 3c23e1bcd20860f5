"""Copies that change the layout on the way: ND → NZ on load, NZ → ND on store
(hicann/asc-devkit docs, DataCopy with Nd2NzParams and Nz2NdParamsFull, @82b89a15f263).

NZ: columns in groups of C0 = 32 bytes; a group holds its rows one after the other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cannery.aicore.instruction import MOVE, Access, Instruction, Runs, Site
from cannery.aicore.memory import Arena
from cannery.aicore.pipes import MTE2, MTE3
from cannery.asc.params import Nd2NzParams, Nz2NdParamsFull
from cannery.asc.tensors import GlobalTensor, LocalTensor

_GROUP = 16  # columns of a group in Nz2NdParamsFull, whatever the element


class Places(NamedTuple):
    """Element offsets of the two sides of a copy, in the same order; −1 in ``source`` stands for a zero."""

    source: np.ndarray[Any, Any]
    target: np.ndarray[Any, Any]


def load_nz(dst: LocalTensor, src: GlobalTensor, params: Nd2NzParams, site: Site) -> None:
    """``data_copy(local, global, intri_params=Nd2NzParams)``; the tail of a partial group is zero."""
    places = nd_to_nz(params, 32 // dst.dtype.size)
    if len(places.target):
        _issue("data_copy", MTE2, dst, src, places, site)


def store_nd(dst: GlobalTensor, src: LocalTensor, params: Nz2NdParamsFull, site: Site) -> None:
    """``data_copy(global, local, intri_params=Nz2NdParamsFull)``."""
    places = nz_to_nd(params)
    if len(places.target):
        _issue("data_copy", MTE3, dst, src, places, site)


def nd_to_nz(params: Nd2NzParams, group: int) -> Places:
    """Element c of row r of matrix q goes to group c // C0, row r, place c % C0."""
    width = -(-int(params.d_value) // group) * group
    q, r, c = np.ogrid[: int(params.nd_num), : int(params.n_value), :width]
    source = q * int(params.src_nd_matrix_stride) + r * int(params.src_d_value) + c
    target = (
        q * int(params.dst_nz_matrix_stride)
        + c // group * int(params.dst_nz_c0_stride) * group
        + r * int(params.dst_nz_n_stride) * group
        + c % group
    )
    return Places(np.where(c < int(params.d_value), source, -1).reshape(-1), target.reshape(-1))


def nz_to_nd(params: Nz2NdParamsFull) -> Places:
    """The inverse: matrices 256 elements apart times their stride, groups 16 elements times theirs."""
    q, r, c = np.ogrid[: int(params.nd_num), : int(params.n_value), : int(params.d_value)]
    source = (
        q * int(params.src_nd_matrix_stride) * 256
        + c // _GROUP * int(params.src_n_stride) * _GROUP
        + r * _GROUP
        + c % _GROUP
    )
    target = q * int(params.dst_nd_matrix_stride) + r * int(params.dst_d_stride) + c
    return Places(source.reshape(-1), target.reshape(-1))


def _issue(name: str, pipe: int, dst: Any, src: Any, places: Places, site: Site) -> None:
    size = dst.dtype.size
    real = places.source[places.source >= 0]
    read, write = _access(src, real, size), _access(dst, places.target, size)

    def effect() -> None:
        values: np.ndarray[Any, Any] = np.zeros(len(places.target), dst.dtype.numpy)
        values[places.source >= 0] = _load(src, real)
        _store(dst, places.target, values)

    dst_or_src = dst if isinstance(dst, LocalTensor) else src
    work = len(real) * size
    dst_or_src.owner.core.issue(
        Instruction(name, pipe, (read,), (write,), site, effect, (), MOVE, dtype=dst.dtype, work=work)
    )


def _access(tensor: Any, offsets: np.ndarray[Any, Any], size: int) -> Access:
    extent = (int(offsets.max()) + 1) * size
    access: Access = tensor.access(0, extent)
    return access._replace(runs=_runs(np.unique(offsets), size))


def _runs(offsets: np.ndarray[Any, Any], size: int) -> Runs:
    breaks = np.flatnonzero(np.diff(offsets) != 1)
    firsts = offsets[np.concatenate([[0], breaks + 1])]
    lasts = offsets[np.concatenate([breaks, [len(offsets) - 1]])]
    return tuple((int(a) * size, (int(b) + 1) * size) for a, b in zip(firsts, lasts, strict=True))


def _load(tensor: Any, offsets: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    count = int(offsets.max()) + 1
    if isinstance(tensor, GlobalTensor):
        start = tensor.address - tensor.owner.origin
        whole = tensor.owner.buffer.load(start, count * tensor.dtype.size).view(tensor.dtype.numpy)
    else:
        whole = tensor.owner.memory.array(tensor.dtype.numpy, tensor.addr, count)
    loaded: np.ndarray[Any, Any] = whole[offsets]
    return loaded


def _store(tensor: Any, offsets: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> None:
    size = tensor.dtype.size
    if isinstance(tensor, GlobalTensor):
        buffer, start = tensor.owner.buffer, tensor.address - tensor.owner.origin
        data, kept = buffer.data, start + offsets * size + size <= buffer.nbytes
    else:
        memory: Arena = tensor.owner.memory
        start = tensor.addr
        data, kept = memory.data, start + offsets * size + size <= memory.size
    places = (start + offsets[kept] * size)[:, None] + np.arange(size)
    data[places] = values[kept].view(np.uint8).reshape(-1, size)
