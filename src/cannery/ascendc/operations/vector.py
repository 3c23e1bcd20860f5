"""Vector instructions: one reader of words for each form of call in the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from cannery.ascendc.words import Call
from cannery.isa import compare, convert, rearrange, reduce
from cannery.isa.enums import CMPMODE, ReduceOrder, RoundMode, SelMode
from cannery.isa.op import SCALAR, Op
from cannery.isa.operands import Addressing
from cannery.isa.table import ROWS, TABLE
from cannery.isa.vector import lanewise

Reader = Callable[[Op, Call], None]


def _lanewise(op: Op, call: Call) -> None:
    form = call.integer()
    tensors = call.locals(op)
    scalar = call.scalar(tensors[-1].dtype) if SCALAR in op.operands else None
    lanewise(call.core, call.site, op, tensors, call.addressing(form, len(tensors)), scalar)


def _combined(compute: Callable[..., None], op: Op, call: Call) -> None:
    form = call.integer()
    tensors = call.locals(op)
    compute(call.core, call.site, op, tensors, call.addressing(form, len(tensors)))


def _cast(op: Op, call: Call) -> None:
    form = call.integer()
    dst, src = call.locals(op)
    mode = RoundMode(call.integer())
    convert.cast(call.core, call.site, op, dst, src, mode, call.addressing(form, 2))


def _dequantised(op: Op, call: Call) -> None:
    form = call.integer()
    dst, src = call.locals(op)
    by_lane, last_half = call.integers(2)
    addressing = call.addressing(form, 2)
    convert.dequantised(
        call.core, call.site, op, dst, src, addressing, by_lane=bool(by_lane), last_half=bool(last_half)
    )  # fmt: skip


def _compare(op: Op, call: Call) -> None:
    form = call.integer()
    dst, *sources = call.locals(op)
    scalar = call.scalar(sources[0].dtype) if SCALAR in op.operands else None
    mode = CMPMODE(call.integer())
    addressing = _of_sources(call.addressing(form, 1 + (len(sources) if scalar is None else 1)))
    compare.compare(call.core, call.site, op, dst, sources, mode, addressing, scalar)


def _of_sources(addressing: Addressing) -> Addressing:
    """Without the destination's strides."""
    return addressing._replace(strides=addressing.strides[1:])


def compare_register(call: Call) -> None:
    """Compare into the compare mask register."""
    sources = (call.local(), call.local())
    mode = CMPMODE(call.integer())
    strides = call.strides(3)[1:]
    op = TABLE["compare"]
    compare.compare_to_register(call.core, call.site, op, sources, mode, Addressing(None, 0, 1, strides))


def _compare_mask(op: Op, call: Call) -> None:
    move = compare.get_compare_mask if op.operands == ("dst",) else compare.set_compare_mask
    move(call.core, call.site, op, call.local())


def select(call: Call, *, with_scalar: bool) -> None:
    """Bits choose between two tensors, or a tensor and a scalar."""
    op = TABLE["select"]
    form = call.integer()
    dst, bits, first = call.local(), call.local(), call.local()
    sources = (first,) if with_scalar else (first, call.local())
    scalar = call.scalar(dst.dtype) if with_scalar else None
    mode = SelMode(call.integer())
    addressing = call.addressing(form, 3)
    addressing = addressing._replace(strides=addressing.strides[: 1 + len(sources)])
    compare.select(call.core, call.site, op, dst, bits, sources, mode, addressing, scalar)


def _duplicate(op: Op, call: Call) -> None:
    form = call.integer()
    dst = call.local()
    value = call.scalar(dst.dtype)
    rearrange.duplicate(call.core, call.site, op, dst, value, call.addressing(form, 1))


def _masked_copy(op: Op, call: Call) -> None:
    form = call.integer()
    dst, src = call.locals(op)
    rearrange.copy(call.core, call.site, op, dst, src, call.addressing(form, 2))


def _brcb(op: Op, call: Call) -> None:
    dst, src = call.locals(op)
    repeats = call.integer()
    (strides,) = call.strides(1)
    rearrange.broadcast_to_blocks(call.core, call.site, op, dst, src, repeats, strides)


def _transpose(op: Op, call: Call) -> None:
    rearrange.transpose(call.core, call.site, op, *call.locals(op))


def _gather(op: Op, call: Call) -> None:
    form = call.integer()
    dst, src, offsets = call.locals(op)
    base = call.integer()
    rearrange.gather_elements(call.core, call.site, op, dst, src, offsets, base, call.addressing(form, 1))


def _of_repeats(reduction: Callable[..., None], op: Op, call: Call) -> None:
    form = call.integer()
    dst, src = call.locals(op)
    addressing = call.addressing(form, 1)
    reduction(call.core, call.site, op, dst, src, addressing, call.integer())


def _best_of_repeat(op: Op, call: Call) -> None:
    form = call.integer()
    dst, src = call.locals(op)
    addressing = call.addressing(form, 1)
    step, order = call.integers(2)
    reduce.best_of_repeat(call.core, call.site, op, dst, src, addressing, step, ReduceOrder(order))


def _sum_of_tensor(op: Op, call: Call) -> None:
    form = call.integer()
    dst, src, scratch = call.locals(op)
    reduce.sum_of_tensor(call.core, call.site, op, dst, src, scratch, call.addressing(form, 1))


def _best_of_tensor(op: Op, call: Call) -> None:
    form = call.integer()
    dst, src, scratch = call.locals(op)
    indexed = bool(call.integer())
    reduce.best_of_tensor(call.core, call.site, op, dst, src, scratch, call.addressing(form, 1), indexed)


_READERS: Final[Mapping[str, Reader]] = MappingProxyType(
    {
        "lanewise": _lanewise,
        "combined": partial(_combined, convert.combined),
        "dequantised_sum": partial(_combined, convert.dequantised_sum),
        "dequantised": _dequantised,
        "cast": _cast,
        "compare": _compare,
        "compare_mask": _compare_mask,
        "duplicate": _duplicate,
        "masked_copy": _masked_copy,
        "brcb": _brcb,
        "transpose": _transpose,
        "gather": _gather,
        "reduce_repeat": partial(_of_repeats, reduce.reduce_repeat),
        "reduce_block": partial(_of_repeats, reduce.reduce_block),
        "reduce_pair": partial(_of_repeats, reduce.reduce_pair),
        "best_of_repeat": _best_of_repeat,
        "sum_of_tensor": _sum_of_tensor,
        "best_of_tensor": _best_of_tensor,
    }
)
"""By the form of a row. A row of another form has a handler of its own, or none yet."""
HANDLERS: Final[Mapping[str, Callable[[Call], Any]]] = MappingProxyType(
    {
        **{op.name: partial(_READERS[op.form], op) for op in ROWS if op.form in _READERS},
        "compare_register": compare_register,
        "select": partial(select, with_scalar=False),
        "select_scalar": partial(select, with_scalar=True),
    }
)
