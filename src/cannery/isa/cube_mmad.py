"""mmad: C = A · B, on the cube (mirror-cann/asc-devkit docs, Mmad, @82b89a15f).

A lies in L0A, Zz on dav-2201 and Nz on dav-3510; B in L0B, Zn; C in L0C, Nz; the bias in the bias table. Floating-point
products are added in float32, in no order that is promised; integers in int32, which saturates.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from cannery.aicore import unitflag
from cannery.aicore.core import Core
from cannery.aicore.instruction import CONSUME, Access, Instruction, Site
from cannery.aicore.pipes import M
from cannery.isa.dtypes import float32
from cannery.isa.enums import TPosition
from cannery.isa.fractal import ROW, SIDE, Layout
from cannery.isa.op import DAV_3510, Op
from cannery.isa.regions import change, elements
from cannery.isa.tensors import Allocation, Local, check_memory

Array = np.ndarray[Any, Any]
START_OF_C: Final = 1024
"""What the start of C must be a multiple of, in bytes."""
_INTERLOCKED: Final = 10
"""From so many blocks of 16 × 16 on, the hardware itself lets a product wait for the one it adds to."""
_ONE_THREAD: Final = 1 << 18
"""Multiplications up to which OpenBLAS stays in one thread (its GEMM_MULTITHREAD_THRESHOLD)."""
_HF32_BITS: Final = 12
_HF32_BITS_3510: Final = 13
"""Bits of a float32's mantissa that HF32 drops."""


