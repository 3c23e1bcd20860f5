"""A core's special registers that instructions read when they are issued."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

FULL: Final = (1 << 64) - 1


@dataclass
class Registers:
    """Mask, atomic and conversion state; the defaults are what ``init_soc_state`` establishes."""

    counter_mode: bool = False
    mask_low: int = FULL
    mask_high: int = FULL
    atomic_op: str | None = None
    atomic_dtype: Any = None
    pad_value: Any = None
    deq_scale: float = 1.0
    deq_word: int | None = None
    deq_vector: Any = None
    compare_mask: bytes = field(default=bytes(16))
    kept_count: int = 0
    merged: tuple[int, ...] = (0, 0, 0, 0)
    hf32: bool = False
    hf32_toward_zero: bool = False
    quant_scalar: int = 0
    load_pad: Any = 0

    def reset_mask(self) -> None:
        """All lanes on."""
        self.mask_low = self.mask_high = FULL

    def count_form_used(self) -> None:
        """A count-form instruction leaves normal mode and a full mask behind."""
        self.counter_mode = False
        self.mask_low = self.mask_high = FULL
