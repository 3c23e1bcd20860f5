"""compare and select: bit strings, little-endian in their bytes
(hicann/asc-devkit docs, comparison and selection, @82b89a15f263).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import Instruction, Site
from cannery.aicore.pipes import V
from cannery.isa.dtypes import DataType, uint8, uint32
from cannery.isa.enums import CMPMODE, SelMode, TPosition
from cannery.isa.op import DAV_3510, REPEAT_TIMES, Op
from cannery.isa.operands import (
    REPEAT,
    Addressing,
    Lanes,
    Operand,
    access,
    counted,
    full,
    lane_numbers,
    lanes,
    operands,
    pattern_of,
    stretch,
)
from cannery.isa.reserved import held_scratch
from cannery.isa.tensors import Allocation, Local
from cannery.isa.types import COMPARED, SELECTORS
from cannery.isa.vector import gather, issue, scatter

Array = np.ndarray[Any, Any]
_M = CMPMODE
_RELATIONS: Final = MappingProxyType(
    {
        _M.LT: np.less, _M.GT: np.greater, _M.EQ: np.equal, _M.LE: np.less_equal, _M.GE: np.greater_equal,
        _M.NE: np.not_equal,
    }
)  # fmt: skip
_REGISTER_BYTES: Final = 16
_SCRATCH_ELEMENTS: Final = 32


def compare(
    core: Core, site: Site | None, op: Op, dst: Local, sources: Sequence[Local], mode: CMPMODE, addressing: Addressing,
    scalar: Any = None,
) -> None:  # fmt: skip
    """One bit an element: ``sources[0] ∘ sources[1]``, or ``∘ scalar``. Masks are ignored on A2/A3."""
    dtype = _checked(core, op, sources, mode, addressing)
    if dst.dtype not in COMPARED:
        raise TypeError(f"{op.name}: dst: found {dst.dtype}, expected {_names(COMPARED)}")
    regions = _unmasked(core, op, sources, addressing)
    count = regions[0][1].number
    if not count:
        return
    target = (dst.as_type(uint8), stretch(-(-count // 8), 1))
    bits = _bits(mode, () if len(sources) > 1 else (dtype.element(scalar),))

    def effect() -> None:
        scatter(*target, bits(*[gather(*source) for source in regions]))

    issue(core, site, op, regions, [target], effect)


def compare_to_register(
    core: Core, site: Site | None, op: Op, sources: Sequence[Local], mode: CMPMODE, addressing: Addressing
) -> None:
    """One repeat's bits into the compare mask register."""
    _checked(core, op, sources, mode, addressing)
    regions = _unmasked(core, op, sources, addressing)
    registers = core.registers
    bits = _bits(mode, ())

    def effect() -> None:
        found = bits(*[gather(*source) for source in regions]).tobytes()
        registers.compare_mask = found.ljust(_REGISTER_BYTES, b"\0")

    reads = tuple(access(*source) for source in regions)
    work = regions[0][1].number
    core.issue(Instruction(op.name, V, reads, (), site, effect, flow=op.flow, dtype=sources[0].dtype, work=work))


def _checked(core: Core, op: Op, sources: Sequence[Local], mode: CMPMODE, addressing: Addressing) -> DataType:
    dtype = sources[0].dtype
    op.check_types(core, (dtype, sources[-1].dtype), counted=addressing.elements is not None)
    types = op.types_on(core)
    modes = frozenset(CMPMODE) if types is None else types.modes[dtype, dtype]
    if mode not in modes:
        names = ", ".join(CMPMODE(one).name for one in sorted(modes))
        raise TypeError(f"{op.name}: found {dtype} with {mode.name}, expected {names}, half or float")
    return dtype


def _names(types: Iterable[DataType]) -> str:
    return " or ".join(sorted(map(str, types)))


def _unmasked(core: Core, op: Op, tensors: Sequence[Local], addressing: Addressing) -> list[Operand]:
    if addressing.elements is not None:
        count = _whole_repeats(core, counted(op, addressing), tensors[0].dtype.size)
        return [(tensor, stretch(count, tensor.dtype.size)) for tensor in tensors]
    size = tensors[0].dtype.size
    op.check_field(core, REPEAT_TIMES, addressing.repeats)
    op.check_strides(core, op.tensors[1:], addressing.strides)
    pattern = full(addressing.repeats, size)
    return [
        (tensor, lanes(pattern, size, size, *strides))
        for tensor, strides in zip(tensors, addressing.strides, strict=True)
    ]


def _whole_repeats(core: Core, count: int, size: int) -> int:
    """The elements that a comparison with a count looks at: on dav-2201 those of whole repeats only."""
    return count * size // REPEAT * REPEAT // size if core.soc.npu_arch != DAV_3510 else count


def _bits(mode: CMPMODE, right: tuple[Any, ...]) -> Callable[..., Array]:
    relation = _RELATIONS[mode]
    return lambda *values: np.packbits(relation(*values, *right), bitorder="little")


