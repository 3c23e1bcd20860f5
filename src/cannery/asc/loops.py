"""``asc.range`` and ``asc.static_range``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cannery.aicore.core import Core
from cannery.aicore.instruction import Site
from cannery.aicore.records import Step
from cannery.asc.context import CORE, here
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
        core = CORE.get()
        if core is None or not core.watchers:
            return map(Int32, self._range)
        return self._told(core, here())

    def _told(self, core: Core, site: Site) -> Iterator[Any]:
        """Let the watchers know of each step."""
        core.loops += 1
        depth = core.loops
        try:
            for value in self._range:
                core.tell(Step(site, value, depth))
                yield Int32(value)
        finally:
            core.loops = depth - 1
            core.tell(Step(site, None, depth))

    def __len__(self) -> int:
        return len(self._range)
