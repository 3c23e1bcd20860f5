"""Registers, counters, debugging output."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from cannery.aicore import pipes
from cannery.aicore.memory import capacity
from cannery.aicore.registers import Registers
from cannery.ascendc.words import Call
from cannery.isa import convert
from cannery.isa.dtypes import float16, float32
from cannery.isa.masks import set_atomic, set_mask_length, set_mask_words
from cannery.isa.op import Op
from cannery.isa.table import ROWS
from cannery.isa.tensors import Global, Tensor

_COUNTER: Final = 1


def set_mask_count(call: Call) -> None:
    """SetMaskCount."""
    call.core.registers.counter_mode = True


def set_mask_norm(call: Call) -> None:
    """SetMaskNorm."""
    call.core.registers.counter_mode = False


def reset_mask(call: Call) -> None:
    """ResetMask."""
    call.core.registers.reset_mask()


def set_vector_mask(call: Call) -> None:
    """SetVectorMask of a length, or of two words, the high one first."""
    registers = call.core.registers
    mode, count = call.integers(2)
    registers.counter_mode = registers.counter_mode or mode == _COUNTER
    values = call.integers(count)
    if len(values) > 1:
        set_mask_words(registers, *values)
    else:
        set_mask_length(registers, values[0])


def init_soc_state(call: Call) -> None:
    """InitSocState."""
    call.core.registers = Registers()


def _set_atomic(op: Op, call: Call) -> None:
    set_atomic(call.core, op, call.dtype())


def set_atomic_type(call: Call) -> None:
    """SetAtomicType."""
    call.core.registers.atomic_dtype = call.dtype()


def set_atomic_none(call: Call) -> None:
    """DisableDmaAtomic, SetAtomicNone."""
    registers = call.core.registers
    registers.atomic_op = registers.atomic_dtype = None


def set_deq_scale(call: Call) -> None:
    """SetDeqScale of a half."""
    call.core.registers.deq_scale = float(np.float16(call.scalar(float16)))


def set_deq_scaling(call: Call) -> None:
    """SetDeqScale of a scale, an offset and a sign."""
    scale = call.scalar(float32)
    offset, is_signed = call.integers(2)
    registers = call.core.registers
    registers.deq_word, registers.deq_vector = convert.Scaling(scale, offset, bool(is_signed)).word(), None


def get_memory_size(call: Call) -> int:
    """Bytes of UB."""
    return capacity(call.core.soc, "UB")


def get_system_cycle(call: Call) -> int:
    """A counter that grows with every instruction of the core."""
    return sum(call.core.issued)


def get_program_counter(call: Call) -> int:
    """A counter of scalar instructions."""
    return call.core.issued[pipes.S]


def trap(call: Call) -> None:
    """Trap.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("Trap: the kernel aborted itself")


def assert_failed(call: Call) -> None:
    """An assertion of the kernel that does not hold.

    Raises:
        AssertionError: always.
    """
    condition, file = call.text(), call.text()
    raise AssertionError(f"{file}:{call.integer()}: Assertion `{condition}' failed")


def dump_tensor(call: Call) -> None:
    """DumpTensor: elements behind a barrier of all pipes, in a shape where one is given."""
    tensor = call.tensor()
    desc, count, rank = call.integers(3)
    dims = call.integers(rank)
    call.core.barrier(None, call.site)
    where, start = ("GM", tensor.offset) if isinstance(tensor, Global) else (tensor.owner.position.name, tensor.addr)
    head = f"DumpTensor: desc={desc}, addr={start:x}, data_type={tensor.dtype}, position={where}, dump_size={count}"
    values = [str(value) for value in _elements(tensor, count)]
    call.kernel.write(f"{head}\n{_shaped(values, dims) if dims else '[' + ', '.join(values) + ']'}\n")


def _elements(tensor: Tensor, count: int) -> Any:
    """The elements as they are in memory now."""
    size = count * tensor.dtype.size
    if isinstance(tensor, Global):
        raw = tensor.owner.buffer.load(tensor.offset, size)
    else:
        memory = tensor.owner.memory
        raw = memory.data[tensor.addr : min(tensor.addr + size, memory.size)]
    return raw[: len(raw) // tensor.dtype.size * tensor.dtype.size].view(tensor.dtype.numpy)


def _shaped(values: list[str], dims: Sequence[int], depth: int = 0) -> str:
    """Values as nested lists; what is missing as "-"."""
    if len(dims) == 1:
        row = values[: dims[0]]
        return f"[{', '.join(row + ['-'] * (dims[0] - len(row)))}]"
    inner = math.prod(dims[1:])
    parts = [_shaped(values[at * inner : (at + 1) * inner], dims[1:], depth + 1) for at in range(dims[0])]
    return f"[{(',' + chr(10) + ' ' * (depth + 1)).join(parts)}]"


HANDLERS: Final[Mapping[str, Callable[[Call], Any]]] = MappingProxyType(
    {
        **{op.name: partial(_set_atomic, op) for op in ROWS if op.form == "atomic"},
        **{
            function.__name__: function
            for function in (
                set_mask_count, set_mask_norm, reset_mask, set_vector_mask, init_soc_state, set_atomic_type,
                set_atomic_none, set_deq_scale, set_deq_scaling, get_memory_size,
                get_system_cycle, get_program_counter, trap, assert_failed, dump_tensor,
            )
        },
    }
)  # fmt: skip
