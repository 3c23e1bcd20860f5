"""load_data: blocks of 512 bytes from L1, or from global memory, to where the cube reads them
(mirror-cann/asc-devkit docs, LoadData and LoadDataWithTranspose, @82b89a15f).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import FILL, MOVE, Access, Instruction, Runs, Site
from cannery.isa.fractal import FRACTAL, ROW, SIDE
from cannery.isa.move import Pieces, pipe_between
from cannery.isa.op import DAV_3510, NUMBER, Op
from cannery.isa.regions import load_bytes, store_bytes, stretches, window
from cannery.isa.tensors import Local, Tensor, memory_of, reach

Array = np.ndarray[Any, Any]
Change = Callable[[Array], Array]
Stretches = list[tuple[int, int]]


class Blocks(NamedTuple):
    """Blocks of 512 bytes by their numbers from a tensor's start, and the bytes that they are.

    ``start`` and ``stop`` in bytes; ``runs`` None: all between.
    """

    numbers: Array
    start: int
    stop: int
    runs: Runs | None

    def access(self, core: Core, tensor: Tensor) -> Access:
        """Their bytes."""
        whole = reach(core, tensor, self.stop)
        if self.start or self.runs is not None:
            return whole._replace(lower=whole.lower + self.start, runs=self.runs)
        return whole


@lru_cache(maxsize=1024)
def blocks(numbers: tuple[int, ...]) -> Blocks:
    """Blocks by their numbers, in any order."""
    ordered = sorted(set(numbers))
    first, last = ordered[0], ordered[-1]
    runs = None
    if ordered != list(range(first, last + 1)):
        runs = tuple(((at - first) * FRACTAL, (at - first + 1) * FRACTAL) for at in ordered)
    return Blocks(np.array(numbers), first * FRACTAL, (last + 1) * FRACTAL, runs)


class Load2D(NamedTuple):
    """A run of blocks: the first one's number, how many, from one's start to the next one's at the source, and from
    one's end to the next one's start at the destination. ``downward``: the source's numbers fall.
    """

    start: int
    repeats: int
    src_stride: int = 0
    dst_gap: int = 0
    transpose: bool = False
    downward: bool = False


class Transposed(NamedTuple):
    """A run of squares (see `SQUARES`), each turned over and taken apart into blocks again.

    Source strides count squares, with ``by_block`` blocks; gaps at the destination count blocks, between the first
    blocks of two squares and between those of one. ``src_gap``: between the blocks of a square at the source.
    """

    start: int
    repeats: int
    src_stride: int = 0
    dst_gap: int = 0
    dst_inner_gap: int = 0
    src_gap: int = 0
    downward: bool = False
    by_block: bool = False


class Load2DV2(NamedTuple):
    """A rectangle of blocks of a matrix in columns of blocks: where it begins and how many, in blocks, and from one
    column of blocks to the next. ``transpose``: the matrix is turned over.
    """

    first_row: int
    first_column: int
    rows: int
    columns: int
    src_stride: int
    dst_stride: int
    transpose: bool = False


SQUARES: Final = {1: 2, 2: 1, 4: 2}
"""Blocks of a square, by the element's bytes: 32 × 32 of 1 byte, 16 × 16 of 2 or 4."""


def load_2d(core: Core, site: Site | None, op: Op, dst: Local, src: Tensor, load: Load2D) -> None:
    """Copy blocks, each turned over where ``transpose`` says so.

    Raises:
        TypeError: element types that the instruction has not; a transposition of other than 2 bytes.
        ValueError: a field beyond its limits.
        NotImplementedError: no such way between memories on this chip.
    """
    op.check_types(core, (dst.dtype, src.dtype))
    fields = {
        "start_index": load.start, "repeat_times": load.repeats, "src_stride": load.src_stride, "dst_gap": load.dst_gap,
    }  # fmt: skip
    for field, value in fields.items():
        op.check_field(core, field, value)
    pipe = pipe_between(core, op, memory_of(dst), memory_of(src))
    if load.transpose and (dst.dtype.size != 2 or memory_of(src) != "L1"):
        raise TypeError(
            f"{op.name}: if_transpose: found {dst.dtype} from {memory_of(src)}, expected elements of 2 bytes from L1"
        )
    if not load.repeats:
        return
    step = -load.src_stride if load.downward else load.src_stride
    gap = 0 if core.soc.npu_arch == DAV_3510 else load.dst_gap
    origin, there = _run(load.start, load.repeats, step), _run(0, load.repeats, gap + 1)
    _check_start(op, origin)
    move_blocks(core, site, op, pipe, (dst, there), (src, origin), _turned if load.transpose else None)


@lru_cache(maxsize=1024)
def _run(start: int, repeats: int, step: int) -> Blocks:
    return blocks(tuple(start + step * at for at in range(repeats)))


