"""Which iterations of which loops a core is in, so that a finding can say so of an access that lies back."""

from __future__ import annotations

from collections import deque
from typing import Final

from cannery.aicore.instruction import Site
from cannery.aicore.records import Step

_REMEMBERED: Final = 256

Loops = tuple[tuple[Site, int], ...]
"""The lines of loops and the values of their indices, the outermost first."""


class Steps:
    """The last iterations of a core's loops, each with how many records it had issued before."""

    __slots__ = ("_steps",)

    def __init__(self) -> None:
        self._steps: deque[tuple[int, Step]] = deque(maxlen=_REMEMBERED)

    def add(self, serial: int, step: Step) -> None:
        """An iteration begins, or a loop ends."""
        self._steps.append((serial, step))

    def around(self, serial: int) -> Loops:
        """The loops that a record was issued in."""
        found: list[tuple[Site, int]] = []
        depth: int | None = None
        for before, step in reversed(self._steps):
            if before >= serial or (depth is not None and step.depth >= depth):
                continue
            depth = step.depth
            if step.value is not None:
                found.append((step.site, step.value))
            if depth == 1:
                break
        return tuple(reversed(found))
