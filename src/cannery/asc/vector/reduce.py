"""Reductions: pairwise trees in the element type
(hicann/asc-devkit docs, reduction, @82b89a15f263; argument orders as in hicann/pyasc @cecba26ace65).

Indices are stored as raw bits of the element's width; ties take the lowest index.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from cannery.aicore.instruction import CONSUME, Instruction
from cannery.aicore.pipes import V
from cannery.asc.context import here
from cannery.asc.dtypes import float16, float32
from cannery.asc.enums import ReduceOrder
from cannery.asc.tensors import LocalTensor
from cannery.asc.vector.issue import Operand, gather, require, scatter
from cannery.asc.vector.lanes import BLOCK, REPEAT, Lanes, Pattern, access, lanes, pattern_of, stretch

Array = np.ndarray[Any, Any]
_TYPES: Final = frozenset({float16, float32})
_BITS: Final = MappingProxyType({2: np.uint16, 4: np.uint32})
_BEST: Final = MappingProxyType({"max": np.argmax, "min": np.argmin})


def tree_sum(rows: Array) -> Array:
    """The sum of each row by adjacent pairs, rounded at every level."""
    while rows.shape[-1] > 1:
        if rows.shape[-1] % 2:
            rows = np.concatenate([rows, np.zeros((*rows.shape[:-1], 1), rows.dtype)], axis=-1)
        rows = rows[..., ::2] + rows[..., 1::2]
    return rows[..., 0]


def _issue(
    name: str, dst: Operand, src: Operand, effect: Callable[[], None], align: int, scratch: Operand | None = None
) -> None:
    if not src[1].number:
        return
    writes = [access(*dst, align)]
    if scratch is not None:
        writes.append(access(*scratch))
    core = src[0].owner.core
    core.issue(Instruction(name, V, (access(*src),), tuple(writes), here(3), effect, (), CONSUME))


def _source(
    src: LocalTensor, mask: Any, repeats: int, blk: int, rep: int, is_set_mask: bool = True
) -> tuple[Lanes, Pattern]:
    size = src.dtype.size
    pattern = pattern_of(src.owner.core.registers, mask, repeats, size, is_set_mask)
    return lanes(pattern, size, size, int(blk), int(rep)), pattern


def _rows(values: Array, pattern: Pattern, per_repeat: int) -> list[Array]:
    """The active values of each repeat."""
    if pattern.total is not None:
        return [values[first : first + per_repeat] for first in range(0, len(values), per_repeat)]
    return list(values.reshape(pattern.repeats, -1))


def _strided(dst: LocalTensor, count: int, step: int, width: int = 1) -> Operand:
    """``width`` elements at every ``step`` elements, as an operand."""
    size = dst.dtype.size
    index = (np.arange(count)[:, None] * step + np.arange(width)).reshape(-1)
    if step == width:
        return dst, stretch(count * width, size)
    runs = tuple((at * step * size, (at * step + width) * size) for at in range(count))
    return dst, Lanes(index, len(index), (int(index.max()) + 1) * size, runs, step >= width)


def whole_reduce_sum(
    dst: LocalTensor, src: LocalTensor, mask: Any, repeat_time: int, dst_rep_stride: int, src_blk_stride: int,
    src_rep_stride: int, is_set_mask: bool = True,
) -> None:  # fmt: skip
    """One sum a repeat, ``dst_rep_stride`` elements apart."""
    _whole_sum("whole_reduce_sum", dst, src, mask, repeat_time, dst_rep_stride, src_blk_stride, src_rep_stride,
               is_set_mask)  # fmt: skip


def repeat_reduce_sum(
    dst: LocalTensor, src: LocalTensor, repeat_time: int, mask: Any, dst_blk_stride: int, src_blk_stride: int,
    dst_rep_stride: int, src_rep_stride: int, is_set_mask: bool = True,
) -> None:  # fmt: skip
    """As whole_reduce_sum, with another order of arguments; ``dst_blk_stride`` is unused."""
    del dst_blk_stride
    _whole_sum("repeat_reduce_sum", dst, src, mask, repeat_time, dst_rep_stride, src_blk_stride, src_rep_stride,
               is_set_mask)  # fmt: skip


def _whole_sum(
    name: str, dst: LocalTensor, src: LocalTensor, mask: Any, repeats: int, dst_rep: int, blk: int, rep: int,
    is_set_mask: bool,
) -> None:  # fmt: skip
    require(name, (dst, src), _TYPES)
    region, pattern = _source(src, mask, repeats, blk, rep, is_set_mask)
    target = _strided(dst, pattern.repeats, int(dst_rep)) if region.number else (dst, region)

    def effect() -> None:
        rows = _rows(gather(src, region), pattern, REPEAT // src.dtype.size)
        scatter(*target, np.array([tree_sum(row) for row in rows]))

    _issue(name, target, (src, region), effect, dst.dtype.size)


def _whole_best(
    name: str, best: str, dst: LocalTensor, src: LocalTensor, mask: Any, repeats: int, dst_rep: int, blk: int,
    rep: int, order: ReduceOrder, is_set_mask: bool,
) -> None:  # fmt: skip
    require(name, (dst, src), _TYPES)
    region, pattern = _source(src, mask, repeats, blk, rep, is_set_mask)
    fields = _FIELDS[ReduceOrder(order)]
    width = len(fields)
    step = int(dst_rep) * width
    out, unit = dst, step
    if order == ReduceOrder.ORDER_ONLY_INDEX and dst.dtype.size == 2:
        unit = step * 2  # the unit is 4 bytes there, whatever the element
        width = 2
    target = _strided(out, pattern.repeats, unit, width) if region.number else (dst, region)

    def effect() -> None:
        rows = _rows(gather(src, region), pattern, REPEAT // src.dtype.size)
        places = [int(_BEST[best](row)) for row in rows]
        values = np.array([row[at] for row, at in zip(rows, places, strict=True)]).astype(src.dtype.numpy)
        scatter(*target, _packed(fields, values, _lane_numbers(pattern, places), width))

    _issue(name, target, (src, region), effect, dst.dtype.size)


_FIELDS: Final = MappingProxyType(
    {
        ReduceOrder.ORDER_VALUE_INDEX: ("value", "index"),
        ReduceOrder.ORDER_INDEX_VALUE: ("index", "value"),
        ReduceOrder.ORDER_ONLY_VALUE: ("value",),
        ReduceOrder.ORDER_ONLY_INDEX: ("index",),
    }
)


def _packed(fields: tuple[str, ...], values: Array, places: Array, width: int) -> Array:
    raw = places.astype(_BITS[values.dtype.itemsize]).view(values.dtype)
    columns = [values if field == "value" else raw for field in fields]
    while len(columns) < width:
        columns.append(np.zeros_like(values))
    return np.stack(columns, axis=1).reshape(-1)


def _lane_numbers(pattern: Pattern, places: list[int]) -> Array:
    """Positions among active lanes as lane numbers of the repeat."""
    if pattern.total is not None:
        return np.array(places)
    active = [lane for lane in range(128) if pattern.bits >> lane & 1]
    return np.array([active[at] for at in places])


def _whole_reducer(name: str, best: str) -> Callable[..., None]:
    def call(
        dst: LocalTensor, src: LocalTensor, mask: Any, repeat_time: int, dst_rep_stride: int, src_blk_stride: int,
        src_rep_stride: int, order: ReduceOrder = ReduceOrder.ORDER_VALUE_INDEX, is_set_mask: bool = True,
    ) -> None:  # fmt: skip
        _whole_best(name, best, dst, src, mask, repeat_time, dst_rep_stride, src_blk_stride, src_rep_stride, order,
                    is_set_mask)  # fmt: skip

    call.__name__ = name
    call.__doc__ = f"The {best}imum of each repeat, and its lane, in the order asked for."
    return call


whole_reduce_max = _whole_reducer("whole_reduce_max", "max")
whole_reduce_min = _whole_reducer("whole_reduce_min", "min")

_FOLD: Final[MappingProxyType[str, Callable[[Array], Array]]] = MappingProxyType(
    {"sum": tree_sum, "max": lambda rows: rows.max(axis=-1), "min": lambda rows: rows.min(axis=-1)}
)


def _block_reducer(name: str, fold: str) -> Callable[..., None]:
    def call(
        dst: LocalTensor, src: LocalTensor, repeat: int, mask: Any, dst_rep_stride: int, src_blk_stride: int,
        src_rep_stride: int,
    ) -> None:  # fmt: skip
        require(name, (dst, src), _TYPES)
        region, pattern = _source(src, mask, repeat, src_blk_stride, src_rep_stride)
        blocks = _blocks_of(pattern, BLOCK // src.dtype.size)
        target = _block_target(dst, pattern, int(dst_rep_stride), [block for block, _ in blocks])

        def effect() -> None:
            rows = gather(src, region).reshape(pattern.repeats, -1)
            results = [_FOLD[fold](rows[:, first:last]) for first, last in (span for _, span in blocks)]
            scatter(*target, np.stack(results, axis=1).reshape(-1))

        if blocks:
            _issue(name, target, (src, region), effect, 8 * dst.dtype.size)

    call.__name__ = name
    call.__doc__ = f"The {fold} of each block of 32 bytes; 8 results a repeat, a block fully masked off is left alone."
    return call


def _blocks_of(pattern: Pattern, per_block: int) -> list[tuple[int, tuple[int, int]]]:
    """Blocks with active lanes: their number, and where their lanes lie among the active ones of a repeat."""
    found, at = [], 0
    for block in range(8):
        active = bin(pattern.bits >> block * per_block & (1 << per_block) - 1).count("1")
        if active:
            found.append((block, (at, at + active)))
        at += active
    return found


def _block_target(dst: LocalTensor, pattern: Pattern, rep: int, blocks: list[int]) -> Operand:
    if blocks == list(range(8)):
        return _strided(dst, pattern.repeats, rep * 8, 8)
    size = dst.dtype.size
    index = (np.arange(pattern.repeats)[:, None] * rep * 8 + np.array(blocks or [0])).reshape(-1)
    runs = tuple((int(at) * size, (int(at) + 1) * size) for at in index)
    return dst, Lanes(index, len(index), (int(index.max()) + 1) * size if len(index) else 0, runs, True)


block_reduce_sum = _block_reducer("block_reduce_sum", "sum")
block_reduce_max = _block_reducer("block_reduce_max", "max")
block_reduce_min = _block_reducer("block_reduce_min", "min")


def pair_reduce_sum(
    dst: LocalTensor, src: LocalTensor, repeat_time: int, mask: Any, dst_rep_stride: int, src_blk_stride: int,
    src_rep_stride: int, is_set_mask: bool = True,
) -> None:  # fmt: skip
    """Sums of adjacent pairs of active lanes; ``dst_rep_stride`` in units of 128 bytes."""
    require("pair_reduce_sum", (dst, src), _TYPES)
    region, pattern = _source(src, mask, repeat_time, src_blk_stride, src_rep_stride, is_set_mask)
    pairs = -(-region.number // max(pattern.repeats, 1) // 2)
    target = _strided(dst, pattern.repeats, int(dst_rep_stride) * 128 // dst.dtype.size, pairs)

    def effect() -> None:
        rows = gather(src, region).reshape(pattern.repeats, -1)
        if rows.shape[1] % 2:
            rows = np.concatenate([rows, np.zeros((len(rows), 1), rows.dtype)], axis=1)
        scatter(*target, (rows[:, ::2] + rows[:, 1::2]).reshape(-1))

    _issue("pair_reduce_sum", target, (src, region), effect, 32)


def _total(values: Array, per_repeat: int, counted: bool) -> Array:
    """The sum in the device's order: lane-wise first for 256 to 1024 bytes, trees inside repeats, then over them."""
    if counted and per_repeat < len(values) <= 4 * per_repeat:
        rows = [values[at : at + per_repeat] for at in range(0, len(values), per_repeat)]
        first = rows[0].copy()
        for row in rows[1:]:
            first[: len(row)] += row
        values = first
    while len(values) > 1:
        pad = -len(values) % per_repeat if len(values) > per_repeat else 0
        padded = np.concatenate([values, np.zeros(pad, values.dtype)]) if pad else values
        values = tree_sum(padded.reshape(-1, min(per_repeat, len(padded))))
    return values


