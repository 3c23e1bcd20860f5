"""Single elements, read and written by the scalar pipe."""

from __future__ import annotations

from typing import Any

import numpy as np

from cannery.aicore.core import Core
from cannery.aicore.instruction import Access, Instruction, Site
from cannery.aicore.memory import POISON
from cannery.aicore.pipes import S
from cannery.isa.op import Op
from cannery.isa.tensors import Global, Tensor


def read_element(core: Core, site: Site | None, op: Op, tensor: Tensor, index: int) -> Any:
    """The element's value, as numpy has it."""
    dtype, size = tensor.dtype, tensor.dtype.size
    access = _element(core, tensor, index * size, size)

    def effect() -> Any:
        if isinstance(tensor, Global):
            return _load(core, tensor, access.lower, size).view(dtype.numpy)[0]
        memory = tensor.owner.memory
        if access.upper > memory.size:
            return np.full(size, POISON, np.uint8).view(dtype.numpy)[0]
        value = memory.array(dtype.numpy, access.lower, 1)[0]
        if dtype.kind == "UInt" and value == dtype.high and core.is_unsettled(access):
            return dtype.numpy.type(0)  # poison: a loop over it would never end
        return value

    return core.scalar(Instruction(op.name, S, (access,), (), site, effect, flow=op.flow, dtype=dtype, work=1))


def write_element(core: Core, site: Site | None, op: Op, tensor: Tensor, index: int, value: Any) -> None:
    """Store a value, converted to the element type."""
    dtype, size = tensor.dtype, tensor.dtype.size
    access = _element(core, tensor, index * size, size)
    raw = dtype.bytes_of(value)

    def effect() -> None:
        if isinstance(tensor, Global):
            _store(core, tensor, access.lower, raw)
        elif access.upper <= tensor.owner.memory.size:
            tensor.owner.memory.data[access.lower : access.upper] = raw

    core.scalar(Instruction(op.name, S, (), (access,), site, effect, flow=op.flow, dtype=dtype, work=1))


def _element(core: Core, tensor: Tensor, offset: int, size: int) -> Access:
    """An element's access; in local memory it must be aligned to its size."""
    if isinstance(tensor, Global):
        return tensor.access(core.gm, offset, size)
    return tensor.access(offset, size, size)


def _load(core: Core, tensor: Global, lower: int, size: int) -> Any:
    """Bytes of global memory as the scalar unit sees them."""
    buffer = tensor.owner.buffer
    if core.in_order:
        return buffer.load(lower - buffer.base, size)
    return core.cache.load(buffer, lower, size)


def _store(core: Core, tensor: Global, lower: int, raw: Any) -> None:
    """Write bytes of global memory as the scalar unit does."""
    buffer = tensor.owner.buffer
    start = lower - buffer.base
    first, last = buffer.clip(start, len(raw))
    kept = raw[first - start : last - start]
    if core.in_order:
        buffer.data[first:last] = kept
    elif len(kept):
        core.cache.store(buffer, buffer.base + first, kept)
