"""The mask register, its modes, atomics of copies, and the initial state (hicann/asc-devkit docs @82b89a15f263)."""

from __future__ import annotations

from typing import Any

from cannery.aicore.registers import Registers
from cannery.asc.context import running
from cannery.asc.dtypes import DataType
from cannery.asc.enums import MaskMode
from cannery.isa.masks import set_atomic, set_mask_length, set_mask_words
from cannery.isa.table import TABLE

__all__ = [
    "init_soc_state", "reset_mask", "set_atomic_add", "set_atomic_max", "set_atomic_min", "set_atomic_none",
    "set_atomic_type", "set_mask_count", "set_mask_norm", "set_vector_mask",
]  # fmt: skip


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
        set_mask_words(registers, int(values[0]), int(values[1]))
        return
    set_mask_length(registers, int(values[0]))


def reset_mask() -> None:
    """All lanes on."""
    running().registers.reset_mask()


def init_soc_state() -> None:
    """Atomics off, normal mode, all lanes on."""
    running().registers = Registers()


def set_atomic_add(dtype: DataType) -> None:
    """Copies to global memory add to what is there, from now on."""
    set_atomic(running(), TABLE["set_atomic_add"], dtype)


def set_atomic_max(dtype: DataType) -> None:
    """Copies to global memory keep the larger, from now on."""
    set_atomic(running(), TABLE["set_atomic_max"], dtype)


def set_atomic_min(dtype: DataType) -> None:
    """Copies to global memory keep the smaller, from now on."""
    set_atomic(running(), TABLE["set_atomic_min"], dtype)


def set_atomic_type(dtype: DataType) -> None:
    """The element type of atomic copies."""
    running().registers.atomic_dtype = dtype


def set_atomic_none() -> None:
    """Copies to global memory overwrite again."""
    registers = running().registers
    registers.atomic_op = registers.atomic_dtype = None
