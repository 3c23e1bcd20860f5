"""fixpipe: from L0C to global memory, L1 or UB, with quantisation, ReLU and change of layout on the way
(mirror-cann/asc-devkit docs, Fixpipe, @82b89a15f).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from cannery.aicore import unitflag
from cannery.aicore.core import Core
from cannery.aicore.instruction import MOVE, Access, Instruction, Runs, Site
from cannery.isa import dtypes as d
from cannery.isa.cube_quant import RESULTS, VECTOR, convert
from cannery.isa.dtypes import DataType
from cannery.isa.enums import CO2Layout, QuantModes
from cannery.isa.fractal import ROW, SIDE, ceil
from cannery.isa.move import combiner, pipe_between
from cannery.isa.op import DAV_3510, Op
from cannery.isa.regions import Combine, elements, load_bytes, store_bytes, window
from cannery.isa.tensors import Local, Tensor, check_memory, memory_of, reach

Array = np.ndarray[Any, Any]
_ALIGN: Final = 64


class Drain(NamedTuple):
    """What leaves L0C, and how.

    Attributes:
        n, m: columns and rows.
        src_stride: from one column of blocks to the next one in L0C, in rows of 16 elements.
        dst_stride: of ROW_MAJOR from row to row, of COLUMN_MAJOR from column to column, in elements; of NZ from one
            column of blocks to the next, in units of 32 bytes (``in_blocks``) or in elements.
        quant, word: the conversion, and its word where it has one for all columns.
        matrices, src_matrix_stride, dst_matrix_stride: how many one after the other (not with NZ); at the source in
            256 elements on dav-2201, in 16 on dav-3510; at the destination in elements.
        relu: negative numbers become 0.
        unit_flag: as in mmad.
        split: float32 leaves in blocks of 16 × 8.
        layout: at the destination.
    """

    n: int
    m: int
    src_stride: int
    dst_stride: int
    quant: QuantModes = QuantModes.NoQuant
    word: int = 0
    matrices: int = 1
    src_matrix_stride: int = 0
    dst_matrix_stride: int = 0
    relu: bool = False
    unit_flag: int = unitflag.OFF
    split: bool = False
    layout: CO2Layout = CO2Layout.ROW_MAJOR
    in_blocks: bool = True


class Piece(NamedTuple):
    """A rectangle of the result that lands in rows at equal distances: columns from ``column`` on, ``width`` of them,
    of matrix ``matrix``; ``start`` and ``step`` in bytes at the destination.
    """

    matrix: int
    column: int
    width: int
    start: int
    step: int


def fixpipe(
    core: Core, site: Site | None, op: Op, dst: Tensor, src: Local, drain: Drain, workspace: Local | None = None
) -> None:
    """Let numbers leave L0C; ``workspace``: in L1, a quantisation word for each column.

    Raises:
        TypeError: element types and a conversion that do not go together.
        ValueError: a tensor in another memory; a field beyond its limits.
        NotImplementedError: no such way between memories on this chip.
    """
    _check(core, op, dst, src, drain, workspace)
    if not (drain.n and drain.m and drain.matrices):
        return
    pipe = pipe_between(core, op, memory_of(dst), "L0C")
    step = _matrix_step(core, drain)
    read = _source(src, drain, step)
    pieces = _pieces(drain, dst.dtype)
    write = _target(core, dst, drain, pieces)
    reads = [read]
    if workspace is not None:
        reads.append(workspace.access(0, drain.n * 8))
    atomic = core.registers.atomic_op if memory_of(dst) == "GM" else None
    combine = combiner(core, dst.dtype) if atomic is not None else None
    effect = partial(_drain, dst, src, drain, step, pieces, workspace, combine)
    work = drain.n * drain.m * drain.matrices
    instruction = Instruction(
        op.name, pipe, tuple(reads), (write,), site, effect, (), MOVE, atomic, (), dst.dtype, work
    )
    unitflag.issue(core, instruction, drain.unit_flag, read)


def _check(core: Core, op: Op, dst: Tensor, src: Local, drain: Drain, workspace: Local | None) -> None:
    check_memory(op.name, "src", src, "L0C")
    op.check_types(core, (dst.dtype, src.dtype))
    for field, value in (
        ("n_size", drain.n), ("m_size", drain.m), ("src_stride", drain.src_stride), ("dst_stride", drain.dst_stride),
        ("nd_num", drain.matrices), ("src_nd_stride", drain.src_matrix_stride),
        ("dst_nd_stride", drain.dst_matrix_stride),
    ):  # fmt: skip
        op.check_field(core, field, value)
    unitflag.check(op.name, drain.unit_flag)
    if drain.layout is CO2Layout.COLUMN_MAJOR and core.soc.npu_arch != DAV_3510:
        raise NotImplementedError(
            f"{op.name} with CO2Layout.COLUMN_MAJOR on {core.soc.name} is not simulated: 950 has it"
        )
    allowed = RESULTS.get((drain.quant, src.dtype), frozenset())
    if dst.dtype not in allowed:
        found = ", ".join(
            f"{mode.name} to {' or '.join(sorted(map(str, results)))}"
            for (mode, kind), results in RESULTS.items()
            if kind is src.dtype
        )
        raise TypeError(
            f"{op.name}: quant_pre: found {drain.quant.name} from {src.dtype} to {dst.dtype}, expected {found}"
        )
    if (drain.quant in VECTOR) != (workspace is not None):
        expected = "a tensor of one word a column" if drain.quant in VECTOR else "no tensor of words"
        raise TypeError(f"{op.name}: cbuf_workspace: expected {expected} with {drain.quant.name}")
    if workspace is not None:
        check_memory(op.name, "cbuf_workspace", workspace, "L1")
    _check_layout(core, op, dst, src, drain)


def _check_layout(core: Core, op: Op, dst: Tensor, src: Local, drain: Drain) -> None:
    as_it_is = drain.layout is not CO2Layout.NZ or drain.quant is QuantModes.NoQuant
    if as_it_is and memory_of(dst) == "L1" and core.soc.npu_arch != DAV_3510:
        found = f"{drain.layout.name} and {drain.quant.name}"
        raise ValueError(f"{op.name} to L1 on {core.soc.name}: found {found}, expected NZ and a conversion")
    if drain.layout is not CO2Layout.NZ:
        if drain.split:
            raise ValueError(f"{op.name}: is_channel_split: found it with {drain.layout.name}, expected it with NZ")
        return
    unit = 8 if drain.split else SIDE
    if drain.n % unit:
        raise ValueError(f"{op.name}: n_size: found {drain.n}, expected a multiple of {unit} with NZ")
    if drain.split and not src.dtype is dst.dtype is d.float32:
        raise TypeError(f"{op.name}: is_channel_split: found {dst.dtype} from {src.dtype}, expected float32")
    if drain.split and drain.unit_flag:
        raise ValueError(f"{op.name}: is_channel_split: found it with a unit_flag, expected one of the two")


def _matrix_step(core: Core, drain: Drain) -> int:
    """Elements from matrix to matrix in L0C."""
    return drain.src_matrix_stride * (SIDE if core.soc.npu_arch == DAV_3510 else SIDE * SIDE)


def _source(src: Local, drain: Drain, step: int) -> Access:
    """The rows and columns that are read, of each column of blocks."""
    runs = _source_runs(drain.n, drain.m, drain.src_stride, drain.matrices, step, src.dtype.size)
    whole = src.access(0, max(stop for _, stop in runs), _ALIGN)
    return whole if len(runs) == 1 else whole._replace(runs=runs)


@lru_cache(maxsize=256)
def _source_runs(n: int, m: int, stride: int, matrices: int, step: int, size: int) -> Runs:
    found: list[tuple[int, int]] = []
    for matrix in range(matrices):
        for column in range(ceil(n, SIDE)):
            start, width = matrix * step + column * stride * SIDE, min(SIDE, n - column * SIDE)
            rows = [(start, start + m * SIDE)] if width == SIDE else _rows(start, m, width)
            found += [(a * size, b * size) for a, b in rows]
    return _joined(found)


def _rows(start: int, m: int, width: int) -> list[tuple[int, int]]:
    return [(start + row * SIDE, start + row * SIDE + width) for row in range(m)]


def _joined(runs: list[tuple[int, int]]) -> Runs:
    """Stretches that follow each other directly are one."""
    joined: list[tuple[int, int]] = []
    for start, stop in runs:
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], stop)
        else:
            joined.append((start, stop))
    return tuple(joined)


def _across(drain: Drain) -> tuple[int, int]:
    """Rows of the result as it is written, and elements of one: COLUMN_MAJOR turns it over."""
    return (drain.n, drain.m) if drain.layout is CO2Layout.COLUMN_MAJOR else (drain.m, drain.n)


def _pieces(drain: Drain, dtype: DataType) -> tuple[Piece, ...]:
    size = dtype.size
    if drain.layout is not CO2Layout.NZ:
        step = drain.dst_matrix_stride * size
        return tuple(
            Piece(at, 0, _across(drain)[1], at * step, drain.dst_stride * size) for at in range(drain.matrices)
        )
    width = 8 if drain.split else ROW if size == 1 else SIDE
    stride = drain.dst_stride * (ROW if drain.in_blocks else size)
    return tuple(_columns(drain.n, width, size, stride))


def _columns(n: int, width: int, size: int, stride: int) -> Iterator[Piece]:
    """Columns of blocks; the last one of bytes may have 16 columns instead of 32."""
    for number in range(ceil(n, width)):
        wide = min(width, n - number * width)
        yield Piece(0, number * width, wide, number * stride, wide * size)


def _target(core: Core, dst: Tensor, drain: Drain, pieces: tuple[Piece, ...]) -> Access:
    runs = _target_runs(pieces, _across(drain)[0], dst.dtype.size)
    access = reach(core, dst, max(stop for _, stop in runs))
    return access if len(runs) == 1 else access._replace(runs=runs)


@lru_cache(maxsize=256)
def _target_runs(pieces: tuple[Piece, ...], m: int, size: int) -> Runs:
    found: list[tuple[int, int]] = []
    for piece in pieces:
        length = piece.width * size
        rows = range(piece.start, piece.start + m * piece.step, piece.step) if piece.step else [piece.start] * m
        found += [(start, start + length) for start in rows]
    return _joined(found)


def _drain(
    dst: Tensor, src: Local, drain: Drain, step: int, pieces: tuple[Piece, ...], workspace: Local | None,
    combine: Combine | None,
) -> None:  # fmt: skip
    words: Any = drain.word if workspace is None else _words(workspace, drain.n)
    values = convert(_read(src, drain, step), drain.quant, words, relu=drain.relu)
    if drain.layout is CO2Layout.COLUMN_MAJOR:
        values = values.swapaxes(1, 2)
    for piece in pieces:
        part = values[piece.matrix, :, piece.column : piece.column + piece.width]
        _put(dst, np.ascontiguousarray(part).view(np.uint8).reshape(len(part), -1), piece, combine)


def _words(workspace: Local, n: int) -> Array:
    return load_bytes(workspace, workspace.addr, n * 8).view(np.uint64)


def _read(src: Local, drain: Drain, step: int) -> Array:
    """The numbers as [matrix, row, column]."""
    columns = ceil(drain.n, SIDE)
    stride = drain.src_stride * SIDE
    last = (drain.matrices - 1) * step + (columns - 1) * stride + drain.m * SIDE
    flat = elements(src, last)
    size = flat.itemsize
    blocks = as_strided(flat, (drain.matrices, drain.m, columns, SIDE), (step * size, SIDE * size, stride * size, size))
    return blocks.reshape(drain.matrices, drain.m, columns * SIDE)[:, :, : drain.n]


def _put(dst: Tensor, rows: Array, piece: Piece, combine: Combine | None) -> None:
    start = (dst.addr if isinstance(dst, Local) else dst.address) + piece.start
    number, length = rows.shape
    target = None if combine is not None else window(dst, start, start + (number - 1) * piece.step + length)
    if target is not None:
        as_strided(target, rows.shape, (piece.step, 1))[...] = rows
        return
    for at, row in enumerate(rows):
        store_bytes(dst, start + at * piece.step, row, combine)
