"""The two call forms of a vector instruction: ``…, count`` and ``…, mask, repeat_times, repeat_params``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from cannery.aicore.registers import Registers
from cannery.asc.tensors import LocalTensor
from cannery.asc.vector.issue import Operand
from cannery.asc.vector.lanes import lanes, pattern_of, stretch


class Form(NamedTuple):
    """A call's addressing: contiguous elements, or a mask with repeats and strides."""

    elements: int | None
    mask: Any = 0
    repeats: int = 0
    params: Any = None
    is_set_mask: bool = True


_COUNTED = ("count", "is_set_mask")
_MASKED = ("mask", "repeat_times", "repeat_params", "is_set_mask")


def form_of(name: str, args: Sequence[Any], options: dict[str, Any], default: Any) -> Form:
    """Read the addressing arguments of a call; ``default`` makes the repeat parameters when none are given.

    Raises:
        TypeError: neither form takes these arguments.
    """
    if not options and len(args) == 1 and isinstance(args[0], int):
        return Form(args[0])
    counted = "count" in options or len(args) == 1 or (len(args) == 2 and isinstance(args[1], bool))
    names = _COUNTED if counted else _MASKED
    values = dict(zip(names, args, strict=False)) | options
    unknown = [key for key in values if key not in names]
    if unknown or len(args) > len(names) or (not values):
        raise TypeError(f"{name}: found {sorted(values) or 'no'} arguments, expected {' or '.join(map(str, names))}")
    if counted:
        return Form(values["count"], is_set_mask=values.get("is_set_mask", True))
    params = values.get("repeat_params") or default()
    return Form(None, values.get("mask"), int(values.get("repeat_times", 1)), params, values.get("is_set_mask", True))


def operands(
    registers: Registers, form: Form, tensors: Sequence[LocalTensor], strides: Sequence[tuple[str, str]]
) -> list[Operand]:
    """Each tensor with its lanes; ``strides`` names the fields of the repeat parameters for each."""
    if form.elements is not None:
        count = int(form.elements)
        registers.count_form_used()
        return [(tensor, stretch(count, tensor.dtype.size)) for tensor in tensors]
    wide = max(tensor.dtype.size for tensor in tensors)
    pattern = pattern_of(registers, form.mask, form.repeats, wide, form.is_set_mask)
    if form.is_set_mask and not registers.counter_mode:
        registers.mask_low, registers.mask_high = pattern.bits & (1 << 64) - 1, pattern.bits >> 64
    return [
        (tensor, lanes(pattern, wide, tensor.dtype.size, getattr(form.params, blk), getattr(form.params, rep)))
        for tensor, (blk, rep) in zip(tensors, strides, strict=True)
    ]


DST = ("dst_blk_stride", "dst_rep_stride")
SRC = ("src_blk_stride", "src_rep_stride")
SRC0 = ("src0_blk_stride", "src0_rep_stride")
SRC1 = ("src1_blk_stride", "src1_rep_stride")
