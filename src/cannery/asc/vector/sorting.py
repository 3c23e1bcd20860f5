"""Sorting (argument orders as in hicann/pyasc `python/asc/language/{basic/proposal,adv/sort}.py` @cecba26ace65)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from cannery.asc.context import here, running
from cannery.asc.numbers import INTEGERS
from cannery.asc.tensors import LocalTensor, check_operands, core_of
from cannery.asc.vector.forms import named
from cannery.asc.vector.params import MrgSort4Info, MrgSortSrcList
from cannery.isa import dtypes, sorting
from cannery.isa.limits import check_value
from cannery.isa.op import Op
from cannery.isa.table import TABLE

__all__ = [
    "get_mrg_sort_result", "get_sort_len", "get_sort_offset", "mrg_sort", "mrg_sort4", "proposal_concat",
    "proposal_extract", "rp_sort16", "sort", "sort32",
]  # fmt: skip

_FLOATS: Final = 2  # float32 elements of a record; pyasc asks for no other type
_LISTED: Final = ("element_count_list", "sorted_num", "valid_bit", "repeat_time", "is_exhausted_suspension")
_REPEATS: Final = (1, 255)


def sort32(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, repeat_time: int) -> None:
    """Each repeat sorts 32 scores of src0, with their indices in src1, into 32 records of 8 bytes."""
    op = TABLE["sort32"]
    sorting.sort32(core_of(op, dst, src0, src1), here(), op, (dst, src0, src1), int(repeat_time))


def sort(
    dst: LocalTensor, concat: LocalTensor, index: LocalTensor, tmp: LocalTensor, repeat_time: int,
    is_full_sort: bool = False,
) -> None:  # fmt: skip
    """Sort 32 scores a repeat, or, with ``is_full_sort``, all of them; ``tmp`` has 8 bytes for each score then."""
    op = TABLE["sort"]
    core = core_of(op, dst, concat, index)
    check_operands(op.name, {"tmp": tmp})
    sorting.sort(core, here(), op, (dst, concat, index), tmp, int(repeat_time), whole=bool(is_full_sort))


def mrg_sort(dst: LocalTensor, sort_list: MrgSortSrcList, *args: Any, **options: Any) -> None:
    """Merge two to four sorted queues of records.

    ``…, MrgSort4Info`` or ``…, element_count_list, sorted_num, valid_bit, repeat_time, is_exhausted_suspension=False``:
    with suspension ``sorted_num`` tells how many records of each queue are in the result.

    Raises:
        TypeError: neither form takes these arguments.
    """
    op = TABLE["mrg_sort"]
    info = options.get("params", args[0] if args else None)
    sorted_num: Any = None
    if not isinstance(info, MrgSort4Info):
        values = named(op, _LISTED, args, options)
        missing = [name for name in _LISTED[:4] if name not in values]
        if missing:
            raise TypeError(f"{op.name}: found no {missing[0]}, expected a MrgSort4Info or {', '.join(_LISTED)}")
        check_value(f"{op.name}: repeat_time", values["repeat_time"], _REPEATS)
        sorted_num = values["sorted_num"]
        info = MrgSort4Info(
            values["element_count_list"], bool(values.get("is_exhausted_suspension", False)), values["valid_bit"],
            values["repeat_time"],
        )  # fmt: skip
    taken = _merge(op, dst, sort_list, info)
    if info.if_exhausted_suspension and sorted_num is not None:
        for place, count in enumerate(taken[: len(sorted_num)]):
            sorted_num[place] = count


def _merge(op: Op, dst: LocalTensor, queues: MrgSortSrcList, info: MrgSort4Info) -> Sequence[int]:
    if not isinstance(queues, MrgSortSrcList):
        raise TypeError(f"{op.name}: {op.tensors[1]}: found {type(queues).__name__}, expected a MrgSortSrcList")
    given = (queues.src1, queues.src2, queues.src3, queues.src4)
    sources = [queue for queue in given if queue is not None][: sorting.QUEUES.get(int(info.valid_bit), 4)]
    core = core_of(op, dst)
    check_operands(op.name, {f"src{place}": queue for place, queue in enumerate(sources, 1)})
    lengths = tuple(int(info.element_lengths[place]) for place in range(len(info.element_lengths)))
    shape = sorting.Merge(lengths, int(info.valid_bit), int(info.repeat_times), bool(info.if_exhausted_suspension))
    return sorting.merge(core, here(3), op, dst, sources, shape)


def get_mrg_sort_result() -> tuple[Any, Any, Any, Any]:
    """How many records of each of four queues the last mrg_sort has put into its result."""
    one, two, three, four = (INTEGERS[dtypes.uint16](count) for count in running().registers.merged)
    return one, two, three, four


def get_sort_len(elem_count: int) -> Any:
    """float32 elements of that many records."""
    return INTEGERS[dtypes.uint32].wrap(int(elem_count) * _FLOATS)


def get_sort_offset(elem_offset: int) -> Any:
    """float32 elements in front of a record."""
    return INTEGERS[dtypes.uint32].wrap(int(elem_offset) * _FLOATS)


def mrg_sort4(dst: LocalTensor, src: MrgSortSrcList, params: MrgSort4Info) -> None:
    """Merge queues of region proposals: an instruction of older chips.

    Raises:
        NotImplementedError: always; no chip here has it.
    """
    _merge(TABLE["mrg_sort4"], dst, src, params)


def rp_sort16(dst: LocalTensor, src: LocalTensor, repeat_time: int) -> None:
    """Sort region proposals: an instruction of older chips.

    Raises:
        NotImplementedError: always; no chip here has it.
    """
    del repeat_time
    _refuse(TABLE["rp_sort16"], dst, src)


def proposal_concat(dst: LocalTensor, src: LocalTensor, repeat_time: int, mode_number: int) -> None:
    """Put elements into region proposals: an instruction of older chips.

    Raises:
        NotImplementedError: always; no chip here has it.
    """
    del repeat_time, mode_number
    _refuse(TABLE["proposal_concat"], dst, src)


def proposal_extract(dst: LocalTensor, src: LocalTensor, repeat_time: int, mode_number: int) -> None:
    """Take elements out of region proposals: an instruction of older chips.

    Raises:
        NotImplementedError: always; no chip here has it.
    """
    del repeat_time, mode_number
    _refuse(TABLE["proposal_extract"], dst, src)


def _refuse(op: Op, dst: LocalTensor, src: LocalTensor) -> None:
    op.check_types(core_of(op, dst, src), (dst.dtype, src.dtype))
