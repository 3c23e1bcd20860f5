"""Reductions, made from the table; each family has its order of arguments (hicann/pyasc @cecba26ace65)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from cannery.asc.context import here
from cannery.asc.enums import ReduceOrder
from cannery.asc.tensors import LocalTensor, core_of
from cannery.asc.vector.forms import count_or
from cannery.isa import reduce as isa
from cannery.isa.op import Op
from cannery.isa.operands import Addressing
from cannery.isa.table import ROWS

Call = Callable[..., None]


def _addressing(mask: Any, repeats: int, blk: int, rep: int, set_mask: bool = True) -> Addressing:
    return Addressing(None, mask, int(repeats), ((int(blk), int(rep)),), set_mask)


def _repeat(op: Op) -> Call:
    """One result a repeat, ``dst_rep_stride`` elements apart."""

    def call(
        dst: LocalTensor, src: LocalTensor, mask: Any, repeat_time: int, dst_rep_stride: int, src_blk_stride: int,
        src_rep_stride: int, is_set_mask: bool = True,
    ) -> None:  # fmt: skip
        addressing = _addressing(mask, repeat_time, src_blk_stride, src_rep_stride, is_set_mask)
        isa.reduce_repeat(core_of(op, dst, src), here(), op, dst, src, addressing, int(dst_rep_stride))

    return call


def _repeat_first(op: Op) -> Call:
    """As whole_reduce_sum, with another order of arguments; ``dst_blk_stride`` is unused."""

    def call(
        dst: LocalTensor, src: LocalTensor, repeat_time: int, mask: Any, dst_blk_stride: int, src_blk_stride: int,
        dst_rep_stride: int, src_rep_stride: int, is_set_mask: bool = True,
    ) -> None:  # fmt: skip
        del dst_blk_stride
        addressing = _addressing(mask, repeat_time, src_blk_stride, src_rep_stride, is_set_mask)
        isa.reduce_repeat(core_of(op, dst, src), here(), op, dst, src, addressing, int(dst_rep_stride))

    return call


def _best_of_repeat(op: Op) -> Call:
    """The best value of each repeat, and its lane, in the order asked for."""

    def call(
        dst: LocalTensor, src: LocalTensor, mask: Any, repeat_time: int, dst_rep_stride: int, src_blk_stride: int,
        src_rep_stride: int, order: ReduceOrder = ReduceOrder.ORDER_VALUE_INDEX, is_set_mask: bool = True,
    ) -> None:  # fmt: skip
        addressing = _addressing(mask, repeat_time, src_blk_stride, src_rep_stride, is_set_mask)
        fields = ReduceOrder(order)
        isa.best_of_repeat(core_of(op, dst, src), here(), op, dst, src, addressing, int(dst_rep_stride), fields)

    return call


def _block(op: Op) -> Call:
    """One result for each block of 32 bytes; 8 results a repeat, a block fully masked off is left alone."""

    def call(
        dst: LocalTensor, src: LocalTensor, repeat: int, mask: Any, dst_rep_stride: int, src_blk_stride: int,
        src_rep_stride: int,
    ) -> None:  # fmt: skip
        addressing = _addressing(mask, repeat, src_blk_stride, src_rep_stride)
        isa.reduce_block(core_of(op, dst, src), here(), op, dst, src, addressing, int(dst_rep_stride))

    return call


def _pair(op: Op) -> Call:
    """One result for each two active lanes that follow each other; ``dst_rep_stride`` in units of 128 bytes."""

    def call(
        dst: LocalTensor, src: LocalTensor, repeat_time: int, mask: Any, dst_rep_stride: int, src_blk_stride: int,
        src_rep_stride: int, is_set_mask: bool = True,
    ) -> None:  # fmt: skip
        addressing = _addressing(mask, repeat_time, src_blk_stride, src_rep_stride, is_set_mask)
        isa.reduce_pair(core_of(op, dst, src), here(), op, dst, src, addressing, int(dst_rep_stride))

    return call


def _whole(op: Op, args: Sequence[Any], options: Mapping[str, Any]) -> Addressing:
    values = count_or(op, ("mask", "repeat_time", "src_rep_stride"), args, options)
    if "count" in values:
        return Addressing(int(values["count"]))
    return _addressing(values["mask"], values["repeat_time"], 1, values["src_rep_stride"])


def _sum_of_tensor(op: Op) -> Call:
    """``dst[0]`` = the sum: ``…, count`` or ``…, mask, repeat_time, src_rep_stride``. The workspace is overwritten."""

    def call(dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, *args: Any, **options: Any) -> None:
        isa.sum_of_tensor(core_of(op, dst, src), here(), op, dst, src, shared_tmp_buffer, _whole(op, args, options))

    return call


def _best_of_tensor(op: Op) -> Call:
    """``dst[0]`` = the best value; with ``cal_index`` dst[1] = the bits of its index. First occurrence wins."""

    def call(dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, *args: Any, **options: Any) -> None:
        indexed = bool(options.pop("cal_index", False))
        if args and isinstance(args[-1], bool):
            indexed, args = args[-1], args[:-1]
        core = core_of(op, dst, src)
        isa.best_of_tensor(core, here(), op, dst, src, shared_tmp_buffer, _whole(op, args, options), indexed)

    return call


_ORDERS: Final[Mapping[str, Callable[[Op], Call]]] = MappingProxyType(
    {
        "reduce_repeat": _repeat,
        "best_of_repeat": _best_of_repeat,
        "reduce_block": _block,
        "reduce_pair": _pair,
        "sum_of_tensor": _sum_of_tensor,
        "best_of_tensor": _best_of_tensor,
    }
)
_OWN_ORDER: Final[Mapping[str, Callable[[Op], Call]]] = MappingProxyType({"repeat_reduce_sum": _repeat_first})


def spelled(op: Op) -> Call:
    """A reduction of the table as a function of ``asc``."""
    order = _OWN_ORDER.get(op.name) or _ORDERS[op.form]
    call = order(op)
    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = f"{op.name}: {order.__doc__}"
    return call


CALLS: Final = MappingProxyType({op.name: spelled(op) for op in ROWS if op.form in _ORDERS})
