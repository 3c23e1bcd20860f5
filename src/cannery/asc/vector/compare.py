"""compare and select (argument orders as in hicann/pyasc @cecba26ace65)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from cannery.asc.context import here, running
from cannery.asc.enums import CMPMODE, SelMode
from cannery.asc.params import BinaryRepeatParams
from cannery.asc.tensors import LocalTensor, check_operands, core_of
from cannery.asc.vector.forms import addressing_of, strides
from cannery.isa import compare as isa
from cannery.isa.operands import Addressing
from cannery.isa.table import TABLE

__all__ = ["compare", "compare_scalar", "get_cmp_mask", "select", "set_cmp_mask"]

_COMPARE: Final = TABLE["compare"]
_SOURCES: Final = ("src0", "src1")


def compare(dst: LocalTensor, src0: LocalTensor, src1: Any = None, *args: Any, **options: Any) -> None:
    """``compare(dst, src0, src1, cmp_mode, count | mask, repeat_times, repeat_params)``: one bit an element.

    ``compare(src0, src1, cmp_mode, mask, repeat_params)`` leaves one repeat's bits in the compare mask register.
    The mask is ignored on A2/A3.
    """
    if not isinstance(src1, LocalTensor):
        check_operands("compare", {"src0": dst, "src1": src0})
        given = args if src1 is None else (src1, *args)
        mode, rest = _mode(given, options)
        _compare_register(dst, src0, mode, rest, options)
        return
    mode, args = _mode(args, options)
    addressing = addressing_of(_COMPARE, args, options, _SOURCES)
    isa.compare(core_of(_COMPARE, dst, src0, src1), here(), _COMPARE, dst, (src0, src1), mode, addressing)


def compare_scalar(dst: LocalTensor, src0: LocalTensor, src1_scalar: Any, *args: Any, **options: Any) -> None:
    """As compare, with a scalar on the right."""
    op = TABLE["compare_scalar"]
    mode, args = _mode(args, options)
    addressing = addressing_of(op, args, options, ("src",))
    isa.compare(core_of(op, dst, src0), here(), op, dst, (src0,), mode, addressing, src1_scalar)


def _mode(args: tuple[Any, ...], options: dict[str, Any]) -> tuple[CMPMODE, tuple[Any, ...]]:
    if "cmp_mode" in options:
        return CMPMODE(options.pop("cmp_mode")), args
    return CMPMODE(args[0]), args[1:]


def _compare_register(
    src0: LocalTensor, src1: LocalTensor, mode: CMPMODE, args: Sequence[Any], options: dict[str, Any]
) -> None:
    params = options.get("repeat_params", args[1] if len(args) > 1 else BinaryRepeatParams())
    addressing = Addressing(None, 0, 1, strides(params, _SOURCES))
    isa.compare_to_register(src0.owner.core, here(), _COMPARE, (src0, src1), mode, addressing)


def get_cmp_mask(dst: LocalTensor) -> None:
    """Store the compare mask register, 16 bytes."""
    isa.get_compare_mask(dst.owner.core, here(), TABLE["get_cmp_mask"], dst)


def set_cmp_mask(src: LocalTensor) -> None:
    """Load the compare mask register, 16 bytes."""
    isa.set_compare_mask(src.owner.core, here(), TABLE["set_cmp_mask"], src)


def select(
    dst: LocalTensor, sel_mask: LocalTensor, src0: LocalTensor, src1: Any, sel_mode: SelMode | BinaryRepeatParams,
    *args: Any, **options: Any,
) -> None:  # fmt: skip
    """``select(dst, sel_mask, src0, src1, sel_mode, count | mask, repeat_times, repeat_params)``: bit 1 takes src0.

    Mode 0 uses the same bits in every repeat, modes 1 (scalar src1) and 2 consecutive ones.

    ``select(dst, src0, src1, repeat_times, repeat_params, sel_mode)``: mode 0 with the compare mask register.

    Raises:
        NotImplementedError: the other forms with the compare mask register.
    """
    if isinstance(sel_mode, BinaryRepeatParams) and args and SelMode(args[0]) == SelMode.VSEL_CMPMASK_SPR:
        addressing = Addressing(None, 0, int(src1), strides(sel_mode, ("dst", *_SOURCES)), set_mask=False)
        op, pair = TABLE["select"], (sel_mask, src0)
        isa.select_by_register(core_of(op, dst, *pair), here(), op, dst, pair, addressing)
        return
    if not isinstance(sel_mode, int) or (isinstance(src1, int) and not isinstance(sel_mode, SelMode)):
        raise NotImplementedError(f"select with the compare mask register on {running().soc.name} is not simulated")
    op = TABLE["select"]
    two = isinstance(src1, LocalTensor)
    addressing = addressing_of(op, args, options, ("dst", "src0", "src1") if two else ("dst", "src0"))
    sources, scalar = ((src0, src1), None) if two else ((src0,), src1)
    isa.select(
        core_of(op, dst, sel_mask, *sources), here(), op, dst, sel_mask, sources, SelMode(sel_mode), addressing, scalar
    )
