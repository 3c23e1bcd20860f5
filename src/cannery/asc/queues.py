"""Queues and buffers: TQue, TQueBind, TBuf, lowered to events as hicann/asc-devkit does
(`impl/basic_api/kernel_tquebind_impl.h`, `kernel_event.h` @82b89a15f263).

alloc_tensor waits for the buffer's free event, enque sets the produce event, deque waits for it, free_tensor sets the
free event; each takes the lowest free event id and gives it back when the wait is issued.
"""

from __future__ import annotations

from collections import deque
from types import MappingProxyType
from typing import Any, Final

from cannery.aicore.core import Core
from cannery.aicore.flags import Blocked
from cannery.aicore.instruction import Site
from cannery.aicore.memory import Arena
from cannery.aicore.pipes import BY_ENDS, EVENTS, FIX, MTE1, MTE2, MTE3, M, V
from cannery.asc.context import here, running
from cannery.asc.dtypes import DataType
from cannery.asc.enums import TPosition
from cannery.asc.tensors import LocalTensor
from cannery.isa.enums import MEMORY
from cannery.isa.tensors import Allocation

__all__ = ["TBuf", "TQue", "TQueBind"]

_P = TPosition

FREE: Final = "FREE"
OCCUPIED: Final = "OCCUPIED"
ENQUE: Final = "ENQUE"
DEQUE: Final = "DEQUE"

