"""What is known of each memory of one core: who touched it last, what was never written, what counts as ordered."""

from __future__ import annotations

from cannery.aicore.memory import Arena, Memory
from cannery.watch.clocks import Clocks
from cannery.watch.history import History, Order
from cannery.watch.intervals import IntervalSet

_GLOBAL_SEGMENTS = 2048  # global memory is streamed through


class Past:
    """What is known of one memory."""

    __slots__ = ("history", "order", "unwritten")

    def __init__(self, history: History, unwritten: IntervalSet, order: Order) -> None:
        self.history = history
        self.unwritten = unwritten
        self.order = order


class Pasts(dict[Memory, Past]):
    """The pasts of a core's memories, made when a memory is first touched."""

    def __init__(self, clocks: Clocks, *, vector_in_order: bool) -> None:
        super().__init__()
        self._order = Order(clocks, vector_in_order=vector_in_order)

    def __missing__(self, memory: Memory) -> Past:
        if isinstance(memory, Arena):
            past = Past(History(), IntervalSet(0, memory.size), self._order)
        else:  # what the host binds counts as written
            past = Past(History(limit=_GLOBAL_SEGMENTS), IntervalSet(), self._order)
        self[memory] = past
        return past
