"""From a call to an instruction: views where the lanes are one stretch, gathers where they are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import LANES, Instruction
from cannery.aicore.pipes import V
from cannery.asc.context import here
from cannery.asc.dtypes import DataType
from cannery.asc.tensors import LocalTensor
from cannery.asc.vector.lanes import Lanes, access

Compute = Callable[..., Any]
Operand = tuple[LocalTensor, Lanes]


def elementwise(
    name: str, compute: Compute, dst: Operand, sources: Sequence[Operand], flow: str = LANES, align: int = 32
) -> None:
    """Issue ``dst = compute(*sources)``, lane by lane; ``compute`` gets and gives arrays."""
    tensor, region = dst
    if not region.number:
        return
    core: Core = tensor.owner.core
    effect, args = _effect(compute, dst, sources)
    reads = tuple([access(source, lanes) for source, lanes in sources])
    core.issue(Instruction(name, V, reads, (access(tensor, region, align),), here(3), effect, args, flow))


def _effect(compute: Compute, dst: Operand, sources: Sequence[Operand]) -> tuple[Compute, tuple[Any, ...]]:
    operands = (dst, *sources)
    if _beyond_chip(operands):
        return _on_overrun, (compute, dst, sources)
    if any(_is_wide(tensor) for tensor, _ in operands):
        return _gathered, (compute, dst, sources)
    if all(region.offsets is None for _, region in operands):
        target, *values = [plain(tensor, region) for tensor, region in operands]
        if isinstance(compute, np.ufunc) and all(value.dtype == target.dtype for value in values):
            return _into, (compute, target, *values)
        return _store, (compute, target, *values)
    if dst[1].distinct and not any(_interleaved(dst, source) for source in sources):
        return _gathered, (compute, dst, sources)
    return _one_by_one, (compute, dst, sources)


def plain(tensor: LocalTensor, region: Lanes) -> np.ndarray[Any, Any]:
    """A stretch of lanes as a view of the memory."""
    view: np.ndarray[Any, Any] = tensor.owner.memory.array(tensor.dtype.numpy, tensor.addr, region.number)
    return view


def gather(tensor: LocalTensor, region: Lanes) -> np.ndarray[Any, Any]:
    """The lanes as an array; a copy where they are not one stretch. In precise mode 16-bit floats come as float32."""
    stored = plain(tensor, region) if region.offsets is None else _whole(tensor, region)[region.offsets]
    if not _is_wide(tensor):
        return stored
    wide = tensor.owner.memory.wide[tensor.addr // 2 + _positions(region)]
    return np.where(wide.astype(stored.dtype) == stored, wide, stored.astype(np.float32))


def scatter(tensor: LocalTensor, region: Lanes, values: Any) -> None:
    """Store values into the lanes."""
    if _is_wide(tensor):
        tensor.owner.memory.wide[tensor.addr // 2 + _positions(region)] = values
    if region.offsets is None:
        plain(tensor, region)[...] = values
    else:
        _whole(tensor, region)[region.offsets] = values


def _whole(tensor: LocalTensor, region: Lanes) -> np.ndarray[Any, Any]:
    array: np.ndarray[Any, Any] = tensor.owner.memory.array(
        tensor.dtype.numpy, tensor.addr, region.extent // tensor.dtype.size
    )
    return array


def _into(compute: np.ufunc, target: np.ndarray[Any, Any], *values: np.ndarray[Any, Any]) -> None:
    compute(*values, out=target)


def _store(compute: Compute, target: np.ndarray[Any, Any], *values: np.ndarray[Any, Any]) -> None:
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


def _positions(region: Lanes) -> np.ndarray[Any, Any]:
    return np.arange(region.number) if region.offsets is None else region.offsets


def _independent(order: np.ndarray[Any, Any]) -> int:
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


def _is_wide(tensor: LocalTensor) -> bool:
    """Whether the tensor's elements are kept in float32 as well."""
    return tensor.owner.memory.wide is not None and tensor.dtype.is_float() and tensor.dtype.size == 2


def _beyond_chip(operands: Sequence[Operand]) -> bool:
    return any(tensor.addr + region.extent > tensor.owner.memory.size for tensor, region in operands)


def _on_overrun(compute: Compute, dst: Operand, sources: Sequence[Operand]) -> None:
    """Addresses the chip has not: reads give poison, writes are dropped."""
    operands = (dst, *sources)
    if not all(tensor.owner.memory.reaches(tensor.addr + region.extent) for tensor, region in operands):
        return
    for tensor, region in operands:
        if tensor.addr + region.extent > tensor.owner.memory.size:
            tensor.owner.memory.forget_guard(tensor.addr + region.extent)
    _gathered(compute, dst, sources)


def require(name: str, tensors: Sequence[LocalTensor], allowed: frozenset[DataType] | None) -> DataType:
    """The common element type of the operands.

    Raises:
        TypeError: they differ, or the instruction has no such type.
    """
    dtype = tensors[0].dtype
    for tensor in tensors[1:]:
        if tensor.dtype is not dtype and tensor.dtype != dtype:
            raise TypeError(f"{name}: found operands of {dtype} and {tensor.dtype}, expected one element type")
    if allowed is not None and dtype not in allowed:
        names = ", ".join(sorted(str(one) for one in allowed))
        raise TypeError(f"{name}: found {dtype}, expected one of {names}")
    return dtype
