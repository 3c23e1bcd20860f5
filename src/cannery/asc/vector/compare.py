"""compare and select: bit strings, little-endian in their bytes
(hicann/asc-devkit docs, comparison and selection, @82b89a15f263).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

import numpy as np

from cannery.aicore.instruction import CONSUME, Access, Instruction
from cannery.aicore.pipes import V
from cannery.asc.context import here, running
from cannery.asc.dtypes import DataType, float16, float32, int32, uint8
from cannery.asc.enums import CMPMODE, SelMode
from cannery.asc.params import BinaryRepeatParams, UnaryRepeatParams
from cannery.asc.tensors import LocalTensor
from cannery.asc.vector.elementwise import as_element
from cannery.asc.vector.forms import DST, SRC, SRC0, SRC1, Form, form_of, operands
from cannery.asc.vector.issue import Operand, gather, require, scatter
from cannery.asc.vector.lanes import REPEAT, Lanes, Pattern, access, lanes, stretch

_TYPES: Final = frozenset({float16, float32, int32})
_M = CMPMODE
_RELATIONS: Final = MappingProxyType(
    {
        _M.LT: np.less, _M.GT: np.greater, _M.EQ: np.equal, _M.LE: np.less_equal, _M.GE: np.greater_equal,
        _M.NE: np.not_equal,
    }
)  # fmt: skip


def compare(dst: LocalTensor, src0: LocalTensor, src1: Any, *args: Any, **options: Any) -> None:
    """``compare(dst, src0, src1, cmp_mode, count | mask, repeat_times, repeat_params)``: one bit an element.

    ``compare(src0, src1, cmp_mode, mask, repeat_params)`` leaves one repeat's bits in the compare mask register.
    The mask is ignored on A2/A3.
    """
    if not isinstance(src1, LocalTensor):
        _compare_register(dst, src0, CMPMODE(src1), args, options)
        return
    mode, args = _mode(args, options)
    _check(src0, src1, mode)
    form = form_of("compare", args, options, BinaryRepeatParams)
    sources = _unmasked(form, (src0, src1), (SRC0, SRC1))
    _issue("compare", dst, sources, _bits(_RELATIONS[mode]))


def compare_scalar(dst: LocalTensor, src0: LocalTensor, src1_scalar: Any, *args: Any, **options: Any) -> None:
    """As compare, with a scalar on the right."""
    mode, args = _mode(args, options)
    _check(src0, src0, mode)
    form = form_of("compare_scalar", args, options, UnaryRepeatParams)
    element = as_element(src1_scalar, src0.dtype)
    relation = _RELATIONS[mode]
    _issue("compare_scalar", dst, _unmasked(form, (src0,), (SRC,)), _bits(lambda x: relation(x, element)))


def _mode(args: tuple[Any, ...], options: dict[str, Any]) -> tuple[CMPMODE, tuple[Any, ...]]:
    if "cmp_mode" in options:
        return CMPMODE(options.pop("cmp_mode")), args
    return CMPMODE(args[0]), args[1:]


def _check(src0: LocalTensor, src1: LocalTensor, mode: CMPMODE) -> None:
    dtype: DataType = require("compare", (src0, src1), _TYPES)
    if dtype == int32 and mode != CMPMODE.EQ:
        raise TypeError(f"compare: found int32 with {mode.name}, expected EQ, half or float")


def _unmasked(form: Form, tensors: tuple[LocalTensor, ...], strides: Any) -> list[Operand]:
    if form.elements is not None:
        return [(tensor, stretch(int(form.elements), tensor.dtype.size)) for tensor in tensors]
    full = Pattern(form.repeats, (1 << REPEAT // tensors[0].dtype.size) - 1)
    size = tensors[0].dtype.size
    return [
        (tensor, lanes(full, size, size, getattr(form.params, blk), getattr(form.params, rep)))
        for tensor, (blk, rep) in zip(tensors, strides, strict=True)
    ]


def _bits(relation: Any) -> Any:
    return lambda *values: np.packbits(relation(*values), bitorder="little")


def _issue(name: str, dst: LocalTensor, sources: list[Operand], compute: Any) -> None:
    count = sources[0][1].number
    if not count:
        return
    target = dst.reinterpret_cast(uint8)
    region = stretch(-(-count // 8), 1)

    def effect() -> None:
        scatter(target, region, compute(*[gather(*source) for source in sources]))

    reads = tuple(access(*source) for source in sources)
    dst.owner.core.issue(Instruction(name, V, reads, (access(target, region),), here(3), effect, (), CONSUME))


def _compare_register(src0: LocalTensor, src1: LocalTensor, mode: CMPMODE, args: Any, options: Any) -> None:
    _check(src0, src1, mode)
    params = options.get("repeat_params", args[1] if len(args) > 1 else BinaryRepeatParams())
    sources = _unmasked(Form(None, 0, 1, params), (src0, src1), (SRC0, SRC1))
    registers = src0.owner.core.registers
    relation = _bits(_RELATIONS[mode])

    def effect() -> None:
        registers.compare_mask = relation(*[gather(*source) for source in sources]).tobytes().ljust(16, b"\0")

    reads = tuple(access(*source) for source in sources)
    src0.owner.core.issue(Instruction("compare", V, reads, (), here(3), effect, (), CONSUME))


def get_cmp_mask(dst: LocalTensor) -> None:
    """Store the compare mask register, 16 bytes."""
    core = dst.owner.core

    def effect() -> None:
        memory = dst.owner.memory
        memory.data[dst.addr : dst.addr + 16] = np.frombuffer(core.registers.compare_mask, np.uint8)

    core.issue(Instruction("get_cmp_mask", V, (), (dst.access(0, 16),), here(), effect))


def set_cmp_mask(src: LocalTensor) -> None:
    """Load the compare mask register, 16 bytes."""
    core = src.owner.core

    def effect() -> None:
        core.registers.compare_mask = src.owner.memory.data[src.addr : src.addr + 16].tobytes()

    core.issue(Instruction("set_cmp_mask", V, (src.access(0, 16),), (), here(), effect, (), CONSUME))


def select(
    dst: LocalTensor, sel_mask: LocalTensor, src0: LocalTensor, src1: Any, sel_mode: SelMode, *args: Any, **options: Any
) -> None:
    """``select(dst, sel_mask, src0, src1, sel_mode, count | mask, repeat_times, repeat_params)``: bit 1 takes src0.

    Mode 0 uses the same bits in every repeat, modes 1 (scalar src1) and 2 consecutive ones.

    Raises:
        NotImplementedError: the forms that use the compare mask register.
    """
    if not isinstance(sel_mode, int) or (isinstance(src1, int) and not isinstance(sel_mode, SelMode)):
        raise NotImplementedError(f"select with the compare mask register on {running().soc.name} is not simulated")
    tensors = (dst, src0, src1) if isinstance(src1, LocalTensor) else (dst, src0)
    require("select", tensors, frozenset({float16, float32}))
    strides = (DST, SRC0, SRC1)[: len(tensors)]
    form = form_of("select", args, options, BinaryRepeatParams)
    target, *sources = operands(dst.owner.core.registers, form, tensors, strides)
    if not target[1].number:
        return
    per_repeat = REPEAT // dst.dtype.size
    same = SelMode(sel_mode) == SelMode.VSEL_CMPMASK_SPR
    ordinals = _bit_numbers(form, target[1], per_repeat, same)
    bits = sel_mask.reinterpret_cast(uint8)
    region = stretch(int(ordinals.max()) // 8 + 1, 1)
    other = None if isinstance(src1, LocalTensor) else as_element(src1, dst.dtype)

    def effect() -> None:
        flags = np.unpackbits(np.asarray(gather(bits, region)), bitorder="little")[ordinals].astype(bool)
        values = [gather(*source) for source in sources]
        scatter(*target, np.where(flags, values[0], values[1] if other is None else other))

    reads: tuple[Access, ...] = (*[access(*source) for source in sources], access(bits, region))
    dst.owner.core.issue(Instruction("select", V, reads, (access(*target),), here(), effect))


def _bit_numbers(form: Form, target: Lanes, per_repeat: int, same: bool) -> np.ndarray[Any, Any]:
    """Which bit of the mask belongs to each active lane."""
    if form.elements is not None:
        numbers = np.arange(target.number)
    else:
        active = target.number // max(form.repeats, 1)
        lane = _active_lanes(form, per_repeat, active)
        numbers = (np.arange(form.repeats)[:, None] * per_repeat + lane).reshape(-1)[: target.number]
    return numbers % per_repeat if same else numbers


def _active_lanes(form: Form, per_repeat: int, active: int) -> np.ndarray[Any, Any]:
    if isinstance(form.mask, (list, tuple)):
        words = [int(word) for word in form.mask]
        bits = words[0] | (words[1] << 64 if len(words) > 1 else 0)
        return np.array([lane for lane in range(per_repeat) if bits >> lane & 1])
    return np.arange(active)
