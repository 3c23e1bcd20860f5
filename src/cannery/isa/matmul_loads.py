"""The way of a Matmul object's operands to where the cube reads them: global memory, L1, L0A and L0B
(mirror-cann/asc-devkit `impl/adv_api/detail/matmul/stage` @82b89a15f263).

What lies in L1 is a matrix as it is stored, in columns of blocks (NZ). Bytes are turned over in squares of 32 × 32.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from cannery.aicore.core import Core
from cannery.aicore.instruction import CONSUME, Instruction, Site
from cannery.aicore.pipes import MTE1
from cannery.isa import cube_image, cube_load, layout, move
from cannery.isa.cube_load import Filling, Load2D, Transposed
from cannery.isa.dtypes import DataType, float32
from cannery.isa.enums import CubeFormat
from cannery.isa.fractal import FRACTAL, ROW, SIDE, ceil
from cannery.isa.matmul_rings import Slot
from cannery.isa.move import Pieces
from cannery.isa.regions import elements
from cannery.isa.table import TABLE
from cannery.isa.tensors import Global

_COPY: Final = TABLE["data_copy"]
_LOAD: Final = TABLE["load_data"]
_FILL: Final = TABLE["init_const_value"]
_TURN: Final = TABLE["load_data_with_transpose"]
_TABLE_UNIT: Final = 64
"""What the bias table is filled by, in bytes."""


class Part(NamedTuple):
    """Rows and columns of a stored matrix; ``turned``: the cube takes its columns for rows."""

    rows: int
    columns: int
    turned: bool


def up(count: int, step: int) -> int:
    """``count`` or the next multiple."""
    return ceil(count, step) * step


def height(rows: int, dtype: DataType) -> int:
    """Rows that a column of blocks in L1 takes: whole squares."""
    return up(rows, 32 if dtype.size == 1 else SIDE)


def bytes_in_l1(rows: int, columns: int, dtype: DataType) -> int:
    """Room that a matrix of that size, or turned over, takes in L1."""
    square = 32 if dtype.size == 1 else SIDE
    return up(rows, square) * up(columns, square) * dtype.size


def bytes_in_l0(rows: int, depth: int, dtype: DataType) -> int:
    """Room that A or B take in L0A or L0B; turning bytes over takes whole squares."""
    fractals = ceil(rows, SIDE) * ceil(depth * dtype.size, ROW)
    if dtype.size == 1:
        fractals += ceil(depth, 32)
    return fractals * FRACTAL


def behind(tensor: Global, offset: int) -> Global:
    """A tensor from an element on."""
    return Global(tensor.owner, tensor.address + offset * tensor.dtype.size, tensor.dtype)


def to_l1(
    core: Core, site: Site | None, slot: Slot, src: Global, part: Part, start: tuple[int, int], stored: CubeFormat,
    whole: tuple[int, int],
) -> None:  # fmt: skip
    """A part of a matrix from global memory to L1; ``start``: its first row and column, ``whole``: rows and columns
    of all that is stored.
    """
    row, column = start
    dst = slot.tensor(src.dtype)
    if stored is CubeFormat.ND:
        found = behind(src, row * whole[1] + column)
        shape = layout.NdToNz(1, part.rows, part.columns, 0, whole[1], height(part.rows, src.dtype), 1, 0)
        layout.load_nz(core, site, _COPY, dst, found, shape)
        return
    group = ROW // src.dtype.size
    pitch = up(whole[0], SIDE)
    found = behind(src, column // group * pitch * group + row * group)
    number, length = ceil(part.columns, group), up(part.rows, SIDE) * ROW
    there = Pieces(number, length, height(part.rows, src.dtype) * ROW)
    move.copy_pieces(core, site, _COPY, dst, found, there, Pieces(number, length, pitch * ROW))


def fill_l1(core: Core, site: Site | None, slot: Slot, part: Part, dtype: DataType, number: float) -> None:
    """A matrix in L1 that is the same number everywhere."""
    blocks = height(part.rows, dtype) * ceil(part.columns * dtype.size, ROW)
    cube_load.fill(core, site, _FILL, slot.tensor(dtype), Filling(1, blocks, 0), number)


def row_to_l1(core: Core, site: Site | None, slot: Slot, src: Global, count: int) -> None:
    """``count`` elements side by side to L1; the rest of the last 32 bytes is zero."""
    layout.load_nz(core, site, _COPY, slot.tensor(src.dtype), src, layout.NdToNz(1, 1, count, 0, count, 1, 1, 0))


def to_l0a(core: Core, site: Site | None, dst: Slot, src: Slot, part: Part, dtype: DataType) -> None:
    """A, of ``part.rows`` rows, or of so many columns where it is turned."""
    if not part.turned:
        columns, rows = ceil(part.columns * dtype.size, ROW), height(part.rows, dtype) // SIDE
        for row in range(ceil(part.rows, SIDE)):
            to = dst.tensor(dtype, row * columns * FRACTAL)
            cube_load.load_2d(core, site, _LOAD, to, src.tensor(dtype), Load2D(row, columns, rows))
    elif dtype.size == 1:
        squares = height(part.rows, dtype) // 32
        for column in range(ceil(part.columns, 32)):
            to = dst.tensor(dtype, 2 * column * squares * FRACTAL)
            turn = Transposed(column * squares, squares, 1, 0, squares - 1)
            cube_load.load_transposed(core, site, _TURN, to, src.tensor(dtype), turn)
    else:
        _image(core, site, dst, src, part, dtype)


def to_l0b(core: Core, site: Site | None, dst: Slot, src: Slot, part: Part, dtype: DataType) -> None:
    """B; turned: as it is stored its rows are the product's columns."""
    if part.turned:
        columns, rows = ceil(part.columns * dtype.size, ROW), ceil(part.rows, SIDE)
        stride = height(part.rows, dtype) // SIDE
        for column in range(columns):
            to = dst.tensor(dtype, column * rows * FRACTAL)
            cube_load.load_2d(core, site, _LOAD, to, src.tensor(dtype), Load2D(column * stride, rows, 1))
    elif dtype.size == 1:
        _squares_to_l0b(core, site, dst, src, part, dtype)
    else:
        _image(core, site, dst, src, part, dtype)


