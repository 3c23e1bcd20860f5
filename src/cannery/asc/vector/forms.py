"""The two call forms of a vector instruction: ``…, count`` and ``…, mask, repeat_times, repeat_params``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from operator import attrgetter
from typing import Any

from cannery.asc.params import BinaryRepeatParams, UnaryRepeatParams
from cannery.isa.op import Op
from cannery.isa.operands import Addressing

_COUNTED = ("count", "is_set_mask")
_MASKED = ("mask", "repeat_times", "repeat_params", "is_set_mask")


def addressing_of(op: Op, args: Sequence[Any], options: dict[str, Any], operands: tuple[str, ...]) -> Addressing:
    """Read the addressing arguments of a call; ``operands``: those that have strides of their own.

    Raises:
        TypeError: neither form takes these arguments.
    """
    if not options and len(args) == 1 and isinstance(args[0], int):
        return Addressing(int(args[0]))
    if not options and len(args) == 3:
        return _masked(args[0], args[1], args[2], True, operands)
    counted = "count" in options or len(args) == 1 or (len(args) == 2 and isinstance(args[1], bool))
    names = _COUNTED if counted else _MASKED
    values = dict(zip(names, args, strict=False)) | options
    unknown = [key for key in values if key not in names]
    if unknown or len(args) > len(names) or (not values):
        raise TypeError(f"{op.name}: found {sorted(values) or 'no'} arguments, expected {' or '.join(map(str, names))}")
    set_mask = values.get("is_set_mask", True)
    if counted:
        return Addressing(int(values["count"]), set_mask=set_mask)
    params, repeats = values.get("repeat_params"), values.get("repeat_times", 1)
    return _masked(values.get("mask"), repeats, params, set_mask, operands)


def _masked(mask: Any, repeats: Any, params: Any, set_mask: bool, operands: tuple[str, ...]) -> Addressing:
    chosen = params or (BinaryRepeatParams() if "src0" in operands else UnaryRepeatParams())
    return Addressing(None, mask, int(repeats), strides(chosen, operands), set_mask)


def strides(params: Any, operands: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """The strides of operands, by their names in the repeat parameters."""
    values = _fields(operands)(params)
    return tuple(zip(values[::2], values[1::2], strict=True))


@cache
def _fields(operands: tuple[str, ...]) -> attrgetter[Any]:
    return attrgetter(*(f"{name}_{step}_stride" for name in operands for step in ("blk", "rep")))


def count_or(names: Sequence[str], args: Sequence[Any], options: dict[str, Any]) -> dict[str, Any]:
    """Arguments by name: of the form that takes ``count`` alone, or of the one that takes ``names``."""
    chosen = ("count",) if "count" in options or len(args) == 1 else names
    return dict(zip(chosen, args, strict=False)) | options