def _check_start(op: Op, origin: Blocks) -> None:
    if origin.start < 0:
        raise ValueError(f"{op.name}: found block {origin.start // FRACTAL} of the source, expected 0 or more")


def load_transposed(core: Core, site: Site | None, op: Op, dst: Local, src: Local, load: Transposed) -> None:
    """Turn squares over: the blocks of a square are put together, transposed and taken apart.

    Raises:
        TypeError: element types that the instruction has not.
        ValueError: a field beyond its limits.
        NotImplementedError: no such way between memories on this chip.
    """
    op.check_types(core, (dst.dtype, src.dtype))
    fields = {
        "start_index": load.start, "repeat_times": load.repeats, "src_stride": load.src_stride, "dst_gap": load.dst_gap,
        "dst_frac_gap": load.dst_inner_gap, "src_frac_gap": load.src_gap,
    }  # fmt: skip
    for field, value in fields.items():
        op.check_field(core, field, value)
    pipe = pipe_between(core, op, memory_of(dst), memory_of(src))
    if not load.repeats:
        return
    inner = SQUARES[dst.dtype.size]
    step = -load.src_stride if load.downward else load.src_stride
    squares = [load.start + step * at for at in range(load.repeats)]
    unit = 1 if load.by_block else inner
    origin = blocks(tuple(square * unit + part * (load.src_gap + 1) for square in squares for part in range(inner)))
    there = blocks(
        tuple(
            at * (load.dst_gap + 1) + part * (load.dst_inner_gap + 1)
            for at in range(load.repeats)
            for part in range(inner)
        )
    )
    _check_start(op, origin)
    change = partial(_turn_squares, size=dst.dtype.size)
    move_blocks(core, site, op, pipe, (dst, there), (src, origin), change)