def _squares_to_l0b(core: Core, site: Site | None, dst: Slot, src: Slot, part: Part, dtype: DataType) -> None:
    """Of an odd number of blocks the last square is half beyond them, where the next row of blocks overwrites it."""
    squares, blocks = ceil(part.columns, 32), ceil(part.columns, SIDE)
    deep = height(part.rows, dtype) // 32
    for row in range(deep):
        if row and blocks % 2:
            core.barrier(MTE1, None)
        to = dst.tensor(dtype, row * blocks * FRACTAL)
        turn = Transposed(row, squares, deep, 1, 0)
        cube_load.load_transposed(core, site, _TURN, to, src.tensor(dtype), turn)


def _image(core: Core, site: Site | None, dst: Slot, src: Slot, part: Part, dtype: DataType) -> None:
    """A matrix turned over, as an image of one column whose pixels are its rows."""
    image = cube_image.Image(
        height(part.rows, dtype), 1, part.columns, rows=part.rows, columns=part.columns, transpose=True
    )
    cube_image.load_image(core, site, _LOAD, dst.tensor(dtype), src.tensor(dtype), image, 0)


def to_table(core: Core, site: Site | None, dst: Slot, src: Slot, count: int, dtype: DataType) -> None:
    """A bias from L1 to the bias table; half becomes float32 on the way."""
    if dtype.size == 4:
        length = up(count * dtype.size, _TABLE_UNIT)
        pieces = Pieces(1, length, length)
        move.copy_pieces(core, site, _COPY, dst.tensor(dtype), src.tensor(dtype), pieces, pieces)
        return
    origin, there = src.tensor(dtype), dst.tensor(float32)

    def effect() -> None:
        elements(there, count)[...] = elements(origin, count)

    core.issue(
        Instruction(
            _COPY.name, MTE1, (origin.access(0, count * dtype.size),), (there.access(0, count * 4),), site, effect, (),
            CONSUME, None, (), dtype, count * dtype.size,
        )
    )  # fmt: skip