def _whole_tensor(src: LocalTensor, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Lanes, Pattern | None]:
    names = ("count",) if "count" in options or len(args) == 1 else ("mask", "repeat_time", "src_rep_stride")
    values = dict(zip(names, args, strict=False)) | options
    if "count" in values:
        src.owner.core.registers.count_form_used()
        return stretch(int(values["count"]), src.dtype.size), None
    return _source(src, values["mask"], values["repeat_time"], 1, values["src_rep_stride"])


def _scratch(tensor: LocalTensor | None, region: Lanes, size: int, each: int = 1) -> Operand | None:
    if tensor is None or not region.number:
        return None
    per_block = BLOCK // size
    repeats = -(-region.number * size // REPEAT)
    elements = -(-repeats * each // per_block) * per_block
    return tensor, stretch(min(elements, max(tensor.size, 1)), tensor.dtype.size)


def reduce_sum(dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, *args: Any, **options: Any) -> None:
    """``dst[0]`` = the sum: ``…, count`` or ``…, mask, repeat_time, src_rep_stride``. The workspace is overwritten."""
    require("reduce_sum", (dst, src), _TYPES)
    region, pattern = _whole_tensor(src, args, options)
    target = (dst, stretch(1, dst.dtype.size))
    per_repeat = REPEAT // src.dtype.size

    def effect() -> None:
        values = gather(src, region)
        if pattern is not None:
            values = np.array([tree_sum(row) for row in _rows(values, pattern, per_repeat)], values.dtype)
        scatter(*target, _total(values, per_repeat, pattern is None))

    _issue("reduce_sum", target, (src, region), effect, dst.dtype.size,
           _scratch(shared_tmp_buffer, region, src.dtype.size))  # fmt: skip


def _reducer(name: str, best: str) -> Callable[..., None]:
    def call(dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, *args: Any, **options: Any) -> None:
        require(name, (dst, src), _TYPES)
        indexed = bool(options.pop("cal_index", False))
        if args and isinstance(args[-1], bool):
            indexed, args = args[-1], args[:-1]
        region, pattern = _whole_tensor(src, args, options)
        target = (dst, stretch(2 if indexed else 1, dst.dtype.size))

        def effect() -> None:
            values = gather(src, region)
            at = int(_BEST[best](values))
            place = _element_number(pattern, at, len(values))
            best_value = values[at : at + 1].astype(src.dtype.numpy)
            packed = _packed(("value", "index"), best_value, np.array([place]), 2)
            scatter(*target, packed[: target[1].number])

        _issue(name, target, (src, region), effect, dst.dtype.size,
               _scratch(shared_tmp_buffer, region, src.dtype.size, 2))  # fmt: skip

    call.__name__ = name
    call.__doc__ = f"dst[0] = the {best}imum; with ``cal_index`` dst[1] = the bits of its index. First occurrence wins."
    return call


def _element_number(pattern: Pattern | None, at: int, count: int) -> int:
    if pattern is None or pattern.total is not None:
        return at
    active = [lane for lane in range(128) if pattern.bits >> lane & 1]
    each = count // max(pattern.repeats, 1)
    return at // each * len(active) + active[at % each]


reduce_max = _reducer("reduce_max", "max")
reduce_min = _reducer("reduce_min", "min")
