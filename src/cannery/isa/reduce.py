"""Reductions: pairwise trees in the element type (hicann/asc-devkit docs, reduction, @82b89a15f263).

Indices are stored as raw bits of the element's width; ties take the lowest index. A source's addressing has one pair of
strides.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import Runs, Site
from cannery.isa.enums import ReduceOrder
from cannery.isa.op import DAV_2201, DAV_3510, ByArch, Op
from cannery.isa.operands import (
    BLOCK,
    REPEAT,
    Addressing,
    Lanes,
    Operand,
    Pattern,
    counted,
    lane_numbers,
    lanes,
    pattern_of,
    runs_of,
    stretch,
)
from cannery.isa.semantics import tree_sum
from cannery.isa.tensors import Local
from cannery.isa.vector import Compute, gather, issue, scatter

Array = np.ndarray[Any, Any]
_FOLDED_REPEATS: Final = 4
"""Up to so many repeats dav-3510 adds lane by lane in a sum with a count."""
_BITS: Final = MappingProxyType({2: np.uint16, 4: np.uint32, 8: np.uint64})


def reduce_repeat(
    core: Core, site: Site | None, op: Op, dst: Local, src: Local, addressing: Addressing, dst_rep: int
) -> None:
    """One result a repeat, ``dst_rep`` elements apart; the row's function reduces a row of lanes."""
    op.check_types(core, (dst.dtype, src.dtype))
    op.check_strides(core, op.tensors[:1], [(0, dst_rep)])
    source, pattern = _source(core, op, src, addressing)
    target = _strided(dst, pattern.repeats, dst_rep) if source[1].number else (dst, source[1])

    def effect() -> None:
        rows = _rows(gather(*source), pattern, REPEAT // src.dtype.size)
        scatter(*target, _of_each(op.compute, rows))

    _issue(core, site, op, source, [target], effect)


def best_of_repeat(
    core: Core, site: Site | None, op: Op, dst: Local, src: Local, addressing: Addressing, dst_rep: int,
    order: ReduceOrder,
) -> None:  # fmt: skip
    """The best value of each repeat, and its lane, in the order asked for."""
    op.check_types(core, (dst.dtype, src.dtype))
    op.check_strides(core, op.tensors[:1], [(0, dst_rep)])
    source, pattern = _source(core, op, src, addressing)
    fields = _FIELDS[order]
    width = len(fields)
    step = dst_rep * width
    if order == ReduceOrder.ORDER_ONLY_INDEX and dst.dtype.size == 2:
        step, width = step * 2, 2  # the unit is 4 bytes there, whatever the element
    target = _strided(dst, pattern.repeats, step, width) if source[1].number else (dst, source[1])

    def effect() -> None:
        rows = _rows(gather(*source), pattern, REPEAT // src.dtype.size)
        places = [op.compute(part) for part in rows]
        best = np.concatenate([part[np.arange(len(part)), at] for part, at in zip(rows, places, strict=True)])
        numbers = _lanes_at(pattern, np.concatenate(places))
        scatter(*target, _packed(fields, best.astype(src.dtype.numpy), numbers, width))

    _issue(core, site, op, source, [target], effect)


def reduce_block(
    core: Core, site: Site | None, op: Op, dst: Local, src: Local, addressing: Addressing, dst_rep: int
) -> None:
    """One result for each block of 32 bytes; 8 results a repeat, a block fully masked off is left alone."""
    op.check_types(core, (dst.dtype, src.dtype))
    op.check_strides(core, op.tensors[:1], [(0, dst_rep)])
    source, pattern = _source(core, op, src, addressing)
    groups = _groups(_places(source, pattern), BLOCK // src.dtype.size)
    target = _at(dst, groups.numbers // 8 * dst_rep * 8 + groups.numbers % 8)

    def effect() -> None:
        scatter(*target, _of_groups(op.compute, gather(*source), groups))

    _issue(core, site, op, source, [target], effect)


def reduce_pair(
    core: Core, site: Site | None, op: Op, dst: Local, src: Local, addressing: Addressing, dst_rep: int
) -> None:
    """One result for each two neighbouring lanes of which one is active, at the pair's place in the repeat.

    ``dst_rep`` in units of 128 bytes.
    """
    op.check_types(core, (dst.dtype, src.dtype))
    op.check_strides(core, op.tensors[:1], [(0, dst_rep)])
    source, pattern = _source(core, op, src, addressing)
    half = REPEAT // src.dtype.size // 2
    groups = _groups(_places(source, pattern), 2)
    target = _at(dst, groups.numbers // half * dst_rep * half + groups.numbers % half)

    def effect() -> None:
        scatter(*target, _of_groups(tree_sum, gather(*source), groups))

    _issue(core, site, op, source, [target], effect)


def sum_of_tensor(
    core: Core, site: Site | None, op: Op, dst: Local, src: Local, scratch: Local | None, addressing: Addressing
) -> None:
    """``dst[0]`` = the sum. The workspace is overwritten."""
    _check_types(core, op, dst, src, scratch, addressing)
    source, pattern = _whole(core, op, src, addressing)
    target = (dst, stretch(1, dst.dtype.size))
    per_repeat = REPEAT // src.dtype.size

    def effect() -> None:
        values = gather(*source)
        if pattern is not None:
            values = _of_each(tree_sum, _rows(values, pattern, per_repeat))
            scatter(*target, _tree_total(values, per_repeat))
        else:
            scatter(*target, _TOTALS[core.soc.npu_arch](values, per_repeat))

    repeats = _rounds(addressing, pattern, per_repeat)
    work = _sum_workspace(core, src, scratch, target, repeats, counted=pattern is None)
    _issue(core, site, op, source, [target, *work.targets], effect, work.lost)


def best_of_tensor(
    core: Core, site: Site | None, op: Op, dst: Local, src: Local, scratch: Local | None, addressing: Addressing,
    indexed: bool,
) -> None:  # fmt: skip
    """``dst[0]`` = the best value; where ``indexed``, dst[1] = the bits of its index. First occurrence wins."""
    _check_types(core, op, dst, src, scratch, addressing)
    source, pattern = _whole(core, op, src, addressing)
    target = (dst, stretch(2 if indexed else 1, dst.dtype.size))

    def effect() -> None:
        values = gather(*source)
        at = int(op.compute(values))
        place = _element_number(pattern, at, len(values))
        best = values[at : at + 1].astype(src.dtype.numpy)
        packed = _packed(("value", "index"), best, np.array([place]), 2)
        scatter(*target, packed[: target[1].number])

    repeats = _rounds(addressing, pattern, REPEAT // src.dtype.size)
    work = _best_workspace(core, src, scratch, target, repeats, indexed)
    _issue(core, site, op, source, [target, *work.targets], effect, work.lost)


def _issue(
    core: Core, site: Site | None, op: Op, source: Operand, targets: Sequence[Operand], effect: Compute,
    lost: Runs = (),
) -> None:  # fmt: skip
    if source[1].number:
        issue(core, site, op, [source], targets, effect, unwritten=lost)


def _source(core: Core, op: Op, src: Local, addressing: Addressing) -> tuple[Operand, Pattern]:
    size = src.dtype.size
    pattern = pattern_of(core, op, addressing, size)
    op.check_strides(core, op.tensors[1:2], addressing.strides)
    return (src, lanes(pattern, size, size, *addressing.strides[0])), pattern


def _whole(core: Core, op: Op, src: Local, addressing: Addressing) -> tuple[Operand, Pattern | None]:
    if addressing.elements is None:
        return _source(core, op, src, addressing)
    core.registers.count_form_used()
    return (src, stretch(counted(op, addressing), src.dtype.size)), None


def _check_types(core: Core, op: Op, dst: Local, src: Local, scratch: Local | None, addressing: Addressing) -> None:
    third = src.dtype if scratch is None else scratch.dtype
    op.check_types(core, (dst.dtype, src.dtype, third), counted=addressing.elements is not None)


def _rows(values: Array, pattern: Pattern, per_repeat: int) -> list[Array]:
    """The active values of each repeat: one a row, a shorter last one apart."""
    if pattern.total is None:
        return [values.reshape(pattern.repeats, -1)]
    whole = len(values) // per_repeat * per_repeat
    return [part for part in (values[:whole].reshape(-1, per_repeat), values[None, whole:]) if part.size]


def _of_each(compute: Compute, rows: Sequence[Array]) -> Array:
    """The result for each row."""
    return np.concatenate([compute(part) for part in rows])


def _strided(dst: Local, count: int, step: int, width: int = 1) -> Operand:
    """``width`` elements at every ``step`` elements, as an operand."""
    size = dst.dtype.size
    index = (np.arange(count)[:, None] * step + np.arange(width)).reshape(-1)
    if step == width:
        return dst, stretch(count * width, size)
    runs = tuple((at * step * size, (at * step + width) * size) for at in range(count))
    return dst, Lanes(index, len(index), (int(index.max()) + 1) * size, runs, step >= width)


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


def _lanes_at(pattern: Pattern, places: Array) -> Array:
    """Positions among active lanes as lane numbers of the repeat."""
    return places if pattern.total is not None else lane_numbers(pattern.bits, 128)[places]


def _element_number(pattern: Pattern | None, at: int, count: int) -> int:
    if pattern is None or pattern.total is not None:
        return at
    active = lane_numbers(pattern.bits, 128)
    each = count // max(pattern.repeats, 1)
    return int(at // each * len(active) + active[at % each])


class _Groups(NamedTuple):
    """Neighbouring lanes that are reduced to one: the groups' numbers over all repeats, and their active lanes."""

    numbers: Array
    starts: Array
    counts: Array


def _places(source: Operand, pattern: Pattern) -> Array:
    """The place of each active lane among the lanes of all repeats."""
    src, region = source
    per_repeat = REPEAT // src.dtype.size
    lane = lane_numbers(pattern.bits, per_repeat)
    return (np.arange(pattern.repeats)[:, None] * per_repeat + lane).reshape(-1)[: region.number]


def _groups(places: Array, size: int) -> _Groups:
    return _Groups(*np.unique(places // size, return_index=True, return_counts=True))


def _of_groups(compute: Compute, values: Array, groups: _Groups) -> Array:
    """The result for each group; those with as many lanes at once."""
    results = np.empty(len(groups.numbers), values.dtype)
    for count in np.unique(groups.counts):
        these = groups.counts == count
        results[these] = compute(values[groups.starts[these][:, None] + np.arange(count)])
    return results


def _at(dst: Local, index: Array) -> Operand:
    """Elements at offsets, as an operand."""
    size = dst.dtype.size
    breaks = np.flatnonzero(np.diff(index) != 1)
    if not len(index) or (not len(breaks) and index[0] == 0):
        return dst, stretch(len(index), size)
    distinct = len(np.unique(index)) == len(index)
    return dst, Lanes(index, len(index), (int(index.max()) + 1) * size, runs_of(index, breaks, size), distinct)


def _tree_total(values: Array, per_repeat: int) -> Array:
    """The sum by trees inside repeats, then over their results, until one is left."""
    while len(values) > 1:
        pad = -len(values) % per_repeat if len(values) > per_repeat else 0
        padded = np.concatenate([values, np.zeros(pad, values.dtype)]) if pad else values
        values = tree_sum(padded.reshape(-1, min(per_repeat, len(padded))))
    return values


def _accumulated(values: Array, per_repeat: int) -> Array:
    """dav-2201's order of a sum with a count: a tree inside each repeat, the repeats one after the other."""
    whole = len(values) // per_repeat * per_repeat
    total = values.dtype.type(0)
    for rows in (values[:whole].reshape(-1, per_repeat), values[None, whole:]):
        for part in tree_sum(rows) if rows.size else ():
            total = total + part
    return np.array([total], values.dtype)


def _folded(values: Array, per_repeat: int) -> Array:
    """dav-3510's order of a sum with a count: 256 to 1024 bytes are added lane by lane first."""
    if per_repeat < len(values) <= 4 * per_repeat:
        first = values[:per_repeat].copy()
        for at in range(per_repeat, len(values), per_repeat):
            row = values[at : at + per_repeat]
            first[: len(row)] += row
        values = first
    return _tree_total(values, per_repeat)


_TOTALS: Final = ByArch({DAV_2201: _accumulated, DAV_3510: _folded})
"""The order of reduce_sum with a count (`impl/basic_api/dav_c220` and `dav_c310`, ReduceSum)."""


class _Work(NamedTuple):
    """The workspace of a reduction of a whole tensor, and which of its bytes are undefined afterwards."""

    targets: tuple[Operand, ...] = ()
    lost: Runs = ()


def _workspace(tensor: Local | None, src: Local, dst: Operand, elements: int, first: int) -> _Work:
    """``elements`` of workspace, of which the first round writes ``first``.

    A workspace that is the source itself is large enough (ReduceMax).
    """
    if tensor is None:
        return _Work()
    if tensor.addr == src.addr:
        elements = min(elements, max(src.size, first))
    lower, upper = tensor.addr, min(tensor.addr + first * tensor.dtype.size, tensor.owner.upper)
    if dst[0].addr == lower:
        lower += dst[1].extent
    lost = ((lower, upper),) if lower < upper else ()
    return _Work(((tensor, stretch(elements, tensor.dtype.size)),), lost)


def _rounds(addressing: Addressing, pattern: Pattern | None, per_repeat: int) -> int:
    """How many repeats the first round has; the tail of a count has one of its own, in the same workspace."""
    return pattern.repeats if pattern is not None else max(1, (addressing.elements or 0) // per_repeat)


def _sum_workspace(
    core: Core, src: Local, scratch: Local | None, dst: Operand, repeats: int, *, counted: bool
) -> _Work:
    """One partial sum a repeat, up to whole blocks (ReduceSum). With a count dav-2201 uses none; nor does dav-3510
    where it adds lane by lane.
    """
    size = src.dtype.size
    if counted and (core.soc.npu_arch != DAV_3510 or repeats <= _FOLDED_REPEATS):
        return _Work()
    return _workspace(scratch, src, dst, _blocks(repeats, size), repeats)


def _best_workspace(core: Core, src: Local, scratch: Local | None, dst: Operand, repeats: int, indexed: bool) -> _Work:
    """A value and its index for each repeat, and for each of those of later rounds where the index is wanted; each
    round up to whole blocks (ReduceMax). dav-3510 uses none.
    """
    if core.soc.npu_arch == DAV_3510:
        return _Work()
    size = src.dtype.size
    outputs = [2 * repeats]
    while indexed and (len(outputs) == 1 or outputs[-1] > 2):
        outputs.append(2 * -(-outputs[-1] * size // REPEAT))
    return _workspace(scratch, src, dst, sum(_blocks(number, size) for number in outputs), outputs[0])


def _blocks(elements: int, size: int) -> int:
    """Elements up to whole blocks."""
    return -(-elements * size // BLOCK) * BLOCK // size
