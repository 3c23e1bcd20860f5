"""Special registers that later instructions read: the mask, and the atomic operation of copies
(hicann/asc-devkit docs @82b89a15f263).
"""

from __future__ import annotations

from cannery.aicore.core import Core
from cannery.aicore.registers import FULL, Registers
from cannery.isa.dtypes import DataType
from cannery.isa.op import Op


def set_mask_words(registers: Registers, high: int, low: int) -> None:
    """The mask register's two words; in counter mode the low one counts elements."""
    registers.mask_high, registers.mask_low = high & FULL, low & FULL


def set_mask_length(registers: Registers, length: int) -> None:
    """The first ``length`` lanes; in counter mode that many elements."""
    if registers.counter_mode:
        registers.mask_low, registers.mask_high = length, 0
    else:
        bits = (1 << length) - 1
        set_mask_words(registers, bits >> 64, bits)


def set_atomic(core: Core, op: Op, dtype: DataType) -> None:
    """Copies to global memory combine with what is there, from now on, as the row's function does.

    Raises:
        TypeError: an element type that this has not.
    """
    op.check_types(core, (dtype,))
    core.registers.atomic_op, core.registers.atomic_dtype = op.name.rpartition("_")[2], dtype
