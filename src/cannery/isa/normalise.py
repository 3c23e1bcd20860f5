"""Functions of the advanced API: mathematics, softmax, rmsnorm, quant
(hicann/asc-devkit docs, advanced API, @82b89a15f263).

softmax and rmsnorm compute in float32, whatever the element; sums are exact before they are rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import Site
from cannery.isa import composite
from cannery.isa.advanced import rmsnorm_bytes, softmax_bytes
from cannery.isa.composite import Temporaries, lanes_of, temporary_bytes
from cannery.isa.dtypes import float16
from cannery.isa.enums import RoundMode
from cannery.isa.op import Op
from cannery.isa.operands import BLOCK, stretch
from cannery.isa.rounding import to_integer
from cannery.isa.tensors import Local
from cannery.isa.vector import gather, scatter

Array = np.ndarray[Any, Any]
Matrix = tuple[int, int]
"""Rows and columns."""


def mathematics(
    core: Core, site: Site | None, op: Op, tensors: Sequence[Local], count: int | None, temporaries: Temporaries,
    scalar: Any = None,
) -> None:  # fmt: skip
    """``dst = f(src, …)``, element by element; ``tensors`` are the row's operands.

    Raises:
        TypeError: element types that the function has not.
        ValueError: a count beyond the source.
    """
    op.check_types(core, tuple(tensor.dtype for tensor in tensors))
    target, *sources = lanes_of(op, tensors, count)
    if not target[1].number:
        return
    extra = () if scalar is None else (sources[0][0].dtype.element(scalar),)
    old = [target] if op.reads_dst else []

    def effect() -> None:
        scatter(*target, op.compute(*[gather(*one) for one in sources], *extra, *[gather(*one) for one in old]))

    size = temporary_bytes(core, op, sources[0], temporaries.reuse)
    composite.issue(core, site, op, [target], sources, effect, size, temporaries)


class Scaling(NamedTuple):
    """What a quantisation multiplies with, and then adds."""

    scale: float
    offset: float


def quantise(
    core: Core, site: Site | None, op: Op, dst: Local, src: Local, scaling: Scaling, count: int | None,
    temporaries: Temporaries,
) -> None:  # fmt: skip
    """``dst = int8(half(src) · scale + offset)``: each step rounds to half, the last one to nearest even."""
    op.check_types(core, (dst.dtype, src.dtype))
    target, source = lanes_of(op, (dst, src), count)
    if not source[1].number:
        return
    scale, offset = (float16.element(value) for value in scaling)

    def effect() -> None:
        half = gather(*source).astype(np.float16)
        scatter(*target, to_integer(half * scale + offset, dst.dtype.numpy, RoundMode.CAST_RINT))

    size = temporary_bytes(core, op, source, temporaries.reuse)
    composite.issue(core, site, op, [target], [source], effect, size, temporaries)


def softmax(
    core: Core, site: Site | None, op: Op, targets: Sequence[Local], src: Local, shape: Matrix, buffer: Local | None
) -> None:
    """``targets``: the result, and of each row the sum and the maximum, each filling a block of 32 bytes.

    Raises:
        TypeError: element types that it has not.
        ValueError: columns that are no whole blocks.
    """
    op.check_types(core, tuple(tensor.dtype for tensor in (*targets, src)))
    rows, columns = shape
    _check_columns(op, src, columns)
    if not rows:
        return
    source = (src, stretch(rows * columns, src.dtype.size))
    dst, total, largest = targets
    result = (dst, source[1])
    sums, maxima = ((one, stretch(rows * BLOCK // one.dtype.size, one.dtype.size)) for one in (total, largest))
    filled = BLOCK // total.dtype.size

    def effect() -> None:
        x = gather(*source).reshape(rows, columns).astype(np.float32)
        top = x.max(axis=1, keepdims=True)
        exponents = np.exp((x - top).astype(np.float64)).astype(np.float32)
        whole = exponents.sum(axis=1, keepdims=True, dtype=np.float64).astype(np.float32)
        scatter(*result, (exponents / whole).astype(dst.dtype.numpy).reshape(-1))
        scatter(*sums, np.repeat(whole.astype(total.dtype.numpy), filled))
        scatter(*maxima, np.repeat(top.astype(largest.dtype.numpy), filled))

    size = softmax_bytes(rows, columns, total.dtype.size, core.soc.npu_arch)
    composite.issue(core, site, op, [result, sums, maxima], [source], effect, size, Temporaries(buffer))


class Normalisation(NamedTuple):
    """``rows`` rows of ``columns`` elements; a sum of squares times ``reciprocal`` is the mean."""

    rows: int
    columns: int
    original_columns: int
    reciprocal: float
    epsilon: float


def rmsnorm(
    core: Core, site: Site | None, op: Op, tensors: Sequence[Local], shape: Normalisation, buffer: Local | None
) -> None:
    """``dst = src · gamma / √(mean(src²) + epsilon)``, row by row; ``tensors``: dst, src, gamma."""
    op.check_types(core, tuple(tensor.dtype for tensor in tensors))
    dst, src, gamma = tensors
    _check_columns(op, src, shape.columns)
    if not shape.rows:
        return
    region = stretch(shape.rows * shape.columns, src.dtype.size)
    result, source, weights = (dst, region), (src, region), (gamma, stretch(shape.columns, gamma.dtype.size))

    def effect() -> None:
        x = gather(*source).reshape(shape.rows, shape.columns).astype(np.float64)
        squares = (x[:, : shape.original_columns] ** 2).sum(axis=1, keepdims=True)
        scale = 1 / np.sqrt(squares * shape.reciprocal + shape.epsilon)
        scatter(*result, (x * scale * gather(*weights).astype(np.float64)).astype(dst.dtype.numpy).reshape(-1))

    size = rmsnorm_bytes(shape.columns, src.dtype.size)
    composite.issue(core, site, op, [result], [source, weights], effect, size, Temporaries(buffer))


def _check_columns(op: Op, src: Local, columns: int) -> None:
    if columns <= 0 or columns * src.dtype.size % BLOCK:
        raise ValueError(f"{op.name}: found rows of {columns} {src.dtype}, expected whole blocks of 32 bytes")
