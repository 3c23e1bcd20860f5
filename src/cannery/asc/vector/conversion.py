"""cast, cast_deq and what they share: the dequantisation scale; instructions that compute and convert."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from cannery.asc.context import here, running
from cannery.asc.enums import RoundMode
from cannery.asc.tensors import LocalTensor, check_operands, core_of
from cannery.asc.vector.forms import addressing_of
from cannery.isa import convert
from cannery.isa.op import Op
from cannery.isa.table import TABLE

__all__ = ["cast", "cast_deq", "set_deq_scale"]

_CAST: Final = TABLE["cast"]
_DEQ: Final = TABLE["cast_deq"]


def cast(dst: LocalTensor, src: LocalTensor, round_mode: RoundMode, *args: Any, **options: Any) -> None:
    """Convert elements: ``cast(dst, src, round_mode, count | mask, repeat_times, repeat_params, is_set_mask=True)``.

    Masks and repeats are counted in the wider of the two types.

    Raises:
        TypeError, ValueError: the chip has no such conversion, or not with that mode.
    """
    addressing = addressing_of(_CAST, args, options, _CAST.operands)
    convert.cast(core_of(_CAST, dst, src), here(), _CAST, dst, src, RoundMode(round_mode), addressing)


def cast_deq(dst: LocalTensor, src: LocalTensor, *args: Any, **options: Any) -> None:
    """Convert with the scale of set_deq_scale: int32 to half, int16 to bytes.

    ``…, count | mask, repeat_times, repeat_params, is_set_mask=True`` and then ``is_vec_deq=True, half_block=True``:
    a scaling for each of 16 lanes, out of the tensor given to set_deq_scale; the 16 bytes of a block of the source
    go to the last half of a block, otherwise to the first.

    Raises:
        TypeError, ValueError: types that it has not, or no scaling of that kind.
    """
    values = [options.pop(name, None) for name in ("is_vec_deq", "half_block")]
    plain, extra = _split(args, options)
    by_lane, last = (one if one is not None else other for one, other in zip(values, extra, strict=True))
    addressing = addressing_of(_DEQ, plain, options, _DEQ.operands)
    core = core_of(_DEQ, dst, src)
    convert.dequantised(core, here(), _DEQ, dst, src, addressing, by_lane=bool(by_lane), last_half=bool(last))


def _split(args: Sequence[Any], options: Mapping[str, Any]) -> tuple[tuple[Any, ...], tuple[bool, bool]]:
    """The addressing arguments, and the two flags behind them."""
    masked = len(args) > 1 and not isinstance(args[1], bool)
    ahead = 4 if masked else 1
    if not args or "count" in options:
        ahead = 0
    flags = [*args[ahead:], True, True][:2]
    return tuple(args[:ahead]), (bool(flags[0]), bool(flags[1]))


def set_deq_scale(*args: Any, **options: Any) -> None:
    """The scale of later conversions.

    ``scale``: a half, of int32 → half; ``scale, offset, sign_mode``: of cast_deq to bytes; ``vdeq, VdeqInfo``: the same
    for each of 16 lanes, stored in 128 bytes of UB.

    Raises:
        TypeError: none of these forms.
    """
    values = dict(zip(_FORMS[_form(args, options)], args, strict=False)) | options
    core = running()
    if "vdeq" in values:
        info, vector = values["vdeq_info"], values["vdeq"]
        check_operands("set_deq_scale", {"vdeq": vector})
        scalings = [
            convert.Scaling(float(scale), int(offset), bool(sign))
            for scale, offset, sign in zip(info.scale, info.offset, info.sign_mode, strict=True)
        ]
        convert.set_scale_vector(core, here(), TABLE["set_deq_scale"], vector, scalings)
        return
    if "offset" in values:
        scaling = convert.Scaling(float(values["scale"]), int(values["offset"]), bool(values["sign_mode"]))
        core.registers.deq_word, core.registers.deq_vector = scaling.word(), None
        return
    core.registers.deq_scale = float(np.float16(values["scale"]))


def _form(args: Sequence[Any], options: Mapping[str, Any]) -> int:
    count = len(args) + len(options)
    if count not in _FORMS or not set(options) <= set(_FORMS[count]):
        found = ", ".join([*(type(arg).__name__ for arg in args), *options])
        raise TypeError(f"set_deq_scale: found {found}, expected {' or '.join(map(', '.join, _FORMS.values()))}")
    return count


_FORMS: Final = MappingProxyType({1: ("scale",), 3: ("scale", "offset", "sign_mode"), 2: ("vdeq", "vdeq_info")})


def _binary(op: Op, function: Callable[..., None]) -> Callable[..., None]:
    """``f(dst, src0, src1, count | mask, repeat_times, repeat_params, is_set_mask=True)``."""

    def call(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None:
        addressing = addressing_of(op, args, options, op.operands)
        function(core_of(op, dst, src0, src1), here(), op, (dst, src0, src1), addressing)

    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = f"{op.name}: {_binary.__doc__}"
    return call


_FUNCTIONS: Final = MappingProxyType({"combined": convert.combined, "dequantised_sum": convert.dequantised_sum})
CALLS: Final = MappingProxyType(
    {op.name: _binary(op, _FUNCTIONS[op.form]) for op in TABLE.values() if op.form in _FUNCTIONS}
)
