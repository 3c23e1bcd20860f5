"""Sorting: sort32, merging of sorted queues, sort, extract (hicann/asc-devkit docs, sorting, @82b89a15f263).

A record has 8 bytes: the score at the low end, an index of 32 bits at the high end; between a half and its index lie
two bytes that nobody uses. The order is descending, equal scores keep theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.flags import Blocked
from cannery.aicore.instruction import Access, Instruction, Site
from cannery.aicore.pipes import V
from cannery.isa import composite
from cannery.isa.composite import Temporaries
from cannery.isa.dtypes import DataType, uint8, uint32
from cannery.isa.limits import check_value
from cannery.isa.op import REPEAT_TIMES, Op
from cannery.isa.operands import Operand, access, stretch
from cannery.isa.tensors import Local
from cannery.isa.vector import gather, scatter, stored

Array = np.ndarray[Any, Any]
RECORD: Final = 8
"""Bytes of a score with its index."""
GROUP: Final = 32
"""Scores that one repeat sorts, and records that one repeat of extract takes apart."""
QUEUES: Final = {3: 2, 7: 3, 15: 4}
"""How many queues are merged, by the bits that switch them on."""
_LONGEST: Final = (0, 4095)
_INDEX: Final = 4  # where the index begins in a record


def records(scores: Array, indices: Array) -> Array:
    """Records as bytes, one a row."""
    found: Array = np.zeros((len(scores), RECORD), np.uint8)
    found[:, : scores.itemsize] = np.ascontiguousarray(scores).view(np.uint8).reshape(len(scores), -1)
    found[:, _INDEX:] = np.ascontiguousarray(indices, np.uint32).view(np.uint8).reshape(len(scores), -1)
    return found


def scores_of(rows: Array, dtype: np.dtype[Any]) -> Array:
    """The scores of records."""
    found: Array = np.ascontiguousarray(rows[:, : dtype.itemsize]).view(dtype)[:, 0]
    return found


def indices_of(rows: Array) -> Array:
    """The indices of records."""
    found: Array = np.ascontiguousarray(rows[:, _INDEX:]).view(np.uint32)[:, 0]
    return found


def descending(scores: Array) -> Array:
    """The order of rows of scores; equal ones keep theirs."""
    return np.argsort(-scores.astype(np.float64), axis=-1, kind="stable")


def _records_in(tensor: Local, count: int) -> Operand:
    return tensor.as_type(uint8), stretch(count * RECORD, 1)


def _check_sources(core: Core, op: Op, dst: Local, scores: Local, indices: Local) -> None:
    op.check_types(core, (dst.dtype, scores.dtype))
    if indices.dtype != uint32:
        raise TypeError(f"{op.name}: {op.tensors[2]}: found {indices.dtype}, expected uint32")


def sort32(core: Core, site: Site | None, op: Op, tensors: Sequence[Local], repeats: int) -> None:
    """Each repeat sorts 32 scores; ``tensors``: records, scores, indices.

    Raises:
        TypeError, ValueError: types that it has not, or repeats beyond the limits.
    """
    dst, scores, indices = tensors
    _check_sources(core, op, dst, scores, indices)
    op.check_field(core, REPEAT_TIMES, repeats)
    if not repeats:
        return
    count, size = GROUP * repeats, scores.dtype.size
    target = _records_in(dst, count)
    of_scores, of_indices = (scores, stretch(count, size)), (indices, stretch(count, 4))

    def effect() -> None:
        scatter(*target, _sorted(stored(*of_scores), gather(*of_indices), GROUP).reshape(-1))

    reads = (access(*of_scores, GROUP * size), access(*of_indices, GROUP * 4))
    writes = (access(*target, GROUP * RECORD),)
    core.issue(Instruction(op.name, V, reads, writes, site, effect, (), op.flow, None, (), scores.dtype, count))


def _sorted(scores: Array, indices: Array, group: int) -> Array:
    """Records of scores that are sorted in groups."""
    rows = scores.reshape(-1, group)
    order = descending(rows)
    return records(
        np.take_along_axis(rows, order, 1).reshape(-1),
        np.take_along_axis(indices.reshape(-1, group), order, 1).reshape(-1),
    )


def sort(
    core: Core, site: Site | None, op: Op, tensors: Sequence[Local], buffer: Local, repeats: int, *, whole: bool
) -> None:
    """Sort groups of 32 scores, or all of them; ``tensors``: records, scores, indices.

    Raises:
        TypeError, ValueError: types that it has not, or repeats beyond the limits.
    """
    dst, scores, indices = tensors
    _check_sources(core, op, dst, scores, indices)
    op.check_field(core, REPEAT_TIMES, repeats)
    if not repeats:
        return
    count = GROUP * repeats
    target = _records_in(dst, count)
    of_scores, of_indices = (scores, stretch(count, scores.dtype.size)), (indices, stretch(count, 4))

    def effect() -> None:
        group = count if whole else GROUP
        scatter(*target, _sorted(stored(*of_scores), gather(*of_indices), group).reshape(-1))

    size = count * RECORD if whole else 0
    composite.issue(core, site, op, [target], [of_scores, of_indices], effect, size, Temporaries(buffer))


def extract(core: Core, site: Site | None, op: Op, tensors: Sequence[Local], repeats: int) -> None:
    """Take records apart, 32 a repeat; ``tensors``: scores, indices, records.

    Raises:
        TypeError, ValueError: types that it has not, or repeats beyond the limits.
    """
    values, indices, sorted_records = tensors
    op.check_types(core, (values.dtype, indices.dtype, sorted_records.dtype))
    op.check_field(core, REPEAT_TIMES, repeats)
    if not repeats:
        return
    count = GROUP * repeats
    to_values, to_indices = (values, stretch(count, values.dtype.size)), (indices, stretch(count, 4))
    source = _records_in(sorted_records, count)

    def effect() -> None:
        rows = gather(*source).reshape(-1, RECORD)
        scores, found = scores_of(rows, values.dtype.numpy), indices_of(rows)
        scatter(*to_values, scores)
        scatter(*to_indices, found)

    composite.issue(core, site, op, [to_values, to_indices], [source], effect, 0)


class Merge(NamedTuple):
    """Lengths of the queues in records; ``suspend``: stop when one of them is exhausted."""

    lengths: tuple[int, ...]
    valid_bits: int
    repeats: int
    suspend: bool


def merge(core: Core, site: Site | None, op: Op, dst: Local, queues: Sequence[Local], shape: Merge) -> tuple[int, ...]:
    """Merge two to four sorted queues of records; how many of each of four have gone into the result.

    Further repeats count where four queues of one length lie one behind the other, and nothing is suspended.

    Raises:
        DeadlockError: with suspension: the vector pipe waits for what only the program could still set.
        TypeError, ValueError: types, lengths or bits that it has not.
    """
    _check_merge(core, op, dst, queues, shape)
    lengths = shape.lengths[: len(queues)]
    repeats = shape.repeats if _is_repeated(queues, shape) else min(shape.repeats, 1)
    if not repeats or not sum(lengths):
        return _consumed(core, (0,) * len(lengths))
    if repeats > 1:
        sources = [_records_in(queues[0], sum(lengths) * repeats)]
    else:
        sources = [_records_in(queue, length) for queue, length in zip(queues, lengths, strict=True)]
    taken = lengths
    if shape.suspend:
        if not core.settle(V):
            raise core.deadlock(Blocked("S", op.name, "", site))
        taken = _taken_until_exhausted(sources, dst.dtype)
    target = _records_in(dst, sum(taken) * repeats)

    def effect() -> None:
        rows = [gather(*source).reshape(-1, RECORD) for source in sources]
        if repeats > 1:
            merged = np.concatenate([_merged(np.split(part, 4), dst.dtype) for part in np.split(rows[0], repeats)])
        else:
            merged = _merged(rows, dst.dtype)
        scatter(*target, merged[: sum(taken) * repeats].reshape(-1))

    reads = tuple([access(*source, RECORD) for source in sources])
    write = access(*target)
    apart: tuple[tuple[Access, Access], ...] = tuple([(write, read) for read in reads])
    work = sum(taken) * repeats
    core.issue(
        Instruction(op.name, V, reads, (write,), site, effect, (), op.flow, None, (), dst.dtype, work, apart=apart)
    )
    return _consumed(core, taken)


def _consumed(core: Core, taken: Sequence[int]) -> tuple[int, ...]:
    found = (*taken, *[0] * (4 - len(taken)))
    core.registers.merged = found
    return found


def _check_merge(core: Core, op: Op, dst: Local, queues: Sequence[Local], shape: Merge) -> None:
    if shape.valid_bits not in QUEUES:
        raise ValueError(f"{op.name}: valid_bit: found {shape.valid_bits}, expected 3, 7 or 15")
    expected = QUEUES[shape.valid_bits]
    if len(queues) < expected or len(shape.lengths) < expected:
        found = min(len(queues), len(shape.lengths))
        raise ValueError(f"{op.name}: found {found} queues, expected {expected} for valid_bit {shape.valid_bits}")
    for queue in queues:
        op.check_types(core, (dst.dtype, queue.dtype))
    for length in shape.lengths:
        check_value(f"{op.name}: element_lengths", length, _LONGEST)
    op.check_field(core, REPEAT_TIMES, shape.repeats)


def _is_repeated(queues: Sequence[Local], shape: Merge) -> bool:
    if shape.valid_bits != 15 or shape.suspend or len(set(shape.lengths[:4])) > 1:
        return False
    step = shape.lengths[0] * RECORD
    return all(queue.addr == queues[0].addr + place * step for place, queue in enumerate(queues))


def _keys(rows: Sequence[Array], dtype: DataType) -> tuple[Array, Array]:
    """The order of a merge, and the queue of each record.

    It goes by the smallest score so far: nothing overtakes in its queue.
    """
    scores = [scores_of(part, dtype.numpy).astype(np.float64) for part in rows]
    keys = np.concatenate([np.minimum.accumulate(part) if len(part) else part for part in scores])
    return descending(keys), np.repeat(np.arange(len(rows)), [len(part) for part in rows])


def _merged(rows: Sequence[Array], dtype: DataType) -> Array:
    order, _ = _keys(rows, dtype)
    found: Array = np.concatenate(list(rows))[order]
    return found


def _taken_until_exhausted(sources: Sequence[Operand], dtype: DataType) -> tuple[int, ...]:
    """How many records of each queue go out until one queue has none left."""
    rows = [gather(*source).reshape(-1, RECORD) for source in sources]
    order, numbers = _keys(rows, dtype)
    given = numbers[order]
    ends = [int(np.flatnonzero(given == queue)[-1]) + 1 if len(part) else 0 for queue, part in enumerate(rows)]
    return tuple(np.bincount(given[: min(ends)], minlength=len(rows)).tolist())
