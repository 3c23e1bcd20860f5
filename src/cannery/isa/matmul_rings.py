"""Buffers of the cube's memories that one pipe fills and another one empties, in turns, with events of their own."""

from __future__ import annotations

from typing import Final, NamedTuple

from cannery.aicore.core import Core
from cannery.aicore.flags import Event, Inner
from cannery.aicore.instruction import Site
from cannery.aicore.pipes import BY_ENDS
from cannery.isa.dtypes import DataType, uint8
from cannery.isa.enums import TPosition
from cannery.isa.tensors import Allocation, Local

BY: Final = "matmul"
"""Who sets and awaits the events."""


class Slot(NamedTuple):
    """One buffer, and its two events."""

    owner: Allocation
    filled: Event
    emptied: Event

    def tensor(self, dtype: DataType, offset: int = 0) -> Local:
        """Its bytes from ``offset`` on, as elements."""
        lower, upper = self.owner.lower + offset, self.owner.upper
        return Local(self.owner, lower, dtype, (upper - lower) // dtype.size)


class Ring:
    """Buffers side by side, from ``lower`` on, each of ``size`` bytes; ``ends``: who fills them, and who empties."""

    def __init__(
        self, core: Core, position: TPosition, lower: int, size: int, number: int, ends: tuple[int, int]
    ) -> None:
        self.core = core
        producer, consumer = ends
        self._slots = [
            Slot(
                Allocation(core, position, lower + at * size, size, f"{BY} {position.name} at {lower + at * size}"),
                Inner(BY_ENDS[producer, consumer], at),
                Inner(BY_ENDS[consumer, producer], at),
            )
            for at in range(number)
        ]
        self._next = 0
        self._used = 0

    def fill(self, site: Site | None) -> Slot:
        """The next buffer, as soon as it is empty."""
        slot = self._slots[self._next]
        self._next = (self._next + 1) % len(self._slots)
        if self._used >= len(self._slots):
            self.core.wait_event(slot.emptied, site, by=BY)
        self._used += 1
        memory = slot.owner.memory
        self.core.fresh(memory, slot.owner.lower, min(slot.owner.upper, memory.size))
        return slot

    def hand_over(self, slot: Slot, site: Site | None) -> None:
        """It is filled: the other pipe may have it."""
        self.core.set_event(slot.filled, site, by=BY)
        self.core.wait_event(slot.filled, site, by=BY)

    def give_back(self, slot: Slot, site: Site | None) -> None:
        """It is empty again."""
        self.core.set_event(slot.emptied, site, by=BY)


def raw(owner: Allocation) -> Local:
    """All bytes of an allocation."""
    return Local(owner, owner.lower, uint8, owner.upper - owner.lower)
