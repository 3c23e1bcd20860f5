"""Queues of buffers, lowered to events as hicann/asc-devkit does
(`impl/basic_api/kernel_tquebind_impl.h`, `kernel_event.h` @82b89a15f263).

Taking a buffer waits for its free event, putting it in sets the produce event, taking it out waits for that, giving it
back sets the free event; each takes the lowest free event id and gives it back when the wait is issued.
"""

from __future__ import annotations

from collections import deque
from types import MappingProxyType
from typing import Any, Final

from cannery.aicore.core import Core
from cannery.aicore.flags import Blocked
from cannery.aicore.instruction import Site
from cannery.aicore.pipes import BY_ENDS, EVENTS, FIX, MTE1, MTE2, MTE3, M, V
from cannery.isa.enums import MEMORY, TPosition
from cannery.isa.tensors import Allocation, Local

FREE: Final = "FREE"
OCCUPIED: Final = "OCCUPIED"
ENQUE: Final = "ENQUE"
DEQUE: Final = "DEQUE"

ROUTES: Final = MappingProxyType(
    {
        ("GM", "UB"): (MTE2, V),
        ("UB", "GM"): (V, MTE3),
        ("UB", "UB"): (MTE2, MTE3),
        ("GM", "L1"): (MTE2, MTE1),
        ("L1", "L0A"): (MTE1, M),
        ("L1", "L0B"): (MTE1, M),
        ("L1", "BT"): (MTE1, M),
        ("UB", "L1"): (MTE3, MTE1),
        ("L0C", "GM"): (M, FIX),
        ("L0C", "UB"): (M, V),
    }
)
"""Producing and consuming pipe of a queue, by the memories it connects."""

_P = TPosition
_ENDS: Final = MappingProxyType(
    {
        _P.VECIN: (_P.GM, _P.VECIN), _P.VECOUT: (_P.VECOUT, _P.GM), _P.A1: (_P.GM, _P.A1), _P.B1: (_P.GM, _P.B1),
        _P.C1: (_P.GM, _P.C1), _P.A2: (_P.A1, _P.A2), _P.B2: (_P.B1, _P.B2), _P.C2: (_P.C1, _P.C2),
        _P.CO1: (_P.CO1, _P.CO2),
    }
)  # fmt: skip


def ends_of(position: TPosition) -> tuple[TPosition, TPosition]:
    """Between which positions the queue of one position stands."""
    return _ENDS.get(position, (position, position))


def events_of(src: TPosition, dst: TPosition) -> tuple[int, int]:
    """The produce event and the free event of a queue from one position to another."""
    producer, consumer = ROUTES.get((MEMORY[src], MEMORY[dst]), (V, V))
    same = BY_ENDS[V, V]
    return BY_ENDS.get((producer, consumer), same), BY_ENDS.get((consumer, producer), same)


def event_between(src: TPosition, dst: TPosition) -> int:
    """The produce event of a queue from one position to another.

    Raises:
        KeyError: no queue connects their memories.
    """
    return BY_ENDS[ROUTES[MEMORY[src], MEMORY[dst]]]


class EventIds:
    """The event ids of one core, per HardEvent: lowest free first."""

    __slots__ = ("_core", "_used")

    def __init__(self, core: Core) -> None:
        self._core = core
        self._used: dict[int, set[int]] = {}

    def peek(self, event: int) -> int:
        """The lowest free id, not reserved."""
        used = self._used.setdefault(event, set())
        identity = 0
        while identity in used:
            identity += 1
        return identity

    def take(self, event: int, site: Site | None) -> int:
        """Reserve the lowest free id; running out is a finding."""
        identity = self.peek(event)
        count = self._core.limits.event_ids
        if identity >= count:
            self._core.report("event_ids_exhausted", site, event=EVENTS[event], id=identity, count=count)
        self._used[event].add(identity)
        return identity

    def give(self, event: int, identity: int, site: Site | None) -> None:
        """Release an id; releasing one that is not taken is a finding."""
        used = self._used.setdefault(event, set())
        if identity not in used:
            self._core.report("event_id_not_taken", site, event=EVENTS[event], id=identity)
        used.discard(identity)


def event_ids(core: Core) -> EventIds:
    """The event ids of a core."""
    ids = core.state.get(EventIds)
    if ids is None:
        ids = core.state[EventIds] = EventIds(core)
    return ids


class Slot:
    """One buffer of a queue."""

    __slots__ = ("free_event", "lower", "owner", "queue", "ready_event", "site", "size", "state")

    def __init__(self, queue: Queue, lower: int, size: int) -> None:
        self.queue = queue
        self.lower = lower
        self.size = size
        self.state = FREE
        self.owner: Allocation | None = None
        self.free_event: int | None = None
        self.ready_event: tuple[int, int] | None = None
        self.site: Site | None = None


