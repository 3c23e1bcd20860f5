"""The advanced API: mathematics, quantisation, softmax, rmsnorm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from cannery.ascendc.words import Call
from cannery.isa import normalise
from cannery.isa.advanced import PREFIX, ROWS
from cannery.isa.composite import Temporaries
from cannery.isa.dtypes import float32
from cannery.isa.op import SCALAR, Op
from cannery.isa.tensors import Local

MATH: Final = tuple(op for op in ROWS if op.form in ("math", "taylor", "muls_add"))
"""The functions of one shape: operands, a temporary buffer, a count."""
_BY_NAME: Final = MappingProxyType({op.name: op for op in ROWS})
_QUANT: Final = _BY_NAME[f"{PREFIX}quant"]
_SOFTMAX: Final = _BY_NAME[f"{PREFIX}softmax"]
_RMSNORM: Final = _BY_NAME[f"{PREFIX}rmsnorm"]


def operation(op: Op) -> str:
    """An operation's name in the headers."""
    return op.name.replace(".", "_")


def _buffer(call: Call) -> Local | None:
    return call.local() if call.integer() else None


def _count(call: Call) -> int | None:
    """None: all of the source."""
    return call.integer() if call.integer() else None


def _mathematics(op: Op, call: Call) -> None:
    reuse = bool(call.integer())
    tensors = call.locals(op)
    scalar = call.scalar(tensors[-1].dtype) if SCALAR in op.operands else None
    buffer, count = _buffer(call), _count(call)
    normalise.mathematics(call.core, call.site, op, tensors, count, Temporaries(buffer, reuse), scalar)


def quant(call: Call) -> None:
    """AscendQuant."""
    reuse = bool(call.integer())
    dst, src = call.local(), call.local()
    scaling = normalise.Scaling(call.scalar(float32), call.scalar(float32))
    buffer, count = _buffer(call), _count(call)
    normalise.quantise(call.core, call.site, _QUANT, dst, src, scaling, count, Temporaries(buffer, reuse))


def softmax(call: Call) -> None:
    """SoftMax: the result, sums, maxima, the source, and the source's shape."""
    targets = call.local(), call.local(), call.local()
    src = call.local()
    buffer = _buffer(call)
    rows, columns, original = call.integers(3)
    if not rows * columns:
        raise ValueError("SoftMax: found no shape, expected src.SetShapeInfo, a SoftMaxShapeInfo or a tiling with it")
    if original not in (0, columns):
        raise NotImplementedError(f"SoftMax with rows that are filled up to {columns} elements is not simulated")
    normalise.softmax(call.core, call.site, _SOFTMAX, targets, src, (rows, columns), buffer)


def rmsnorm(call: Call) -> None:
    """RmsNorm."""
    tensors = call.local(), call.local(), call.local()
    buffer = _buffer(call)
    rows, columns, original = call.integers(3)
    reciprocal, epsilon = call.scalar(float32), call.scalar(float32)
    if not rows * columns or not reciprocal:
        raise ValueError("RmsNorm: found a tiling without a shape, expected one of the source's shape")
    shape = normalise.Normalisation(rows, columns, original or columns, reciprocal, epsilon)
    normalise.rmsnorm(call.core, call.site, _RMSNORM, tensors, shape, buffer)


HANDLERS: Final[Mapping[str, Callable[[Call], Any]]] = MappingProxyType(
    {
        **{operation(op): partial(_mathematics, op) for op in MATH},
        "adv_quant": quant,
        "adv_softmax": softmax,
        "adv_rmsnorm": rmsnorm,
    }
)
