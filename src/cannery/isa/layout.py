"""Copies that change the layout on the way: ND → NZ on load, NZ → ND on store
(hicann/asc-devkit docs, DataCopy with Nd2NzParams and Nz2NdParamsFull, @82b89a15f263).

NZ: columns in groups of C0 = 32 bytes; a group holds its rows one after the other.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from cannery.aicore.core import Core
from cannery.aicore.instruction import MOVE, Access, Instruction, Runs, Site
from cannery.isa.move import pipe_between
from cannery.isa.op import DAV_3510, Op
from cannery.isa.operands import BLOCK
from cannery.isa.regions import load_bytes, store_bytes, stretches, window
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


class Rows(NamedTuple):
    """Rows of a copy: how many in each of its dims, from one to the next in elements, and elements of one, ``inner``
    elements apart.
    """

    counts: tuple[int, ...]
    steps: tuple[int, ...]
    length: int
    inner: int = 1

    @property
    def extent(self) -> int:
        """Elements from the start to behind the last."""
        outer = sum((count - 1) * step for count, step in zip(self.counts, self.steps, strict=True))
        return outer + (self.length - 1) * self.inner + 1


class Plan(NamedTuple):
    """What a copy reads and writes, row by row in the same order; ``fill``: zeros behind each row that is read."""

    source: Rows
    target: Rows
    fill: int = 0


def load_nz(core: Core, site: Site | None, op: Op, dst: Local, src: Tensor, shape: NdToNz) -> None:
    """ND in global memory, or in UB, to NZ in local memory; the tail of a partial group is zero."""
    if not (shape.matrices and shape.rows and shape.columns):
        return
    group = BLOCK // dst.dtype.size
    whole, tail = divmod(shape.columns, group)
    plans = [_nd_to_nz(shape, group, 0, whole)] if whole else []
    if tail:
        plans.append(_nd_to_nz(shape, group, whole, 1, tail))
    _issue(core, site, op, dst, src, tuple(plans))


def load_dn(core: Core, site: Site | None, op: Op, dst: Local, src: Global, shape: NdToNz) -> None:
    """DN in global memory to NZ in L1 (950): columns of ``shape`` lie ``src_row_stride`` apart, its rows side by side.

    Raises:
        NotImplementedError: another chip.
    """
    if core.soc.npu_arch != DAV_3510:
        raise NotImplementedError(f"{op.name} with Dn2NzParams on {core.soc.name} is not simulated: 950 has it")
    if not (shape.matrices and shape.rows and shape.columns):
        return
    group = BLOCK // dst.dtype.size
    whole, tail = divmod(shape.columns, group)
    parts = [_nd_to_nz(shape, group, 0, whole)] if whole else []
    if tail:
        parts.append(_nd_to_nz(shape, group, whole, 1, tail))
    _issue(core, site, op, dst, src, tuple(_turned(part, shape) for part in parts))


def _turned(part: Part, shape: NdToNz) -> Part:
    """The same places at the destination, rows and columns exchanged at the source."""
    source, target, fill = part.plan
    stride = shape.src_row_stride
    steps = (source.steps[0], source.steps[1] * stride, 1)
    return Part(
        Plan(Rows(source.counts, steps, source.length, stride), target, fill), part.source * stride, part.target
    )


def store_nd(core: Core, site: Site | None, op: Op, dst: Global, src: Local, shape: NzToNd) -> None:
    """NZ in local memory to ND in global memory."""
    if not (shape.matrices and shape.rows and shape.columns):
        return
    whole, tail = divmod(shape.columns, _GROUP)
    plans = [_nz_to_nd(shape, 0, whole, _GROUP)] if whole else []
    if tail:
        plans.append(_nz_to_nd(shape, whole, 1, tail))
    _issue(core, site, op, dst, src, tuple(plans))


class Part(NamedTuple):
    """A plan with the element where each side begins."""

    plan: Plan
    source: int
    target: int


def _nd_to_nz(shape: NdToNz, group: int, first: int, groups: int, width: int = 0) -> Part:
    """Element c of row r of matrix q goes to group c // C0, row r, place c % C0; ``width``: of a part of a group."""
    counts = (shape.matrices, groups, shape.rows)
    source = Rows(counts, (shape.src_matrix_stride, group, shape.src_row_stride), width or group)
    steps = (shape.dst_matrix_stride, shape.dst_group_stride * group, shape.dst_row_stride * group)
    plan = Plan(source, Rows(counts, steps, group), group - source.length)
    return Part(plan, first * group, first * steps[1])


def _nz_to_nd(shape: NzToNd, first: int, groups: int, width: int) -> Part:
    """The inverse: matrices 256 elements apart times their stride, groups 16 elements times theirs."""
    counts = (shape.matrices, groups, shape.rows)
    group = shape.src_group_stride * _GROUP
    source = Rows(counts, (shape.src_matrix_stride * 256, group, _GROUP), width)
    target = Rows(counts, (shape.dst_matrix_stride, _GROUP, shape.dst_row_stride), width)
    return Part(Plan(source, target), first * group, first * _GROUP)


