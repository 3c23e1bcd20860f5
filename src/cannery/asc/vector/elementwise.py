"""The lane-wise instructions as functions, made from the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from cannery.asc.context import here
from cannery.asc.tensors import LocalTensor, core_of
from cannery.asc.vector.forms import addressing_of
from cannery.isa import table
from cannery.isa.op import Op
from cannery.isa.vector import lanewise

Call = Callable[..., None]


def binary(op: Op) -> Call:
    """``f(dst, src0, src1, count | mask, repeat_times, repeat_params, is_set_mask=True)``."""

    def call(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None:
        addressing = addressing_of(op, args, options, op.operands)
        lanewise(core_of(op, dst, src0, src1), here(), op, (dst, src0, src1), addressing)

    return call


def unary(op: Op) -> Call:
    """``f(dst, src, count | mask, repeat_times, repeat_params, is_set_mask=True)``."""

    def call(dst: LocalTensor, src: LocalTensor, *args: Any, **options: Any) -> None:
        lanewise(core_of(op, dst, src), here(), op, (dst, src), addressing_of(op, args, options, op.operands))

    return call


def with_scalar(op: Op) -> Call:
    """``f(dst, src, scalar, count | mask, repeat_times, repeat_params, is_set_mask=True)``."""
    operands = op.tensors

    def call(dst: LocalTensor, src: LocalTensor, scalar: Any, *args: Any, **options: Any) -> None:
        lanewise(core_of(op, dst, src), here(), op, (dst, src), addressing_of(op, args, options, operands), scalar)

    return call


_SHAPES: Final[Mapping[tuple[str, ...], Callable[[Op], Call]]] = MappingProxyType(
    {table.BINARY: binary, table.UNARY: unary, table.WITH_SCALAR: with_scalar}
)


def spelled(op: Op) -> Call:
    """A lane-wise row as a function of ``asc``."""
    shape = _SHAPES[op.operands]
    call = shape(op)
    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = f"{op.name}({', '.join(op.operands)}, …): {shape.__doc__}"
    return call


CALLS: Final = MappingProxyType({op.name: spelled(op) for op in table.ROWS if op.form == "lanewise"})
