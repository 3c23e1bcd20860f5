"""Products with a weight of which at most two in four are not 0, as a dense matrix of the others and where they stood
(mirror-cann/asc-devkit docs, LoadDataWithSparse and MmadWithSparse, @82b89a15f; dav-2201 only).

The places, two bits each, lie in a buffer of the cube's own, a quarter as large as L0B: those of a block of 512 bytes
of L0B at a quarter of its address. What orders the block orders them.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import CONSUME, MOVE, Instruction, Site
from cannery.aicore.pipes import M
from cannery.isa.cube_load import blocks
from cannery.isa.cube_mmad import START_OF_C, Matrix, Product, integers
from cannery.isa.fractal import FRACTAL, ROW, SIDE, Layout
from cannery.isa.move import pipe_between
from cannery.isa.op import Op
from cannery.isa.regions import load_bytes, store_bytes
from cannery.isa.tensors import Local, check_memory, memory_of

Array = np.ndarray[Any, Any]
_PLACES: Final = FRACTAL // 4
"""Bytes of the places of a block."""
_GROUP: Final = 4


class Places:
    """The buffer of places of one core."""

    __slots__ = ("data",)

    def __init__(self, size: int) -> None:
        self.data = np.zeros(size, np.uint8)


def _places(core: Core) -> Places:
    found: Places | None = core.state.get(Places)
    if found is None:
        found = core.state[Places] = Places(core.soc.l0b_size // _GROUP)
    return found


def load_sparse(
    core: Core, site: Site | None, op: Op, dst: Local, src: Local, idx: Local, run: tuple[int, int]
) -> None:
    """Load dense weights to L0B, and their places; ``run``: the first block's number, how many.

    Raises:
        TypeError: element types that the instruction has not.
        ValueError: a field beyond its limits, a tensor in another memory.
        NotImplementedError: no such way between memories on this chip.
    """
    op.check_types(core, (dst.dtype, src.dtype, idx.dtype))
    start, repeats = run
    op.check_field(core, "start_index", start)
    op.check_field(core, "repeat_times", repeats)
    check_memory(op.name, "idx", idx, "L1")
    pipe = pipe_between(core, op, memory_of(dst), memory_of(src))
    if not repeats:
        return
    origin, there = blocks(tuple(range(start, start + repeats))), blocks(tuple(range(repeats)))
    places = idx.access(start * _PLACES, repeats * _PLACES)
    size, data = repeats * FRACTAL, _places(core).data

    def effect() -> None:
        store_bytes(dst, dst.addr, load_bytes(src, src.addr + start * FRACTAL, size))
        target = data[dst.addr // _GROUP : dst.addr // _GROUP + places.upper - places.lower]
        target[:] = load_bytes(idx, places.lower, places.upper - places.lower)[: len(target)]

    reads, writes = (origin.access(core, src), places), (there.access(core, dst),)
    core.issue(Instruction(op.name, pipe, reads, writes, site, effect, (), MOVE, None, (), dst.dtype, size))


def mmad_sparse(
    core: Core, site: Site | None, op: Op, dst: Local, fm: Local, filter: Local, product: Product
) -> None:  # fmt: skip
    """Multiply A, as it is, with sparse weights; ``product.k`` counts A's columns.

    Raises:
        TypeError: element types that the instruction has not.
        ValueError: a tensor in another memory; a field beyond its limits.
    """
    for name, tensor, memory in (("dst", dst, "L0C"), ("fm", fm, "L0A"), ("filter", filter, "L0B")):
        check_memory(op.name, name, tensor, memory)
    op.check_types(core, (dst.dtype, fm.dtype, filter.dtype))
    m, n, k = product.m, product.n, product.k
    for field, value in (("m", m), ("n", n), ("k", k)):
        op.check_field(core, field, value)
    if not (m and n and k):
        return
    if k % _GROUP:
        raise ValueError(f"{op.name}: k: found {k}, expected a multiple of {_GROUP}")
    left = Matrix(fm, Layout.of(m, k, ROW, by_column=False), m, k)
    right = Matrix(filter, Layout.of(n, k // 2, ROW, by_column=True), n, k // 2)
    result = Matrix(dst, Layout.of(m, n, SIDE, by_column=True), m, n)
    write = result.access(START_OF_C)
    reads = [left.access(fm.owner.align), right.access(filter.owner.align), *([write] if product.accumulate else [])]
    effect = partial(_multiply, (left, right, result), _places(core), product.accumulate)
    core.issue(
        Instruction(
            op.name, M, tuple(reads), (write,), site, effect, (), CONSUME, None, (), fm.dtype, m * n * k,
            interlocked=product.interlocked,
        )
    )  # fmt: skip


def _multiply(matrices: tuple[Matrix, Matrix, Matrix], places: Places, accumulate: bool) -> None:
    left, right, result = matrices
    weights = _spread_out(right, places)
    result.write(integers(left.read(), weights, result.read() if accumulate else None))


def _spread_out(right: Matrix, places: Places) -> Array:
    """The weights with their zeros: n × k. Of a pair the first stands at its place of four, the second one later."""
    dense = right.read()
    assert right.layout is not None
    start = right.tensor.addr // _GROUP
    packed = places.data[start : start + right.places // _GROUP]
    bits = (packed[:, None] >> np.array([0, 2, 4, 6], np.uint8) & 3).reshape(-1)
    at = right.layout.read(bits, right.rows, right.columns).astype(np.int64)
    column = np.arange(right.columns)
    target = column // 2 * _GROUP + column % 2 + at
    whole = np.zeros((right.rows, 2 * right.columns), np.int64)
    row = np.arange(right.rows)[:, None]
    for part in (0, 1):  # the first ones of all pairs stand apart from each other, and so do the second ones
        whole[row, np.minimum(target[:, part::2], whole.shape[1] - 1)] += dense[:, part::2]
    return whole
