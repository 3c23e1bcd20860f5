"""Matmul of the advanced API: C = A · B + bias, of matrices of any size.

One instruction: it reads its matrices where they are, and writes the result. What the original does in L1 and L0 is not
modelled (hicann/asc-devkit docs, 高阶API, Matmul, @82b89a15f263).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import CONSUME, Access, Instruction, Site
from cannery.aicore.pipes import FIX, MTE3
from cannery.isa import dtypes as d
from cannery.isa.cube_mmad import floats, integers
from cannery.isa.cube_quant import convert
from cannery.isa.dtypes import DataType
from cannery.isa.enums import QuantModes
from cannery.isa.layout import Rows, access_rows, load_rows, store_rows
from cannery.isa.move import combiner
from cannery.isa.operands import BLOCK
from cannery.isa.tensors import Global, Tensor

Array = np.ndarray[Any, Any]
NAME: Final = "matmul"
_INPUTS: Final = frozenset({d.float16, d.bfloat16, d.float32, d.int8})
_MOST_RUNS: Final = 64
_PLAIN: Final = {
    (d.float32, d.float32): QuantModes.NoQuant,
    (d.int32, d.int32): QuantModes.NoQuant,
    (d.float32, d.float16): QuantModes.F322F16,
    (d.float32, d.bfloat16): QuantModes.F322BF16,
}
_QUANTISED: Final = {
    (d.int32, d.float16): (QuantModes.DEQF16, QuantModes.VDEQF16),
    (d.int32, d.int8): (QuantModes.REQ8, QuantModes.VREQ8),
    (d.int32, d.uint8): (QuantModes.REQ8, QuantModes.VREQ8),
    (d.float32, d.int8): (QuantModes.QF322B8_PRE, QuantModes.VQF322B8_PRE),
    (d.float32, d.uint8): (QuantModes.QF322B8_PRE, QuantModes.VQF322B8_PRE),
}


class Matrix(NamedTuple):
    """A matrix in memory.

    Attributes:
        rows, columns: as it is meant.
        pitch: elements from one stored row to the next; ``fractal``: rows of a column of blocks.
        fractal: stored as NZ, columns of blocks of 32 bytes a row.
        turned: its columns are stored as rows.
    """

    tensor: Tensor
    rows: int
    columns: int
    pitch: int
    fractal: bool = False
    turned: bool = False

    @property
    def _stored(self) -> tuple[int, int]:
        return (self.columns, self.rows) if self.turned else (self.rows, self.columns)

    @property
    def _side(self) -> Rows:
        rows, columns = self._stored
        if not self.fractal:
            return Rows((rows,), (self.pitch,), columns)
        width = BLOCK // self.tensor.dtype.size
        return Rows((-(-columns // width), rows), (self.pitch * width, width), width)

    def access(self, core: Core) -> Access:
        """Its bytes."""
        return access_rows(core, self.tensor, ((self._side, 0),), self.tensor.dtype.size)

    def read(self) -> Array:
        """Its elements, row by row."""
        found = load_rows(self.tensor, self._side, 0)
        if self.fractal:
            found = found.transpose(1, 0, 2).reshape(found.shape[1], -1)[:, : self._stored[1]]
        return found.T if self.turned else found

    def write(self, values: Array) -> None:
        """Store its elements; of a fractal the rest of the last column of blocks is 0."""
        stored = values.T if self.turned else values
        if self.fractal:
            groups, rows = self._side.counts
            width = self._side.length
            padded = np.pad(stored, [(0, 0), (0, groups * width - stored.shape[1])])
            stored = padded.reshape(rows, groups, width).transpose(1, 0, 2)
        store_rows(self.tensor, self._side, 0, np.ascontiguousarray(stored))


class Quantisation(NamedTuple):
    """How the result becomes another type: one word, or one a column."""

    word: int = 0
    words: Tensor | None = None


def matmul(
    core: Core, site: Site | None, a: Matrix, b: Matrix, c: Matrix, bias: Tensor | None,
    quantisation: Quantisation, *, accumulate: bool,
) -> None:  # fmt: skip
    """Multiply; ``accumulate``: add to what C holds. On a vector core it is done when the call returns.

    Raises:
        TypeError: element types that it has not.
    """
    mode = _mode(a.tensor.dtype, b.tensor.dtype, c.tensor.dtype, quantisation)
    if not (c.rows and c.columns and a.columns):
        return
    reads = [_whole(a.access(core)), _whole(b.access(core))]
    row = Rows((), (), c.columns)
    if bias is not None:
        reads.append(access_rows(core, bias, ((row, 0),), bias.dtype.size))
    if quantisation.words is not None:
        reads.append(access_rows(core, quantisation.words, ((row, 0),), 8))
    in_memory = isinstance(c.tensor, Global)
    combine = combiner(core, c.tensor.dtype) if in_memory and core.registers.atomic_op else None

    def effect() -> None:
        total = _total(a.tensor.dtype)
        start = None if bias is None else load_rows(bias, row, 0).reshape(1, -1).astype(total.numpy)
        product = (integers if total is d.int32 else floats)(a.read(), b.read().T, start)
        words: Any = quantisation.word
        if quantisation.words is not None:
            words = load_rows(quantisation.words, row, 0).reshape(-1)
        values = convert(product, mode, words, relu=False).view(c.tensor.dtype.numpy)
        if combine is not None:
            old, new = (np.ascontiguousarray(one).view(np.uint8).reshape(-1) for one in (c.read(), values))
            values = combine(old, new).view(values.dtype).reshape(values.shape)
        c.write(values + c.read() if accumulate else values)

    is_cube = core.kind == "aic"
    pipe = FIX if is_cube else MTE3
    atomic = core.registers.atomic_op if in_memory else None
    work = c.rows * c.columns * a.columns
    instruction = Instruction(
        NAME, pipe, tuple(reads), (c.access(core),), site, effect, (), CONSUME, atomic, (), a.tensor.dtype, work
    )
    if not is_cube:
        core.barrier(None, None)
    core.issue(instruction)
    if not is_cube:
        core.barrier(None, None)


def _whole(access: Access) -> Access:
    """Many rows that are read, with what lies between them: the checker has less to keep."""
    return access._replace(runs=None) if access.runs is not None and len(access.runs) > _MOST_RUNS else access


def _total(dtype: DataType) -> DataType:
    return d.int32 if dtype.is_int() else d.float32


def _expected(total: DataType) -> str:
    return " or ".join(sorted({str(c) for from_, c in (*_PLAIN, *_QUANTISED) if from_ is total}))


def _mode(a: DataType, b: DataType, c: DataType, quantisation: Quantisation) -> QuantModes:
    if a != b or a not in _INPUTS:
        raise TypeError(f"Matmul: found A of {a} and B of {b}, expected both half, bfloat16_t, float or int8_t")
    ends = (_total(a), c)
    if ends in _PLAIN:
        return _PLAIN[ends]
    if ends not in _QUANTISED:
        raise TypeError(f"Matmul: found a C of {c} for inputs of {a}, expected {_expected(ends[0])}")
    one, each = _QUANTISED[ends]
    return one if quantisation.words is None else each