def get_compare_mask(core: Core, site: Site | None, op: Op, dst: Local) -> None:
    """Store the compare mask register, 16 bytes."""

    def effect() -> None:
        found = np.frombuffer(core.registers.compare_mask, np.uint8)
        dst.owner.memory.data[dst.addr : dst.addr + _REGISTER_BYTES] = found

    core.issue(Instruction(op.name, V, (), (dst.access(0, _REGISTER_BYTES),), site, effect, (), op.flow))


def set_compare_mask(core: Core, site: Site | None, op: Op, src: Local) -> None:
    """Load the compare mask register, 16 bytes."""

    def effect() -> None:
        core.registers.compare_mask = src.owner.memory.data[src.addr : src.addr + _REGISTER_BYTES].tobytes()

    core.issue(Instruction(op.name, V, (src.access(0, _REGISTER_BYTES),), (), site, effect, (), op.flow))


def select(
    core: Core, site: Site | None, op: Op, dst: Local, sel_mask: Local, sources: Sequence[Local], mode: SelMode,
    addressing: Addressing, scalar: Any = None,
) -> None:  # fmt: skip
    """Bit 1 takes ``sources[0]``, bit 0 ``sources[1]`` or the scalar.

    Mode 0 uses the same bits in every repeat, modes 1 (scalar) and 2 consecutive ones.
    """
    tensors = (dst, *sources)
    op.check_types(core, tuple(tensor.dtype for tensor in tensors), counted=addressing.elements is not None)
    if sel_mask.dtype not in SELECTORS:
        raise TypeError(f"{op.name}: sel_mask: found {sel_mask.dtype}, expected {_names(SELECTORS)}")
    target, *regions = operands(core, op, tensors, addressing)
    if not target[1].number:
        return
    per_repeat = REPEAT // dst.dtype.size
    ordinals = _bit_numbers(core, op, addressing, target[1].number, per_repeat)
    if mode == SelMode.VSEL_CMPMASK_SPR:
        ordinals = ordinals % per_repeat
    bits = (sel_mask.as_type(uint8), stretch(int(ordinals.max()) // 8 + 1, 1))
    other = () if len(sources) > 1 else (dst.dtype.element(scalar),)
    scratch = None if mode == SelMode.VSEL_CMPMASK_SPR else _held_scratch(core, site, op, dst.dtype, other)

    def effect() -> None:
        if scratch is not None:
            scatter(*scratch)
        flags = np.unpackbits(np.asarray(gather(*bits)), bitorder="little")[ordinals].astype(bool)
        scatter(*target, np.where(flags, *[gather(*source) for source in regions], *other))

    issue(core, site, op, [*regions, bits], [target], effect)


def _held_scratch(
    core: Core, site: Site | None, op: Op, dtype: DataType, scalar: tuple[Any, ...]
) -> tuple[Local, Lanes, Any] | None:
    """What modes 1 and 2 write for themselves over a tensor (`impl/basic_api/dav_c220`, cmpsel): the scalar, or the
    mask's address. None where no tensor reaches there.

    Raises:
        ValueError: the compiler reserves no UB for it.
    """
    kind, value = (dtype, scalar[0]) if scalar else (uint32, 0)
    region = stretch(_SCRATCH_ELEMENTS, kind.size)
    start = held_scratch(core, site, op, region.extent)
    if start is None:
        return None
    owner = Allocation(core, TPosition.VECCALC, start, region.extent, op.name)
    return Local(owner, start, kind, region.number), region, value


def select_by_register(
    core: Core, site: Site | None, op: Op, dst: Local, sources: Sequence[Local], addressing: Addressing
) -> None:
    """Mode 0 with the bits of the compare mask register, the same in every repeat; the mask is that of its register."""
    tensors = (dst, *sources)
    op.check_types(core, tuple(tensor.dtype for tensor in tensors), counted=False)
    target, *regions = operands(core, op, tensors, addressing)
    if not target[1].number:
        return
    per_repeat = REPEAT // dst.dtype.size
    ordinals = _bit_numbers(core, op, addressing, target[1].number, per_repeat) % per_repeat
    registers = core.registers

    def effect() -> None:
        bits = np.unpackbits(np.frombuffer(registers.compare_mask, np.uint8), bitorder="little")
        scatter(*target, np.where(bits[ordinals].astype(bool), *[gather(*source) for source in regions]))

    issue(core, site, op, regions, [target], effect)


def _bit_numbers(core: Core, op: Op, addressing: Addressing, number: int, per_repeat: int) -> Array:
    """Which bit of the mask belongs to each active lane: that of the lane's place in its repeat."""
    if addressing.elements is not None:
        return np.arange(number)
    pattern = pattern_of(core, op, addressing, REPEAT // per_repeat)
    lane = lane_numbers(pattern.bits, per_repeat)
    return (np.arange(pattern.repeats)[:, None] * per_repeat + lane).reshape(-1)[:number]