class Queue:
    """A queue from one position to another, its buffers in ``position``. ``depth``: how many may be in it at once.

    Operations take the program's line; what an operation is called is the language's, in findings and deadlocks too.
    """

    def __init__(self, core: Core, src: TPosition, dst: TPosition, position: TPosition, depth: int, label: str) -> None:
        self.core = core
        self.position = position
        self.depth = depth
        self.label = label
        self.ready, self.freed = events_of(src, dst)
        self.slots: list[Slot] = []
        self.queued: deque[Slot] = deque()
        self._ids = event_ids(core)
        self._cursor = 0

    def bind(self, lowers: list[int], size: int, label: str) -> None:
        """Give the queue its buffers, of ``size`` bytes each."""
        self.slots = [Slot(self, lower, size) for lower in lowers]
        self._memory = self.core.arena(MEMORY[self.position])
        self._cursor = 0
        self.label = label

    def take(self, site: Site | None) -> Allocation:
        """The next free buffer, round robin, with undefined contents ("alloc_tensor").

        Raises:
            DeadlockError: no buffer is free and nobody can free one.
        """
        slot = self._next_free(site)
        self._await_free(slot, site, "alloc_tensor")
        slot.state = OCCUPIED
        slot.site = site
        slot.owner = owner = Allocation(
            self.core, self.position, slot.lower, slot.size, self.label, slot, memory=self._memory
        )
        self.core.fresh(owner.memory, owner.lower, owner.upper)
        return owner

    def put(self, tensor: Local, site: Site | None, event: int | None = None) -> None:
        """Hand a buffer to the consumer: sets the produce event, another one where it is given ("enque")."""
        slot = self._own(tensor, "enque", site)
        if slot is None:
            return
        if slot.state not in (OCCUPIED, DEQUE):
            self._report("queue_state", "enque", site, state=slot.state, expected="OCCUPIED or DEQUE")
            return
        if self.depth and len(self.queued) >= self.depth:
            self._report("queue_depth", "enque", site, count=len(self.queued), depth=self.depth)
        number = self.ready if event is None else event
        identity = self._ids.take(number, site)
        self.core.set_flag(number, identity, site, by="enque")
        slot.state = ENQUE
        slot.ready_event = (number, identity)
        self.queued.append(slot)

    def get(self, site: Site | None) -> Allocation:
        """The buffer put in first: waits for its produce event ("deque"). An untrusted one where there is none."""
        if not self.queued:
            self._report("queue_empty", "deque", site)
            return self._untrusted()
        slot = self.queued.popleft()
        if slot.state != ENQUE:
            self._report("queue_state", "deque", site, state=slot.state, expected="ENQUE")
        if slot.ready_event is not None:
            self.core.wait_flag(*slot.ready_event, site, by="deque")
            self._ids.give(*slot.ready_event, site)
            slot.ready_event = None
        if slot.owner is None:
            return self._untrusted()
        slot.state = DEQUE
        return slot.owner

    def free(self, tensor: Local, site: Site | None) -> None:
        """Give a buffer back: sets the free event ("free_tensor")."""
        slot = self._own(tensor, "free_tensor", site)
        if slot is None:
            return
        if slot.state == FREE or not tensor.owner.alive:
            self._report("freed_twice", "free_tensor", site)
            return
        slot.free_event = self._ids.take(self.freed, site)
        self.core.set_flag(self.freed, slot.free_event, site, by="free_tensor")
        slot.state = FREE
        tensor.owner.alive = False

    def await_all(self, site: Site | None) -> None:
        """Wait for all outstanding free events ("free_all_event")."""
        for slot in self.slots:
            self._await_free(slot, site, "free_all_event")

    def close(self, completed: bool) -> None:
        """End of the pipe: wait for outstanding free events; what is still taken is a leak."""
        if completed:
            self.await_all(None)
        if not (completed or self.core.deadlocked):
            return
        for slot in self.slots:
            if slot.state != FREE:
                self.core.report("leak", slot.site, label=self.label, state=slot.state)

    @property
    def idle(self) -> bool:
        """Whether a buffer is free."""
        return any(slot.state == FREE for slot in self.slots)

    def _await_free(self, slot: Slot, site: Site | None, op: str) -> None:
        if slot.free_event is not None:
            self.core.wait_flag(self.freed, slot.free_event, site, by=op)
            self._ids.give(self.freed, slot.free_event, site)
            slot.free_event = None

    def _next_free(self, site: Site | None) -> Slot:
        slots = self.slots
        for step in range(len(slots)):
            slot = slots[(self._cursor + step) % len(slots)]
            if slot.state == FREE:
                self._cursor = (self._cursor + step + 1) % len(slots)
                return slot
        if not slots:
            self._report("queue_without_buffers", "alloc_tensor", site)
            raise self.core.deadlock(Blocked("S", "alloc_tensor", f": {self.label} has no buffer", site))
        limit = len(slots)
        held = ", ".join(f"{slot.state} since {_line(slot.site)}" for slot in slots)
        self._report("queue_exhausted", "alloc_tensor", site, size=limit + 1, limit=limit, held=held)
        what = f": {self.label}: size is {limit + 1}, which exceed limits {limit}; its buffers are {held}"
        raise self.core.deadlock(Blocked("S", "alloc_tensor", what, site))

    def _own(self, tensor: Local, action: str, site: Site | None) -> Slot | None:
        slot = getattr(tensor.owner, "slot", None)
        if isinstance(slot, Slot) and slot.queue is self:
            return slot
        if tensor.owner is None or not tensor.owner.trusted:
            self._report("foreign_tensor", action, site)
        return None

    def _untrusted(self) -> Allocation:
        lower, size = (self.slots[0].lower, self.slots[0].size) if self.slots else (0, 32)
        return Allocation(self.core, self.position, lower, size, self.label, trusted=True)

    def _report(self, rule: str, op: str, site: Site | None, **facts: Any) -> None:
        self.core.report(rule, site, op=op, label=self.label, **facts)


def _line(site: Site | None) -> str:
    return f"{site.file}:{site.line}" if site else "an unknown line"
