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
            return tensor.owner.buffer.load(access.lower - tensor.owner.origin, size).view(dtype.numpy)[0]
        memory = tensor.owner.memory
        if access.upper > memory.size:
            return np.full(2, POISON).view(dtype.numpy)[0]
        return memory.array(dtype.numpy, access.lower, 1)[0]

    return core.scalar(Instruction(op.name, S, (access,), (), site, effect, flow=op.flow, dtype=dtype, work=1))


def write_element(core: Core, site: Site | None, op: Op, tensor: Tensor, index: int, value: Any) -> None:
    """Store a value, converted to the element type."""
    dtype, size = tensor.dtype, tensor.dtype.size
    access = _element(core, tensor, index * size, size)
    raw = dtype.bytes_of(value)

    def effect() -> None:
        if isinstance(tensor, Global):
            start = access.lower - tensor.owner.origin
            first, last = tensor.owner.buffer.clip(start, size)
            tensor.owner.buffer.data[first:last] = raw[first - start : last - start]
        elif access.upper <= tensor.owner.memory.size:
            tensor.owner.memory.data[access.lower : access.upper] = raw

    core.scalar(Instruction(op.name, S, (), (access,), site, effect, flow=op.flow, dtype=dtype, work=1))


def _element(core: Core, tensor: Tensor, offset: int, size: int) -> Access:
    """An element's access; in local memory it must be aligned to its size."""
    if isinstance(tensor, Global):
        return tensor.access(core.gm, offset, size)
    return tensor.access(offset, size, size)
