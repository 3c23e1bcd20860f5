"""A core: pipes that issue in order and complete lazily.

An instruction takes effect as late as its synchronisation allows: it waits in its pipe's queue until the scalar pipe
waits for it, another pipe's wait makes it due, the queues are full, or the kernel ends. A kernel that forgets a wait
therefore works on stale or poisoned data, the same on every run. Whenever a pipe is made to work, it runs as far as its
own waits allow, so that a producer nobody holds back overwrites what its consumer has not read yet.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cannery.aicore import pipes
from cannery.aicore.errors import DeadlockError
from cannery.aicore.instruction import Flag, Instruction, Site
from cannery.aicore.memory import Arena, GlobalMemory
from cannery.aicore.pipes import COUNT, ENDS, EVENTS, PIPES, S
from cannery.aicore.registers import Registers

if TYPE_CHECKING:
    from cannery.aicore.checker import Checker
    from cannery.aicore.launch import Launch

Observer = Callable[[int, Instruction | Flag], None]
"""Gets the core's index and what is issued to it."""

WINDOW: Final = 128
"""Pending entries after which the pipes are made to work; bounds memory."""


class Event:
    """The flags of one (HardEvent, id), matched first in, first out.

    The n-th wait is answered by the n-th set: a queue takes an id again as soon as the wait is issued, which may be
    before that wait has executed.
    """

    __slots__ = ("awaited", "carried", "done", "id", "number", "orphans", "sent", "source")

    def __init__(self, number: int, identity: int) -> None:
        self.number = number
        self.id = identity
        self.source = ENDS[number][0]
        self.sent = 0
        self.awaited = 0
        self.done = 0
        self.carried: deque[Any] = deque()
        self.orphans: deque[Any] = deque()

    def __str__(self) -> str:
        return f"{EVENTS[self.number]}, {self.id}"


class Set(NamedTuple):
    """A set_flag in its pipe's queue."""

    event: Event


class Wait(NamedTuple):
    """A wait_flag in its pipe's queue; answered when ``event.done`` reaches ``ordinal``."""

    event: Event
    ordinal: int
    site: Site | None


class Blocked(NamedTuple):
    """The head of a pipe that cannot go on."""

    pipe: str
    what: str
    site: Site | None