class Product(NamedTuple):
    """The shape of a product, and what it begins with.

    Attributes:
        m, n, k: rows of A, columns of B, and what they share.
        accumulate: the product is added to what C holds.
        from_table: without a bias tensor, C begins as what stands at the start of the bias table.
        unit_flag: 0, or 2 or 3: blocks of C are handed to fixpipe one by one; 3 in the last product of a block.
        gemv: a single row of A is a plain vector.
        align_k: of float32, A's rows take whole pairs of blocks (kDirectionAlign).
    """

    m: int
    n: int
    k: int
    accumulate: bool = False
    unit_flag: int = unitflag.OFF
    gemv: bool = True
    align_k: bool = False
    from_table: bool = False

    @property
    def interlocked(self) -> bool:
        """Whether a later product on the same C waits for this one by itself."""
        return self.unit_flag != unitflag.OFF or (self.m // SIDE) * (self.n // SIDE) >= _INTERLOCKED


class Matrix(NamedTuple):
    """The first rows and columns of a layout in memory; ``layout`` None: one row, element by element."""

    tensor: Local
    layout: Layout | None
    rows: int
    columns: int

    @property
    def places(self) -> int:
        """Elements that its memory has room for."""
        return self.columns if self.layout is None else self.layout.elements

    def access(self, align: int) -> Access:
        """The bytes of these rows and columns."""
        size = self.tensor.dtype.size
        if self.layout is None:
            return self.tensor.access(0, self.columns * size, align)
        extent = self.layout.extent(self.rows, self.columns, size)
        return self.tensor.access(0, extent, align)._replace(runs=self.layout.runs(self.rows, self.columns, size))

    def read(self) -> Array:
        """The values."""
        flat = elements(self.tensor, self.places)
        return flat[None, :] if self.layout is None else self.layout.read(flat, self.rows, self.columns)

    def write(self, values: Array) -> None:
        """Put values there."""
        assert self.layout is not None
        layout = self.layout
        change(self.tensor, self.places, lambda flat: layout.write(flat, values))


def mmad(
    core: Core, site: Site | None, op: Op, dst: Local, fm: Local, filter: Local, product: Product,
    bias: Local | None = None,
) -> None:  # fmt: skip
    """Multiply; ``bias``: what C begins as, one number a column, in the bias table. Without rows, columns or depth
    nothing happens.

    Raises:
        TypeError: element types that the instruction has not.
        ValueError: a tensor in another memory; a field beyond its limits.
    """
    if bias is None and product.from_table:
        bias = Local(
            Allocation(core, TPosition.C2, 0, product.n * dst.dtype.size, "bias table"), 0, dst.dtype, product.n
        )
    operands = {"dst": (dst, "L0C"), "fm": (fm, "L0A"), "filter": (filter, "L0B")}
    if bias is not None:
        operands["bias"] = (bias, "BT")
    for name, (tensor, memory) in operands.items():
        check_memory(op.name, name, tensor, memory)
    op.check_types(core, tuple(tensor.dtype for tensor, _ in operands.values()))
    for field, value in (("m", product.m), ("n", product.n), ("k", product.k)):
        op.check_field(core, field, value)
    unitflag.check(op.name, product.unit_flag)
    if product.m and product.n and product.k:
        _issue(core, site, op, _matrices(core, dst, fm, filter, product), product, bias)


def _matrices(core: Core, dst: Local, fm: Local, filter: Local, product: Product) -> tuple[Matrix, Matrix, Matrix]:
    """A as it lies, B as it lies (its columns are rows there), and C."""
    m, n, k = product.m, product.n, product.k
    width = ROW // fm.dtype.size
    depth = 2 * width if product.align_k and fm.dtype is float32 else width
    by_column = core.soc.npu_arch == DAV_3510
    left = None if m == 1 and product.gemv else Layout.of(m, -(-k // depth) * depth, width, by_column=by_column)
    right, result = Layout.of(n, k, width, by_column=True), Layout.of(m, n, SIDE, by_column=True)
    return Matrix(fm, left, m, k), Matrix(filter, right, n, k), Matrix(dst, result, m, n)


def _issue(
    core: Core, site: Site | None, op: Op, matrices: tuple[Matrix, Matrix, Matrix], product: Product, bias: Local | None
) -> None:
    a, b, c = matrices
    write = c.access(START_OF_C)
    reads = [a.access(a.tensor.owner.align), b.access(b.tensor.owner.align)]
    if bias is not None:
        reads.append(bias.access(0, product.n * bias.dtype.size))
    elif product.accumulate:
        reads.append(write)
    start = partial(elements, bias, product.n) if bias is not None else c.read if product.accumulate else None
    effect = partial(_multiply, matrices, start, _rounding(core, a.tensor))
    work = product.m * product.n * product.k
    instruction = Instruction(
        op.name, M, tuple(reads), (write,), site, effect, (), CONSUME, None, (), a.tensor.dtype, work,
        interlocked=product.interlocked,
    )  # fmt: skip
    unitflag.issue(core, instruction, product.unit_flag, write)


def _multiply(matrices: tuple[Matrix, Matrix, Matrix], start: Any, rounding: Any) -> None:
    a, b, c = matrices
    compute = integers if a.tensor.dtype.is_int() else floats
    c.write(compute(rounding(a.read()), rounding(b.read()), None if start is None else start()))


def floats(a: Array, b: Array, start: Array | None) -> Array:
    """a · bᵀ plus ``start``, in float32."""
    product = _product(a.astype(np.float32), b.astype(np.float32))
    if start is not None:
        product += start
    return product


def _product(a: Array, b: Array) -> Array:
    """a · bᵀ in slabs that a BLAS computes in one thread: the same bits however many there are, and no waiting for
    threads that other work keeps from running.
    """
    if len(a) == 1:  # a vector takes another way through the BLAS, with threads
        return _product(np.concatenate([a, a]), b)[:1]
    result: Array = np.empty((len(a), len(b)), a.dtype)
    right = b.T
    slab = max(2, _ONE_THREAD // b.size)
    for start in range(0, len(a) - 1, slab):
        stop = len(a) if len(a) - start - slab < 2 else start + slab
        np.matmul(a[start:stop], right, out=result[start:stop])
    return result


def integers(a: Array, b: Array, start: Array | None) -> Array:
    """a · bᵀ plus ``start``, in int32, which saturates; float64 holds every sum of 8-bit products of this depth."""
    product = _product(a.astype(np.float64), b.astype(np.float64))
    if start is not None:
        product += start
    limits = np.iinfo(np.int32)
    return product.clip(limits.min, limits.max).astype(np.int32)


def _rounding(core: Core, fm: Local) -> Any:
    """What is done to the inputs: in HF32 mode float32 loses the end of its mantissa."""
    registers = core.registers
    if not registers.hf32 or fm.dtype is not float32:
        return np.asarray
    bits = _HF32_BITS_3510 if core.soc.npu_arch == DAV_3510 else _HF32_BITS
    return partial(to_hf32, bits=bits, toward_zero=registers.hf32_toward_zero)


def to_hf32(values: Array, *, bits: int, toward_zero: bool) -> Array:
    """float32 without the last ``bits`` of its mantissa: rounded to nearest, a tie to even, or toward zero."""
    words = np.ascontiguousarray(values, np.float32).view(np.uint32)
    half = np.uint32(1 << (bits - 1))
    odd = (words >> np.uint32(bits)) & np.uint32(1)
    rounded = words + half - np.uint32(1) + (np.uint32(0) if toward_zero else odd)
    kept = np.where(np.isfinite(values), rounded, words) & np.uint32((0xFFFFFFFF << bits) & 0xFFFFFFFF)
    return kept.view(np.float32).reshape(values.shape)