def _issue(core: Core, site: Site | None, op: Op, dst: Tensor, src: Tensor, parts: tuple[Part, ...]) -> None:
    op.check_types(core, (dst.dtype, src.dtype))
    size = dst.dtype.size
    sides = tuple((part.plan.source, part.source) for part in parts), tuple((p.plan.target, p.target) for p in parts)
    read, write = (access_rows(core, tensor, side, size) for tensor, side in zip((src, dst), sides, strict=True))
    pipe = pipe_between(core, op, write.memory.name, read.memory.name)
    effect, work = partial(_copy, dst, src, parts), read.size
    spread = partial(_spread, sides, size, parts)
    core.issue(
        Instruction(op.name, pipe, (read,), (write,), site, effect, (), MOVE, None, (), dst.dtype, work, spread=spread)
    )


def access_rows(core: Core, tensor: Tensor, side: tuple[tuple[Rows, int], ...], size: int) -> Access:
    """The bytes of rows, each of which begins so many elements behind the tensor's start."""
    runs = _runs(side, size)
    access = reach(core, tensor, max(stop for _, stop in runs))
    return access if len(runs) == 1 and runs[0][0] == 0 else access._replace(runs=runs)


@lru_cache(maxsize=512)
def _runs(side: tuple[tuple[Rows, int], ...], size: int) -> Runs:
    """The bytes of rows, in the order of their addresses, joined where they meet."""
    starts = np.concatenate([_starts(_solid(rows), first) for rows, first in side])
    stops = np.concatenate([_starts(_solid(rows), first) + _solid(rows).length for rows, first in side])
    order = np.argsort(starts, kind="stable")
    starts, stops = starts[order], np.maximum.accumulate(stops[order])
    begins = np.concatenate([[True], starts[1:] > stops[:-1]])
    ends = np.concatenate([begins[1:], [True]])
    return tuple((int(a) * size, int(b) * size) for a, b in zip(starts[begins], stops[ends], strict=True))


def _solid(rows: Rows) -> Rows:
    """The same elements in rows without gaps."""
    if rows.inner == 1:
        return rows
    return Rows((*rows.counts, rows.length), (*rows.steps, rows.inner), 1)


def _starts(rows: Rows, first: int) -> Array:
    """Where each row begins, in elements."""
    starts: Array = np.array([first])
    for count, step in zip(rows.counts, rows.steps, strict=True):
        starts = (starts[:, None] + np.arange(count) * step).reshape(-1)
    return starts


def _copy(dst: Tensor, src: Tensor, parts: tuple[Part, ...]) -> None:
    for part in parts:
        values = load_rows(src, part.plan.source, part.source)
        if part.plan.fill:
            values = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, part.plan.fill)])
        store_rows(dst, part.plan.target, part.target, values)


def _start(tensor: Tensor, first: int) -> int:
    """The address of an element."""
    return (tensor.addr if isinstance(tensor, Local) else tensor.address) + first * tensor.dtype.size


def load_rows(tensor: Tensor, rows: Rows, first: int) -> Array:
    """The elements of rows."""
    start, size = _start(tensor, first), tensor.dtype.size
    found = window(tensor, start, start + rows.extent * size)
    if found is None:
        found = load_bytes(tensor, start, rows.extent * size)
    return _as_rows(found.view(tensor.dtype.numpy), rows)


def _as_rows(flat: Array, rows: Rows) -> Array:
    size = flat.itemsize
    steps = (*(step * size for step in rows.steps), rows.inner * size)
    return as_strided(flat, (*rows.counts, rows.length), steps)


def store_rows(tensor: Tensor, rows: Rows, first: int, values: Array) -> None:
    """Store the elements of rows."""
    start, size = _start(tensor, first), tensor.dtype.size
    target = window(tensor, start, start + rows.extent * size)
    if target is not None:
        _as_rows(target.view(tensor.dtype.numpy), rows)[...] = values
        return
    flat = np.ascontiguousarray(values).reshape(-1, rows.length)
    for at, row in zip(_starts(rows, 0), flat, strict=True):
        store_bytes(tensor, start + int(at) * size, row.view(np.uint8))


def _spread(
    sides: tuple[tuple[tuple[Rows, int], ...], ...], size: int, parts: tuple[Part, ...], pieces: list[tuple[int, int]]
) -> list[tuple[int, int]]:  # fmt: skip
    """Bytes of the source as those of the destination that they reach."""
    marks = [np.zeros(_runs(side, size)[-1][1], bool) for side in sides]
    ordinals = [np.concatenate([np.arange(a, b) for a, b in _runs(side, size)]) for side in sides]
    for start, stop in pieces:
        marks[0][ordinals[0][start:stop]] = True
    for plan, source, target in parts:
        origin, there = _starts(plan.source, source) * size, _starts(plan.target, target) * size
        element, byte = np.arange(plan.source.length)[:, None] * size, np.arange(size)
        reached, read = (element + byte).reshape(-1), (element * plan.source.inner + byte).reshape(-1)
        marks[1][there[:, None] + reached] = marks[0][origin[:, None] + read]
    return stretches(marks[1][ordinals[1]])