class Core:
    """One core of a launch.

    Attributes:
        kind: "aiv" or "aic".
        block: what get_block_idx returns on it.
        checker: records and judges what is issued; None when checks are off.
        observer: sees every instruction and flag as it is issued, e.g. for a timeline.
        in_order: instructions take effect at once (kernels whose synchronisation the compiler inserts).
    """

    def __init__(self, launch: Launch, index: int, kind: str, block: int, sub_block: int) -> None:
        self.launch = launch
        self.index = index
        self.kind = kind
        self.block = block
        self.sub_block = sub_block
        self.group = block if kind == "aic" else block // launch.vectors_per_group
        self.soc = launch.soc
        self.limits = launch.limits
        self.registers = Registers()
        self.gm = GlobalMemory()
        self.checker: Checker | None = None
        self.observer: Observer | None = launch.observer
        self.in_order = False
        self.deadlocked = False
        self.closers: list[Callable[[bool], None]] = []
        self.issued = [0] * COUNT
        self.state: dict[Any, Any] = {}
        self._arenas: dict[str, Arena] = {}
        self._queues: tuple[deque[Any], ...] = tuple(deque() for _ in PIPES)
        self._events: dict[tuple[int, int], Event] = {}
        self._busy = [False] * COUNT
        self._backlog = 0
        self._window = WINDOW
        self._random = Random(f"{launch.seed}/{index}") if launch.seed else None

    def arena(self, name: str) -> Arena:
        """A local memory by name (UB, L1, …), fresh and poisoned when first used."""
        arena = self._arenas.get(name)
        if arena is None:
            arena = self._arenas[name] = self.launch.fresh_arena(name)
        return arena

    def issue(self, instruction: Instruction) -> None:
        """Issue an instruction to its pipe."""
        if self.checker is not None:
            self.checker.instruction(instruction)
        if self.observer is not None:
            self.observer(self.index, instruction)
        pipe = instruction.pipe
        self.issued[pipe] += 1
        if self.in_order:
            instruction.effect(*instruction.args)
            return
        self._queues[pipe].append(instruction)
        self._backlog += 1
        if self._backlog >= self._window:
            self._relieve()

    def scalar(self, instruction: Instruction) -> Any:
        """Execute an instruction of the scalar pipe; its result."""
        if self.checker is not None:
            self.checker.instruction(instruction)
        if self.observer is not None:
            self.observer(self.index, instruction)
        self.issued[S] += 1
        return instruction.effect(*instruction.args)

    def set_flag(self, number: int, identity: int, site: Site | None, *, internal: str = "") -> None:
        """Set an event; ``internal`` names the queue operation that does it, if it is not the user."""
        if self.in_order:
            return
        event = self._event(number, identity)
        event.sent += 1
        self.issued[event.source] += 1
        self._observe(internal or "set_flag", event, site)
        if self.checker is not None:
            self.checker.set_flag(event, site, internal)
        if event.source == S:
            event.done += 1
            return
        self._queues[event.source].append(Set(event))
        self._backlog += 1

    def wait_flag(self, number: int, identity: int, site: Site | None, *, internal: str = "") -> None:
        """Wait for an event; only the scalar pipe stops the program while it waits."""
        if self.in_order:
            return
        event = self._event(number, identity)
        event.awaited += 1
        self.issued[ENDS[number][1]] += 1
        self._observe(internal or "wait_flag", event, site)
        if self.checker is not None:
            self.checker.wait_flag(event, site, internal)
        wait = Wait(event, event.awaited, site)
        destination = ENDS[number][1]
        if destination == S:
            self._scalar_wait(wait)
            return
        self._queues[destination].append(wait)
        self._backlog += 1

    def barrier(self, pipe: int | None, site: Site | None) -> None:
        """Order a pipe's later instructions after its earlier ones; None: all pipes, and the program waits."""
        if self.in_order:
            return
        if self.checker is not None:
            self.checker.barrier(pipe, site)
        if self.observer is not None:
            self.observer(self.index, Flag("pipe_barrier", "ALL" if pipe is None else PIPES[pipe], 0, site))
        if pipe is None:
            self.drain()

    def drain(self) -> None:
        """Complete everything issued.

        Raises:
            DeadlockError: a pipe waits for a flag nobody sets.
        """
        self.work()
        if self._backlog:
            raise self.deadlock(None)

    def run_in_order(self) -> None:
        """From here on every instruction takes effect when it is issued, and flags mean nothing.

        Raises:
            DeadlockError: what was issued before cannot complete.
        """
        if not self.in_order:
            self.drain()
            self.in_order = True

    def work(self) -> None:
        """Complete what can be completed."""
        while self._backlog and self._work_once():
            pass

    def deadlock(self, scalar: Blocked | None) -> DeadlockError:
        """The error, and the finding, for a core that cannot go on; ``scalar`` is what the program itself waits for."""
        self.deadlocked = True
        self.work()
        stuck = [(pipe, queue[0]) for pipe, queue in enumerate(self._queues) if queue]
        stuck.sort(key=lambda entry: not _hopeless(entry[1]))  # first the waits that no set will ever answer
        heads = [scalar] if scalar else []
        heads += [_head(pipe, entry) for pipe, entry in stuck]
        if self.checker is not None:
            self.checker.deadlock(heads)
        return DeadlockError(self.launch.kernel, self.block, heads)

    def events(self) -> list[Event]:
        """The events used so far."""
        return list(self._events.values())

    def finish(self, completed: bool) -> None:
        """End of the kernel: close the pipe object, let everything complete, judge what is left over.

        Raises:
            DeadlockError: not everything can complete.
        """
        try:
            for close in self.closers:
                close(completed)
            if completed:
                self.drain()
        finally:
            if self.checker is not None:
                self.checker.finish(completed)
            self.launch.recycle(self._arenas.values())

    def _event(self, number: int, identity: int) -> Event:
        key = (number, identity)
        event = self._events.get(key)
        if event is None:
            event = self._events[key] = Event(number, identity)
        return event

    def _observe(self, name: str, event: Event, site: Site | None) -> None:
        if self.observer is not None:
            self.observer(self.index, Flag(name, EVENTS[event.number], event.id, site))

    def _scalar_wait(self, wait: Wait) -> None:
        event = wait.event
        while event.done < wait.ordinal:
            if event.sent < wait.ordinal or not (self._advance(event.source) or self._work_once()):
                raise self.deadlock(Blocked("S", f"wait_flag({event})", wait.site))

    def _work_once(self) -> bool:
        moved = [self._advance(pipe) for pipe in self._order()]  # every pipe gets its turn
        return any(moved)

    def _relieve(self) -> None:
        self.work()
        self._window = max(WINDOW, 2 * self._backlog)

    def _order(self) -> tuple[int, ...]:
        if self._random is None:
            return pipes.LAZIEST_FIRST
        return tuple(self._random.sample(pipes.LAZIEST_FIRST, len(pipes.LAZIEST_FIRST)))

    def _runs_ahead(self) -> bool:
        return self._random is None or self._random.random() < 0.5

    def _advance(self, pipe: int, due: Wait | None = None) -> bool:
        """Let a pipe work: as far as it can, or, for some seeds, only until a wait is answered. Whether it moved."""
        queue = self._queues[pipe]
        if not queue:
            return False
        self._busy[pipe] = True
        before = len(queue)
        only_due = due is not None and not self._runs_ahead()
        while queue:
            head = queue[0]
            kind = type(head)
            if kind is Instruction:
                head.effect(*head.args)
            elif kind is Set:
                head.event.done += 1
            elif not self._answered(head):
                break
            queue.popleft()
            if only_due and due is not None and due.event.done >= due.ordinal:
                break
        self._busy[pipe] = False
        self._backlog -= before - len(queue)
        return len(queue) < before

    def _answered(self, wait: Wait) -> bool:
        event = wait.event
        if event.done >= wait.ordinal:
            return True
        if event.sent < wait.ordinal or self._busy[event.source]:
            return False
        self._advance(event.source, wait)
        return event.done >= wait.ordinal


def _hopeless(entry: Any) -> bool:
    return isinstance(entry, Wait) and entry.event.sent < entry.ordinal


def _head(pipe: int, entry: Any) -> Blocked:
    if isinstance(entry, Wait):
        return Blocked(PIPES[pipe], f"wait_flag({entry.event})", entry.site)
    name = entry.name if isinstance(entry, Instruction) else f"set_flag({entry.event})"
    return Blocked(PIPES[pipe], name, getattr(entry, "site", None))