_ROUTES: Final = MappingProxyType(
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

_SOURCES: Final = MappingProxyType(
    {
        _P.VECIN: _P.GM, _P.VECOUT: _P.VECOUT, _P.VECCALC: _P.VECCALC, _P.A1: _P.GM, _P.B1: _P.GM, _P.C1: _P.GM,
        _P.A2: _P.A1, _P.B2: _P.B1, _P.C2: _P.C1, _P.CO1: _P.CO1, _P.CO2: _P.CO2,
    }
)  # fmt: skip
_TARGETS: Final = MappingProxyType({_P.VECOUT: _P.GM, _P.CO1: _P.CO2})


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

    def __init__(self, queue: TQueBind, lower: int, size: int) -> None:
        self.queue = queue
        self.lower = lower
        self.size = size
        self.state = FREE
        self.owner: Allocation | None = None
        self.free_event: int | None = None
        self.ready_event: tuple[int, int] | None = None
        self.site: Site | None = None


class TQueBind:
    """A queue between two positions. ``depth``: how many tensors may be enqueued at once."""

    _name = "TQueBind"

    def __init__(
        self, src: TPosition = TPosition.VECIN, dst: TPosition = TPosition.VECIN, depth: int = 0, mask: int = 0
    ) -> None:
        del mask
        self.position = dst if src == TPosition.GM else src
        self.depth = int(depth)
        self._core = running()
        self._ids = event_ids(self._core)
        self._set_route(src, dst)
        self._slots: list[Slot] = []
        self._memory_of_slots: Arena | None = None
        self._cursor = 0
        self._queued: deque[Slot] = deque()
        self.label = self._name

    def _set_route(self, src: TPosition, dst: TPosition) -> None:
        route = _ROUTES.get((MEMORY[src], MEMORY[dst]), (V, V))
        self.ready = BY_ENDS.get(route, BY_ENDS[V, V])
        self.freed = BY_ENDS.get((route[1], route[0]), BY_ENDS[V, V])

    def bind(self, lowers: list[int], size: int, label: str) -> None:
        """Give the queue its buffers; init_buffer does."""
        self._slots = [Slot(self, lower, size) for lower in lowers]
        self._memory_of_slots = self._core.arena(MEMORY[self.position])
        self._cursor = 0
        self.label = label

    def alloc_tensor(self, dtype: DataType | LocalTensor) -> LocalTensor:
        """The next free buffer, round robin, with undefined contents.

        Raises:
            DeadlockError: no buffer is free and nobody can free one.
        """
        site = here()
        core = self._core
        slot = self._next_free(site)
        if slot.free_event is not None:
            core.wait_flag(self.freed, slot.free_event, site, by="alloc_tensor")
            self._ids.give(self.freed, slot.free_event, site)
            slot.free_event = None
        slot.state = OCCUPIED
        slot.site = site
        slot.owner = owner = Allocation(
            core, self.position, slot.lower, slot.size, self.label, slot, memory=self._memory_of_slots
        )
        core.fresh(owner.memory, slot.lower, slot.lower + slot.size)
        if isinstance(dtype, LocalTensor):
            dtype.owner, dtype.addr, dtype.size = owner, slot.lower, slot.size // dtype.dtype.size
            return dtype
        return LocalTensor.view(owner, slot.lower, dtype, slot.size // dtype.sizeof())

    def enque(
        self, tensor: LocalTensor, src_user_pos: TPosition | None = None, dst_user_pos: TPosition | None = None
    ) -> None:
        """Hand a tensor to the consumer: sets the produce event."""
        site = here()
        slot = self._own(tensor, "enque", site)
        if slot is None:
            return
        if slot.state not in (OCCUPIED, DEQUE):
            self._report("queue_state", "enque", site, state=slot.state, expected="OCCUPIED or DEQUE")
            return
        if self.depth and len(self._queued) >= self.depth:
            self._report("queue_depth", "enque", site, count=len(self._queued), depth=self.depth)
        event = self.ready
        if src_user_pos is not None and dst_user_pos is not None:
            event = BY_ENDS[_ROUTES[MEMORY[src_user_pos], MEMORY[dst_user_pos]]]
        identity = self._ids.take(event, site)
        self._core.set_flag(event, identity, site, by="enque")
        slot.state = ENQUE
        slot.ready_event = (event, identity)
        self._queued.append(slot)

    def deque(
        self,
        dtype: DataType | LocalTensor,
        src_user_pos: TPosition | None = None,
        dst_user_pos: TPosition | None = None,
    ) -> LocalTensor:
        """Take the tensor enqueued first: waits for its produce event."""
        del src_user_pos, dst_user_pos
        site = here()
        element = dtype.dtype if isinstance(dtype, LocalTensor) else dtype
        if not self._queued:
            self._report("queue_empty", "deque", site)
            return self._untrusted(element)
        slot = self._queued.popleft()
        if slot.state != ENQUE:
            self._report("queue_state", "deque", site, state=slot.state, expected="ENQUE")
        if slot.ready_event is not None:
            self._core.wait_flag(*slot.ready_event, site, by="deque")
            self._ids.give(*slot.ready_event, site)
            slot.ready_event = None
        if slot.owner is None:
            return self._untrusted(element)
        slot.state = DEQUE
        tensor = LocalTensor.view(slot.owner, slot.lower, element, slot.size // element.sizeof())
        if isinstance(dtype, LocalTensor):
            dtype.owner, dtype.addr, dtype.size = tensor.owner, tensor.addr, tensor.size
            return dtype
        return tensor

    def free_tensor(self, tensor: LocalTensor) -> None:
        """Give a buffer back: sets the free event."""
        site = here()
        slot = self._own(tensor, "free_tensor", site)
        if slot is None:
            return
        if slot.state == FREE or not tensor.owner.alive:
            self._report("freed_twice", "free_tensor", site)
            return
        slot.free_event = self._ids.take(self.freed, site)
        self._core.set_flag(self.freed, slot.free_event, site, by="free_tensor")
        slot.state = FREE
        tensor.owner.alive = False

    def free_all_event(self) -> None:
        """Wait for all outstanding free events."""
        self._wait_outstanding(here())

    def has_idle_buffer(self) -> bool:
        """Whether alloc_tensor would find a buffer."""
        return any(slot.state == FREE for slot in self._slots)

    def has_tensor_in_que(self) -> bool:
        """Whether deque would find a tensor."""
        return bool(self._queued)

    def get_tensor_count_in_que(self) -> int:
        """How many tensors are enqueued."""
        return len(self._queued)

    def vacant_in_que(self) -> bool:
        """Whether enque has room."""
        return len(self._queued) < self.depth

    def close(self, completed: bool) -> None:
        """End of the pipe: wait for outstanding free events; what is still allocated is a leak."""
        if completed:
            self._wait_outstanding(None)
        if not (completed or self._core.deadlocked):
            return
        for slot in self._slots:
            if slot.state != FREE:
                self._core.report("leak", slot.site, label=self.label, state=slot.state)

    def _wait_outstanding(self, site: Site | None) -> None:
        for slot in self._slots:
            if slot.free_event is not None:
                self._core.wait_flag(self.freed, slot.free_event, site, by="free_all_event")
                self._ids.give(self.freed, slot.free_event, site)
                slot.free_event = None

    def _next_free(self, site: Site) -> Slot:
        slots = self._slots
        for step in range(len(slots)):
            slot = slots[(self._cursor + step) % len(slots)]
            if slot.state == FREE:
                self._cursor = (self._cursor + step + 1) % len(slots)
                return slot
        if not slots:
            self._report("queue_without_buffers", "alloc_tensor", site)
            what = f"alloc_tensor: {self.label} has no buffer, call init_buffer first"
            raise self._core.deadlock(Blocked("S", "alloc_tensor", f": {what}", site))
        limit = len(slots)
        held = ", ".join(f"{slot.state} since {_line(slot.site)}" for slot in slots)
        self._report("queue_exhausted", "alloc_tensor", site, size=limit + 1, limit=limit, held=held)
        what = f": {self.label}: size is {limit + 1}, which exceed limits {limit}; its buffers are {held}"
        raise self._core.deadlock(Blocked("S", "alloc_tensor", what, site))

    def _own(self, tensor: LocalTensor, action: str, site: Site) -> Slot | None:
        slot = getattr(tensor.owner, "slot", None)
        if isinstance(slot, Slot) and slot.queue is self:
            return slot
        if tensor.owner is None or not tensor.owner.trusted:
            self._report("foreign_tensor", action, site)
        return None

    def _untrusted(self, dtype: DataType) -> LocalTensor:
        lower, size = (self._slots[0].lower, self._slots[0].size) if self._slots else (0, 32)
        owner = Allocation(self._core, self.position, lower, size, self.label, trusted=True)
        return LocalTensor.view(owner, lower, dtype, size // dtype.sizeof())

    def _report(self, rule: str, op: str, site: Site, **facts: Any) -> None:
        self._core.report(rule, site, op=op, label=self.label, **facts)


class TQue(TQueBind):
    """A queue at one position, e.g. ``TQue(TPosition.VECIN, 1)``."""

    _name = "TQue"

    def __init__(self, pos: TPosition = TPosition.VECIN, depth: int = 1, mask: int = 0) -> None:
        super().__init__(_SOURCES.get(pos, pos), _TARGETS.get(pos, pos), depth, mask)
        self.position = pos


class TBuf(TQueBind):
    """A buffer without events; synchronisation is the user's."""

    _name = "TBuf"

    def __init__(self, pos: TPosition = TPosition.VECCALC) -> None:
        super().__init__(pos, pos, 1)
        self.position = pos
        self._whole: Allocation | None = None

    def bind(self, lowers: list[int], size: int, label: str) -> None:
        """Give the buffer its bytes; init_buffer does."""
        super().bind(lowers, size, label)
        self._whole = Allocation(self._core, self.position, lowers[0], size, label)

    def get(self, dtype: DataType, len: int | None = None, shape: Any = None) -> LocalTensor:
        """A tensor at the start of the buffer; ``len`` in elements."""
        del shape
        whole = self._memory()
        available = (whole.upper - whole.lower) // dtype.sizeof()
        return LocalTensor.view(whole, whole.lower, dtype, available if len is None else int(len))

    def get_with_offset(self, size: int, buf_offset: int, dtype: DataType) -> LocalTensor:
        """A tensor of ``size`` elements at ``buf_offset`` bytes.

        Raises:
            ValueError: the offset is not a multiple of 32.
        """
        if int(buf_offset) % 32:
            raise ValueError(f"get_with_offset: buf_offset: found {buf_offset}, expected a multiple of 32 bytes")
        whole = self._memory()
        return LocalTensor.view(whole, whole.lower + int(buf_offset), dtype, int(size))

    def alloc_tensor(self, dtype: DataType | LocalTensor) -> LocalTensor:
        """As ``get``."""
        return self.get(dtype.dtype if isinstance(dtype, LocalTensor) else dtype)

    def free_tensor(self, tensor: LocalTensor) -> None:
        """Without effect: the buffer stays."""

    def close(self, completed: bool) -> None:
        """Nothing to wait for."""

    def _memory(self) -> Allocation:
        if self._whole is None:
            raise RuntimeError("TBuf: found no memory, expected init_buffer before the first use")
        return self._whole


def _line(site: Site | None) -> str:
    return f"{site.file}:{site.line}" if site else "an unknown line"
