"""The two call forms of a vector instruction: ``…, count`` and ``…, mask, repeat_times, repeat_params``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

from cannery.asc.params import BinaryRepeatParams, UnaryRepeatParams
from cannery.isa.op import Op
from cannery.isa.operands import Addressing

_COUNTED = ("count", "is_set_mask")
_MASKED = ("mask", "repeat_times", "repeat_params", "is_set_mask")
_MASKING = frozenset(_MASKED[:3])


def addressing_of(op: Op, args: Sequence[Any], options: dict[str, Any], operands: tuple[str, ...]) -> Addressing:
    """Read the addressing arguments of a call; ``operands``: those that have strides of their own.

    Raises:
        TypeError: neither form takes these arguments.
    """
    if not options and len(args) == 1 and isinstance(args[0], int):
        return Addressing(int(args[0]))
    if not options and len(args) == 3:
        return _masked(args[0], args[1], args[2], True, operands)
    if not _is_masked(args, options):
        values = named(op, _COUNTED, args, options)
        if "count" not in values:
            raise TypeError(f"{op.name}: found no count, expected {' or '.join(map(str, (_COUNTED, _MASKED)))}")
        return Addressing(int(values["count"]), set_mask=values.get("is_set_mask", True))
    values = named(op, _MASKED, args, options)
    set_mask = values.get("is_set_mask", True)
    if "mask" not in values and set_mask:
        raise TypeError(f"{op.name}: found no mask, expected {', '.join(_MASKED)}")
    params, repeats = values.get("repeat_params"), values.get("repeat_times", 1)
    return _masked(values.get("mask"), repeats, params, set_mask, operands)


def _is_masked(args: Sequence[Any], options: Mapping[str, Any]) -> bool:
    """Which form is meant: a keyword of its own tells, a list, or a second number by position."""
    if "count" in options:
        return False
    by_position = len(args) > 2 or (len(args) == 2 and not isinstance(args[1], bool))
    return bool(_MASKING & options.keys()) or by_position or (bool(args) and isinstance(args[0], (list, tuple)))


def named(op: Op, names: Sequence[str], args: Sequence[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by name, of one form of a call.

    Raises:
        TypeError: the form has no such argument, or one is given twice.
    """
    values = dict(zip(names, args, strict=False))
    odd = [key for key in options if key not in names or key in values]
    if odd or len(args) > len(names):
        what = f"argument {odd[0]}" if odd else f"{len(args)} arguments by position"
        raise TypeError(f"{op.name}: found {what}, expected {', '.join(names)}, each once")
    return values | dict(options)


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


def count_or(op: Op, names: Sequence[str], args: Sequence[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by name: of the form that takes ``count`` alone, or of the one that takes ``names``.

    Raises:
        TypeError: neither form takes these arguments.
    """
    counted = "count" in options or (len(args) == 1 and not set(names) & options.keys())
    values = named(op, ("count",) if counted else names, args, options)
    missing = [] if counted else [name for name in names if name not in values and name != "is_set_mask"]
    if missing:
        raise TypeError(f"{op.name}: found no {missing[0]}, expected count or {', '.join(names)}")
    return values
