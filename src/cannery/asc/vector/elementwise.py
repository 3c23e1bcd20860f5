"""The elementwise instructions as functions, made from the table of semantics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cannery.asc.dtypes import DataType
from cannery.asc.numbers import INTEGERS
from cannery.asc.params import BinaryRepeatParams, UnaryRepeatParams
from cannery.asc.tensors import LocalTensor
from cannery.asc.vector.forms import DST, SRC, SRC0, SRC1, form_of, operands
from cannery.asc.vector.issue import elementwise, require
from cannery.asc.vector.table import BINARY, SCALAR, UNARY, Semantics

Call = Callable[..., None]


def as_element(value: Any, dtype: DataType) -> Any:
    """A scalar in an element type: floats are rounded, integers wrap."""
    if dtype in INTEGERS:
        return dtype.numpy.type(INTEGERS[dtype].wrap(int(value)))
    return dtype.numpy.type(value)


def binary(name: str, semantics: Semantics) -> Call:
    """``f(dst, src0, src1, count | mask, repeat_times, repeat_params, is_set_mask=True)``."""

    def call(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None:
        require(name, (dst, src0, src1), semantics.types)
        form = form_of(name, args, options, BinaryRepeatParams)
        target, *sources = operands(dst.owner.core.registers, form, (dst, src0, src1), (DST, SRC0, SRC1))
        elementwise(name, semantics.compute, target, [*sources, target] if semantics.reads_dst else sources)

    return _named(call, name, f"{name}(dst, src0, src1, …): {binary.__doc__}")


def unary(name: str, semantics: Semantics) -> Call:
    """``f(dst, src, count | mask, repeat_times, repeat_params, is_set_mask=True)``."""

    def call(dst: LocalTensor, src: LocalTensor, *args: Any, **options: Any) -> None:
        require(name, (dst, src), semantics.types)
        form = form_of(name, args, options, UnaryRepeatParams)
        target, source = operands(dst.owner.core.registers, form, (dst, src), (DST, SRC))
        elementwise(name, semantics.compute, target, [source])

    return _named(call, name, f"{name}(dst, src, …): {unary.__doc__}")


def with_scalar(name: str, semantics: Semantics) -> Call:
    """``f(dst, src, scalar, count | mask, repeat_times, repeat_params, is_set_mask=True)``."""

    def call(dst: LocalTensor, src: LocalTensor, scalar: Any, *args: Any, **options: Any) -> None:
        require(name, (src,) if name == "axpy" else (dst, src), semantics.types)
        form = form_of(name, args, options, UnaryRepeatParams)
        target, source = operands(dst.owner.core.registers, form, (dst, src), (DST, SRC))
        element = as_element(scalar, src.dtype)
        compute = semantics.compute

        def apply(x: np.ndarray[Any, Any], *old: np.ndarray[Any, Any]) -> Any:
            return compute(x, element, *old)

        elementwise(name, apply, target, [source, target] if semantics.reads_dst else [source])

    return _named(call, name, f"{name}(dst, src, scalar, …): {with_scalar.__doc__}")


def _named(call: Call, name: str, doc: str) -> Call:
    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    return call


CALLS: dict[str, Call] = {
    **{name: binary(name, semantics) for name, semantics in BINARY.items()},
    **{name: unary(name, semantics) for name, semantics in UNARY.items()},
    **{name: with_scalar(name, semantics) for name, semantics in SCALAR.items()},
}