def load_2d_v2(core: Core, site: Site | None, op: Op, dst: Local, src: Tensor, load: Load2DV2) -> None:
    """Copy a rectangle of blocks, or the matrix turned over.

    Raises:
        TypeError: element types that the instruction has not.
        ValueError: a field beyond its limits; blocks that make no squares.
        NotImplementedError: another chip, or no such way between memories on this one.
    """
    if core.soc.npu_arch != DAV_3510:
        raise NotImplementedError(f"{op.name} with LoadData2DParamsV2 on {core.soc.name} is not simulated: 950 has it")
    op.check_types(core, (dst.dtype, src.dtype))
    for field, value in (("m_step", load.rows), ("k_step", load.columns)):
        op.check_field(core, field, value)
    for field, value in (("src_stride", load.src_stride), ("dst_stride", load.dst_stride)):
        op.check_field(core, field, value)
    pipe = pipe_between(core, op, memory_of(dst), memory_of(src))
    if not load.rows or not load.columns:
        return
    size = dst.dtype.size
    origin = _rectangle(load.rows, load.columns, load.src_stride, load.first_column * load.src_stride + load.first_row)
    if not load.transpose:
        there = _rectangle(load.rows, load.columns, load.dst_stride, 0)
        move_blocks(core, site, op, pipe, (dst, there), (src, origin), None)
        return
    _check_squares(op, load, size)
    turned = _rectangle(load.columns * ROW // size // SIDE, load.rows * SIDE * size // ROW, load.dst_stride, 0)
    change = partial(_turn_matrix, columns=load.columns, size=size)
    move_blocks(core, site, op, pipe, (dst, turned), (src, origin), change)


def _check_squares(op: Op, load: Load2DV2, size: int) -> None:
    """Blocks of 1 byte are turned over in pairs of rows, those of 4 bytes in pairs of columns."""
    field, value = ("m_step", load.rows) if size == 1 else ("k_step", load.columns)
    if size != 2 and value % 2:
        raise ValueError(f"{op.name}: {field}: found {value}, expected an even number with if_transpose")


@lru_cache(maxsize=1024)
def _rectangle(rows: int, columns: int, stride: int, first: int) -> Blocks:
    """Blocks column by column."""
    return blocks(tuple(first + column * stride + row for column in range(columns) for row in range(rows)))


def move_blocks(
    core: Core, site: Site | None, op: Op, pipe: int, to: tuple[Local, Blocks], origin: tuple[Tensor, Blocks],
    change: Change | None,
) -> None:  # fmt: skip
    """Issue a copy of blocks; ``change`` makes those of the destination, each a row of bytes, from the source's."""
    (dst, there), (src, here) = to, origin
    write, read = there.access(core, dst), here.access(core, src)
    effect = partial(_copy, dst, there, src, here, change)
    spread = partial(_spread, there, here, change)
    work = len(there.numbers) * FRACTAL
    core.issue(
        Instruction(op.name, pipe, (read,), (write,), site, effect, (), MOVE, None, (), dst.dtype, work, spread=spread)
    )


def _copy(dst: Local, there: Blocks, src: Tensor, here: Blocks, change: Change | None) -> None:
    found = _all_blocks(src, here)[here.numbers]
    if change is not None:
        found = change(found)
    target = window(dst, dst.addr, dst.addr + there.stop)
    if target is not None:
        target.reshape(-1, FRACTAL)[there.numbers] = found
        return
    for number, block in zip(there.numbers, found, strict=True):
        store_bytes(dst, dst.addr + int(number) * FRACTAL, block)


def _spread(there: Blocks, here: Blocks, change: Change | None, pieces: Stretches) -> Stretches:
    """Bytes of the source, in the order of its addresses, as those of the destination that they reach."""
    touched = np.unique(here.numbers)
    marks = np.zeros((len(touched), FRACTAL), np.uint8)
    for start, stop in pieces:
        marks.reshape(-1)[start:stop] = 1
    found = marks[np.searchsorted(touched, here.numbers)]
    if change is not None:
        found = change(found)
    return stretches(found[np.argsort(there.numbers, kind="stable")])


def _all_blocks(src: Tensor, here: Blocks) -> Array:
    """The source up to the last of these blocks, a row each."""
    start = src.addr if isinstance(src, Local) else src.address
    found = window(src, start, start + here.stop)
    if found is None:
        found = load_bytes(src, start, here.stop)
    return found.reshape(-1, FRACTAL)


def _turned(blocks: Array) -> Array:
    """16 × 16 elements of 2 bytes, rows and columns exchanged."""
    turned = blocks.view(np.uint16).reshape(-1, SIDE, SIDE).swapaxes(1, 2)
    return np.ascontiguousarray(turned).view(np.uint8).reshape(-1, FRACTAL)


def _turn_matrix(found: Array, *, columns: int, size: int) -> Array:
    """Columns of blocks of a matrix to those of the matrix turned over."""
    width = ROW // size
    kind = {1: np.uint8, 2: np.uint16, 4: np.uint32}[size]
    tiles = found.view(kind).reshape(columns, -1, SIDE, width)
    matrix = tiles.transpose(1, 2, 0, 3).reshape(-1, columns * width)
    turned = matrix.T.reshape(-1, SIDE, len(matrix) // width, width).transpose(2, 0, 1, 3)
    return np.ascontiguousarray(turned).view(np.uint8).reshape(-1, FRACTAL)


def _turn_squares(blocks: Array, *, size: int) -> Array:
    if size == 2:
        return _turned(blocks)
    if size == 1:  # two blocks of 16 × 32 stand one above the other, before and after
        turned = blocks.reshape(-1, 32, 32).swapaxes(1, 2)
        return np.ascontiguousarray(turned).reshape(-1, FRACTAL)
    # two blocks of 16 × 8 stand side by side, before and after
    pairs = blocks.view(np.uint32).reshape(-1, 2, SIDE, 8)
    squares = pairs.transpose(0, 2, 1, 3).reshape(-1, SIDE, SIDE).swapaxes(1, 2)
    apart = squares.reshape(-1, SIDE, 2, 8).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(apart).view(np.uint8).reshape(-1, FRACTAL)


class Filling(NamedTuple):
    """``repeats`` times ``blocks`` blocks, ``gap`` blocks apart: of 32 bytes in L1, of 512 in L0A and L0B."""

    repeats: int
    blocks: int
    gap: int


def fill(core: Core, site: Site | None, op: Op, dst: Local, filling: Filling, value: Any) -> None:
    """Fill blocks with a number.

    Raises:
        TypeError: an element type that the instruction has not.
        ValueError: a field beyond its limits.
        NotImplementedError: a memory that it does not fill on this chip.
    """
    op.check_types(core, (dst.dtype,))
    for field, number in (
        ("repeat_times", filling.repeats), ("block_num", filling.blocks), ("dst_gap", filling.gap),
    ):  # fmt: skip
        op.check_field(core, field, number)
    pipe = pipe_between(core, op, memory_of(dst), NUMBER)
    if not filling.repeats or not filling.blocks:
        return
    block = ROW if memory_of(dst) == "L1" else FRACTAL
    pieces = Pieces(filling.repeats, filling.blocks * block, (filling.blocks + filling.gap) * block)
    write = dst.access(0, pieces.extent)._replace(runs=pieces.runs())
    pattern = np.resize(dst.dtype.bytes_of(value), pieces.length)

    def effect() -> None:
        for index in range(pieces.number):
            store_bytes(dst, dst.addr + index * pieces.step, pattern)

    work = pieces.number * pieces.length
    core.issue(Instruction(op.name, pipe, (), (write,), site, effect, (), FILL, None, (), dst.dtype, work))
