"""``asc.range`` and ``asc.static_range``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cannery.asc.numbers import Int32

__all__ = ["static_range"]

static_range = range
"""An unrolled loop; its index is a plain int."""


class runtime_range:
    """``asc.range(stop)`` or ``(start, stop[, step])``: the index is a run-time int32."""

    __slots__ = ("_range",)

    def __init__(self, *bounds: Any) -> None:
        self._range = range(*[int(bound) for bound in bounds])

    def __iter__(self) -> Iterator[Any]:
        return map(Int32, self._range)

    def __len__(self) -> int:
        return len(self._range)
