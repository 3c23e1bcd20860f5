"""The matrix tile: the one piece written as LLVM instructions, everything else being numba over it.

PyTorch's CPU matmul returns bf16 for bf16 operands, which costs dw an error of 1.8e-3, and its fp32 matmul runs at
half the rate. The processor's own bf16 dot product accumulates in fp32, so a tile of our own gives both the rate and
the accuracy.

Operands are arrays of 32-bit units. A ``uint32`` unit holds two consecutive bf16 values of the summed dimension, a
``float32`` unit one value; the type of the operands chooses the instruction.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 16

_I32, _I64, _F32 = ir.IntType(32), ir.IntType(64), ir.FloatType()
_FLOATS, _UNITS = ir.VectorType(_F32, LANES), ir.VectorType(_I32, LANES)
# LLVM names the two units of work: a pair of bf16 products, or one fp32 product, added to each lane.
_BF16_DOT = "llvm.x86.avx512bf16.dpbf16ps.512"
_F32_FMA = "llvm.fma.v16f32"
UNIT_BYTES = 4
VECTOR_BYTES = LANES * UNIT_BYTES


class _Emitter:
    """Emits the loads, stores and products of one tile for one operand type."""

    def __init__(self, builder: ir.IRBuilder, pairs: bool) -> None:
        self.builder = builder
        self.lane = _I32 if pairs else _F32
        self.vector = _UNITS if pairs else _FLOATS
        self.pairs = pairs
        self.product = self._declare()

    def _declare(self) -> ir.Function:
        module = self.builder.module
        name = _BF16_DOT if self.pairs else _F32_FMA
        signature = ir.FunctionType(_FLOATS, [_FLOATS, self.vector, self.vector])
        return module.globals.get(name) or ir.Function(module, signature, name)

    def load(self, address: ir.Value, kind: ir.Type) -> ir.Value:
        value = self.builder.load(self.builder.inttoptr(address, ir.PointerType()), typ=kind)
        value.align = UNIT_BYTES
        return value

    def store(self, value: ir.Value, address: ir.Value) -> None:
        self.builder.store(value, self.builder.inttoptr(address, ir.PointerType())).align = UNIT_BYTES

    def broadcast(self, address: ir.Value) -> ir.Value:
        undefined = ir.Constant(self.vector, ir.Undefined)
        first = self.builder.insert_element(undefined, self.load(address, self.lane), _I32(0))
        return self.builder.shuffle_vector(first, undefined, ir.Constant(_UNITS, [0] * LANES))

    def multiply_add(self, total: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
        operands = [total, b, a] if self.pairs else [a, b, total]
        return self.builder.call(self.product, operands)


def _address(context: Any, builder: ir.IRBuilder, kind: Any, array: ir.Value, offset: ir.Value) -> ir.Value:
    base = builder.ptrtoint(cgutils.create_struct_proxy(kind)(context, builder, array).data, _I64)
    return builder.add(base, _bytes(builder, offset))


def _bytes(builder: ir.IRBuilder, units: ir.Value) -> ir.Value:
    return builder.mul(units, _I64(UNIT_BYTES))


def _sum_products(
    emit: _Emitter, a_rows: list[ir.Value], a_step: ir.Value, b: ir.Value, b_step: ir.Value, depth: ir.Value, width: int
) -> list[list[ir.Value]]:
    """The loop over the summed dimension, at least one step; an accumulator register per row and vector of columns."""
    builder = emit.builder
    before = builder.block
    loop, done = builder.append_basic_block("tile"), builder.append_basic_block("tile.done")
    builder.branch(loop)
    builder.position_at_end(loop)
    step, a_at, b_at = (builder.phi(_I64) for _ in range(3))
    totals = [[builder.phi(_FLOATS) for _ in range(width)] for _ in a_rows]
    columns = [emit.load(builder.add(b_at, _I64(VECTOR_BYTES * n)), emit.vector) for n in range(width)]
    sums = []
    for row, total in zip(a_rows, totals, strict=True):
        value = emit.broadcast(builder.add(row, a_at))
        sums.append([emit.multiply_add(t, value, column) for t, column in zip(total, columns, strict=True)])
    advance = [(step, _I64(0), _I64(1)), (a_at, _I64(0), a_step), (b_at, b, b_step)]
    nexts = [builder.add(variable, by) for variable, _, by in advance]
    for (variable, first, _), following in zip(advance, nexts, strict=True):
        variable.add_incoming(first, before)
        variable.add_incoming(following, loop)
    zero = ir.Constant(_FLOATS, [0.0] * LANES)
    for total, value in zip(chain(*totals), chain(*sums), strict=True):
        total.add_incoming(zero, before)
        total.add_incoming(value, loop)
    builder.cbranch(builder.icmp_signed("<", nexts[0], depth), loop, done)
    builder.position_at_end(done)
    return sums


def _tile(height: int, width: int, accumulate: bool) -> Any:
    """Make ``tile(c, c_at, c_row, a, a_at, a_row, a_step, b, b_at, b_step, depth)`` for ``height`` rows, ``width``
    vectors."""

    @intrinsic
    def tile(  # type: ignore[no-untyped-def]  # numba reads the parameter names
        typing, c, c_at, c_row, a, a_at, a_row, a_step, b, b_at, b_step, depth
    ):
        def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: list[ir.Value]) -> ir.Value:
            kinds = signature.args
            emit = _Emitter(builder, pairs=kinds[3].dtype == types.uint32)
            into = _address(context, builder, kinds[0], args[0], args[1])
            left = _address(context, builder, kinds[3], args[3], args[4])
            right = _address(context, builder, kinds[7], args[7], args[8])
            c_stride, a_stride, a_advance, b_advance = (_bytes(builder, args[i]) for i in (2, 5, 6, 9))
            a_rows = [builder.add(left, builder.mul(a_stride, _I64(m))) for m in range(height)]
            sums = _sum_products(emit, a_rows, a_advance, right, b_advance, args[10], width)
            for m, row in enumerate(sums):
                for n, value in enumerate(row):
                    at = builder.add(into, builder.add(builder.mul(c_stride, _I64(m)), _I64(VECTOR_BYTES * n)))
                    emit.store(builder.fadd(emit.load(at, _FLOATS), value) if accumulate else value, at)
            return context.get_dummy_value()

        i = types.int64
        return types.void(c, i, i, a, i, i, i, b, i, i, i), generate

    return tile


# c[m, :] = sum over depth of a[m, step] * b[step, :]; 16 or 8 accumulators hide the latency of the product.
score_tile = _tile(4, 4, accumulate=False)
score_strip = _tile(8, 1, accumulate=False)
# The same, added to what c holds.
add_tile = _tile(4, 4, accumulate=True)
add_row = _tile(1, 4, accumulate=True)
