"""The mask register, its modes, atomics of copies, and the initial state (hicann/asc-devkit docs @82b89a15f263)."""

from __future__ import annotations

from typing import Any

from cannery.aicore.registers import FULL, Registers
from cannery.asc.context import running
from cannery.asc.dtypes import DataType, float16, float32, int8, int16, int32
from cannery.asc.enums import MaskMode

__all__ = [
    "init_soc_state", "reset_mask", "set_atomic_add", "set_atomic_max", "set_atomic_min", "set_atomic_none",
    "set_atomic_type", "set_mask_count", "set_mask_norm", "set_vector_mask",
]  # fmt: skip

_ATOMIC = frozenset({int8, int16, int32, float16, float32})


def set_mask_count() -> None:
    """Counter mode: masks count elements over all repeats."""
    running().registers.counter_mode = True


def set_mask_norm() -> None:
    """Normal mode: masks switch the lanes of each repeat."""
    running().registers.counter_mode = False


def set_vector_mask(*words: Any, dtype: DataType | None = None, mode: MaskMode | None = None, **options: Any) -> None:
    """``set_vector_mask(length)`` or ``set_vector_mask(mask_high, mask_low)``: the high word comes first."""
    del dtype
    registers = running().registers
    if mode is not None:
        registers.counter_mode = mode == MaskMode.COUNTER
    values = list(words) + [options[key] for key in ("length", "mask_high", "mask_low") if key in options]
    if len(values) == 2:
        registers.mask_high, registers.mask_low = (int(value) & FULL for value in values)
        return
    length = int(values[0])
    if registers.counter_mode:
        registers.mask_low, registers.mask_high = length, 0
    else:
        bits = (1 << length) - 1
        registers.mask_low, registers.mask_high = bits & FULL, bits >> 64 & FULL


def reset_mask() -> None:
    """All lanes on."""
    running().registers.reset_mask()


def init_soc_state() -> None:
    """Atomics off, normal mode, all lanes on."""
    running().registers = Registers()


def _set_atomic(operation: str, dtype: DataType) -> None:
    if dtype not in _ATOMIC:
        names = ", ".join(sorted(map(str, _ATOMIC)))
        raise TypeError(f"set_atomic_{operation}: found {dtype}, expected one of {names}")
    registers = running().registers
    registers.atomic_op, registers.atomic_dtype = operation, dtype


def set_atomic_add(dtype: DataType) -> None:
    """Copies to global memory add to what is there, from now on."""
    _set_atomic("add", dtype)


def set_atomic_max(dtype: DataType) -> None:
    """Copies to global memory keep the larger, from now on."""
    _set_atomic("max", dtype)


def set_atomic_min(dtype: DataType) -> None:
    """Copies to global memory keep the smaller, from now on."""
    _set_atomic("min", dtype)


def set_atomic_type(dtype: DataType) -> None:
    """The element type of atomic copies."""
    running().registers.atomic_dtype = dtype


def set_atomic_none() -> None:
    """Copies to global memory overwrite again."""
    registers = running().registers
    registers.atomic_op = registers.atomic_dtype = None
