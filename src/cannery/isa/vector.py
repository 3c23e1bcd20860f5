"""Lane-wise instructions: views where the lanes are one stretch, gathers where they are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import Instruction, Lookup, Runs, Site
from cannery.aicore.pipes import V
from cannery.isa.dtypes import float16
from cannery.isa.op import Op
from cannery.isa.operands import Addressing, Lanes, Operand, access, operands
from cannery.isa.overflow import guarded, is_looked_at
from cannery.isa.tensors import Local

Array = np.ndarray[Any, Any]
Compute = Callable[..., Any]


def lanewise(
    core: Core, site: Site | None, op: Op, tensors: Sequence[Local], addressing: Addressing, scalar: Any = None
) -> None:
    """Issue a row of the lane-wise family: ``tensors`` are its operands, ``scalar`` the number, if it has one.

    The scalar is converted to the source's element type first.

    Raises:
        TypeError: element types that the instruction has not.
        ValueError: a count, mask, repeat, stride or scalar beyond its limits.
    """
    op.check_types(core, tuple([tensor.dtype for tensor in tensors]), counted=addressing.elements is not None)
    target, *sources = operands(core, op, tensors, addressing)
    compute: Compute = op.compute
    if scalar is not None:
        op.check_amount(core, tensors[-1].dtype, scalar)
        compute = _with_scalar(compute, tensors[-1].dtype.element(scalar))
    is_finite = scalar is None or abs(scalar) != np.inf
    elementwise(core, site, op, compute, target, [*sources, target] if op.reads_dst else sources, is_finite)


def _with_scalar(compute: Compute, element: Any) -> Compute:
    return lambda x, *old: compute(x, element, *old)


def elementwise(
    core: Core, site: Site | None, op: Op, compute: Compute, dst: Operand, sources: Sequence[Operand],
    can_overflow: bool = True,
) -> None:  # fmt: skip
    """Issue ``dst = compute(*sources)``, lane by lane; ``compute`` gets and gives arrays.

    ``can_overflow``: an infinite result of finite sources is too large a number, not an infinite operand.
    """
    region = dst[1]
    if not region.number:
        return
    effect, args = _effect(compute, dst, sources)
    issue(core, site, op, sources, [dst], effect, args, can_overflow=can_overflow)


def issue(
    core: Core, site: Site | None, op: Op, sources: Sequence[Operand], targets: Sequence[Operand], effect: Compute,
    args: tuple[Any, ...] = (), work: Operand | None = None, lookup: Lookup | None = None, unwritten: Runs = (),
    can_overflow: bool = True,
) -> None:  # fmt: skip
    """Issue an instruction of the vector pipe that reads and writes lanes; the first target is the destination.

    ``work``: what it computes with; not given: the first source, or the destination where there is none.
    ``lookup``: what it reads at places that are data; ``unwritten``: bytes that it leaves undefined.
    """
    tensor, region = targets[0]
    align = op.align.of(tensor.dtype)
    of, counted = work or (sources[0] if sources else targets[0])
    reads = tuple([access(*source) for source in sources])
    writes = (access(tensor, region, align), *[access(*scratch) for scratch in targets[1:]])
    if tensor.dtype is float16 and can_overflow and is_looked_at(core, op, [*sources, targets[0]]):
        effect = guarded(core, site, op, effect, gather, scatter, targets[0], sources)
    core.issue(
        Instruction(
            op.name, V, reads, writes, site, effect, args, op.flow, None, unwritten, of.dtype, counted.number, lookup
        )
    )


def _effect(compute: Compute, dst: Operand, sources: Sequence[Operand]) -> tuple[Compute, tuple[Any, ...]]:
    wide = strided = False
    for tensor, region in (dst, *sources):
        memory = tensor.owner.memory
        if tensor.addr + region.extent > memory.size:
            return _on_overrun, (compute, dst, sources)
        wide = wide or (memory.wide is not None and _is_wide(tensor))
        strided = strided or region.offsets is not None
    if wide:
        return _gathered, (compute, dst, sources)
    if not strided:
        return _on_views(compute, plain(*dst), [plain(*source) for source in sources])
    if dst[1].distinct and not any(_interleaved(dst, source) for source in sources):
        return _gathered, (compute, dst, sources)
    return _one_by_one, (compute, dst, sources)


def _on_views(compute: Compute, target: Array, values: Sequence[Array]) -> tuple[Compute, tuple[Any, ...]]:
    if isinstance(compute, np.ufunc) and all(value.dtype == target.dtype for value in values):
        return _into, (compute, target, *values)
    return _store, (compute, target, *values)


def plain(tensor: Local, region: Lanes) -> Array:
    """A stretch of lanes as a view of the memory."""
    view: Array = tensor.owner.memory.array(tensor.dtype.numpy, tensor.addr, region.number)
    return view


def gather(tensor: Local, region: Lanes) -> Array:
    """The lanes as an array; a copy where they are not one stretch. In precise mode 16-bit floats come as float32."""
    stored = plain(tensor, region) if region.offsets is None else _whole(tensor, region)[region.offsets]
    if not _is_wide(tensor):
        return stored
    wide = tensor.owner.memory.wide[tensor.addr // 2 + _positions(region)]
    return np.where(wide.astype(stored.dtype) == stored, wide, stored.astype(np.float32))


def stored(tensor: Local, region: Lanes) -> Array:
    """The lanes as they are in memory, whatever the mode: for what looks at their bytes."""
    return gather(tensor, region).astype(tensor.dtype.numpy, copy=False)


def scatter(tensor: Local, region: Lanes, values: Any) -> None:
    """Store values into the lanes."""
    if _is_wide(tensor):
        tensor.owner.memory.wide[tensor.addr // 2 + _positions(region)] = values
    if region.offsets is None:
        plain(tensor, region)[...] = values
    else:
        _whole(tensor, region)[region.offsets] = values


def _whole(tensor: Local, region: Lanes) -> Array:
    array: Array = tensor.owner.memory.array(tensor.dtype.numpy, tensor.addr, region.extent // tensor.dtype.size)
    return array


def _into(compute: np.ufunc, target: Array, *values: Array) -> None:
    compute(*values, out=target)


def _store(compute: Compute, target: Array, *values: Array) -> None:
    target[...] = compute(*values)


def _gathered(compute: Compute, dst: Operand, sources: Sequence[Operand]) -> None:
    scatter(*dst, compute(*[gather(*source) for source in sources]))


def _one_by_one(compute: Compute, dst: Operand, sources: Sequence[Operand]) -> None:
    """Lanes in order, in groups whose results do not feed each other: accumulation with a repeat stride of 0."""
    target = _whole(*dst)
    order = _positions(dst[1])
    step = _independent(order)
    for first in range(0, len(order), step):
        part = slice(first, first + step)
        values = [_whole(*source)[_positions(source[1])[part]] for source in sources]
        target[order[part]] = compute(*values)


def _positions(region: Lanes) -> Array:
    return np.arange(region.number) if region.offsets is None else region.offsets


def _independent(order: Array) -> int:
    """How many lanes go by before the first element comes again."""
    again = np.flatnonzero(order == order[0])
    return int(again[1]) if len(again) > 1 else min(len(order), 64)


def _interleaved(dst: Operand, source: Operand) -> bool:
    """Whether a source lies across the destination without being the same lanes."""
    (target, there), (origin, lanes) = dst, source
    if target.addr == origin.addr and there.offsets is lanes.offsets:
        return False
    if target.owner.memory is not origin.owner.memory:
        return False
    return target.addr < origin.addr + lanes.extent and origin.addr < target.addr + there.extent


def _is_wide(tensor: Local) -> bool:
    """Whether the tensor's elements are kept in float32 as well."""
    return tensor.owner.memory.wide is not None and tensor.dtype.is_float() and tensor.dtype.size == 2


def _on_overrun(compute: Compute, dst: Operand, sources: Sequence[Operand]) -> None:
    """Addresses the chip has not: reads give poison, writes are dropped."""
    involved = (dst, *sources)
    if not all(tensor.owner.memory.reaches(tensor.addr + region.extent) for tensor, region in involved):
        return
    for tensor, region in involved:
        if tensor.addr + region.extent > tensor.owner.memory.size:
            tensor.owner.memory.forget_guard(tensor.addr + region.extent)
    _gathered(compute, dst, sources)
