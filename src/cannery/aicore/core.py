"""A core: pipes that issue in order and complete lazily.

An instruction takes effect as late as its synchronisation allows: it waits in its pipe's queue until the scalar pipe
waits for it, another pipe's wait makes it due, the queues are full, or the kernel ends. A kernel that forgets a wait
therefore works on stale or poisoned data, the same on every run. Whenever a pipe is made to work, it runs as far as its
own waits allow, so that a producer nobody holds back overwrites what its consumer has not read yet.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from random import Random
from typing import Any, Final, Protocol

from cannery.aicore import pipes
from cannery.aicore.cache import ScalarCache
from cannery.aicore.deadlock import DeadlockError
from cannery.aicore.flags import (
    Barrier,
    Blocked,
    Event,
    Set,
    Wait,
)  # fmt: skip
from cannery.aicore.instruction import Access, Instruction, Site
from cannery.aicore.limits import MEMORIES
from cannery.aicore.memory import Arena, GlobalMemory, Memory, Pool
from cannery.aicore.pending import collides, head, note_written
from cannery.aicore.pipes import COUNT, PIPES, S
from cannery.aicore.records import CacheClean, Deadlock, Fact, Finish, Fresh, Record
from cannery.aicore.registers import Registers
from cannery.aicore.setup import Setup

WINDOW: Final = 128
"""Pending entries after which the pipes are made to work; bounds memory."""


class Watcher(Protocol):
    """Who looks at a launch: a checker, a timeline, a test. It changes nothing about what happens.

    Records come in the order of issue; cores take turns, so that ``see`` is never called twice at once.
    """

    def see(self, core: Core, record: Record) -> None:
        """Something was issued on a core, or happened to it. Instructions come before they take effect."""

    def end(self, completed: bool) -> None:
        """The launch has ended; ``completed``: on all cores without an error."""


class Peers(Protocol):
    """The cores of a launch, and what one of them can do with the others."""

    cores: Sequence[Core]

    def set_flag(self, core: Core, flag: int, mode: int, pipe: int, site: Site | None, op: str = "") -> None: ...

    def wait_flag(self, core: Core, flag: int, mode: int | None, site: Site | None, op: str = "") -> None: ...

    def wait_until(self, core: Core, ready: Callable[[], bool], op: str, site: Site | None) -> None: ...

    def meet(self, core: Core, key: Hashable, members: Iterable[Core], op: str, site: Site | None) -> None: ...

    def post(self, core: Core, key: Hashable) -> None: ...

    def receive(self, core: Core, key: Hashable, op: str, detail: str, site: Site | None) -> None: ...


class Core:
    """One core of a launch.

    Attributes:
        launch: what the launch is.
        pool: where its local memories come from.
        watchers: who is told what is issued.
        index: among all cores of the launch.
        kind: "aiv" or "aic".
        block: what get_block_idx returns on it.
        peers: the cores of the launch, this one among them; the launch sets it.
        cache: the scalar unit's data cache; the launch sets it.
        in_order: instructions take effect at once (kernels whose synchronisation the compiler inserts).
        auto_sync: the compiler orders what depends on each other, as the launch says; on a cube core nothing is.
        loops: how many loops the program is in that tell their steps.
        is_managed: a TPipe hands out memory and event ids.
    """

    peers: Peers
    cache: ScalarCache

    def __init__(
        self, launch: Setup, pool: Pool, watchers: tuple[Watcher, ...], index: int, kind: str, block: int,
        sub_block: int,
    ) -> None:  # fmt: skip
        self.launch = launch
        self.pool = pool
        self.watchers = watchers
        self.index = index
        self.kind = kind
        self.block = block
        self.sub_block = sub_block
        self.group = block if kind == "aic" else block // launch.vectors_per_group
        self.soc = launch.soc
        self.limits = launch.limits
        self._memories = MEMORIES[kind]
        self.auto_sync = launch.auto_sync and kind == "aiv"
        self.registers = Registers()
        self.gm = GlobalMemory()
        self.in_order = False
        self.is_managed = False
        self.loops = 0
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
            arena = self._arenas[name] = self.pool.take(name)
        return arena

    def tell(self, record: Record) -> None:
        """Let the watchers see a record."""
        for watcher in self.watchers:
            watcher.see(self, record)

    def report(
        self, rule: str, *sites: Site | None, memory: str = "", pipes: tuple[int, ...] = (), **facts: Any
    ) -> None:
        """Tell the watchers what a rule is about; ``facts`` as that rule's words name them."""
        if self.watchers:
            self.tell(Fact(rule, sites, memory, pipes, facts))

    def fresh(self, memory: Memory, lower: int, upper: int) -> None:
        """A buffer was handed out: its contents are undefined again."""
        for watcher in self.watchers:
            watcher.see(self, Fresh(memory, lower, upper))

    def clean_cache(self, lower: int | None = None, upper: int | None = None, site: Site | None = None) -> None:
        """Clean and invalidate the scalar unit's cache, in a range of host addresses or all of it."""
        self.tell(CacheClean(lower, upper, site))
        self.cache.clean(lower, upper)

    def issue(self, instruction: Instruction) -> None:
        """Issue an instruction to its pipe; one that touches memory of the other kind of core does nothing."""
        if not self._reaches(instruction):
            return
        for watcher in self.watchers:
            watcher.see(self, instruction)
        note_written(instruction)
        pipe = instruction.pipe
        self.issued[pipe] += 1
        if self.in_order:
            instruction.effect(*instruction.args)
            return
        self._queues[pipe].append(instruction)
        self._backlog += 1
        if self._backlog >= self._window:
            self.work()
            self._window = max(WINDOW, 2 * self._backlog)

    def _reaches(self, instruction: Instruction) -> bool:
        """Whether this core has the memories of an instruction; where no core of the launch has them it is said so."""
        own = self._memories
        for accesses in (instruction.reads, instruction.writes):
            for access in accesses:
                name = access.memory.name
                if name not in own:
                    if self.launch.is_of_one_kind:
                        self.report(
                            "wrong_core", instruction.site, memory=name, pipes=(instruction.pipe,), op=instruction.op
                        )
                    return False
        return True

    def scalar(self, instruction: Instruction) -> Any:
        """Execute an instruction of the scalar pipe; its result."""
        for watcher in self.watchers:
            watcher.see(self, instruction)
        note_written(instruction)
        self.issued[S] += 1
        if self._backlog and self.auto_sync:
            self._let_finish(instruction)
        return instruction.effect(*instruction.args)

    def set_flag(self, number: int, identity: int, site: Site | None, *, by: str = "") -> None:
        """Set an event; ``by`` names the queue operation that does it, if it is not the program."""
        self.set_event(self._events.get((number, identity)) or self._event(number, identity), site, by=by)

    def set_event(self, event: Event, site: Site | None, *, by: str = "") -> None:
        """Set an event that may be none of the program's own."""
        if self.in_order:
            return
        event.sent += 1
        event.last_set = site
        self.issued[event.source] += 1
        record = Set(event, site, by)
        for watcher in self.watchers:
            watcher.see(self, record)
        if event.source == S:
            event.done += 1
            return
        self._queues[event.source].append(record)
        self._backlog += 1

    def wait_flag(self, number: int, identity: int, site: Site | None, *, by: str = "") -> None:
        """Wait for an event; only the scalar pipe stops the program while it waits."""
        self.wait_event(self._events.get((number, identity)) or self._event(number, identity), site, by=by)

    def wait_event(self, event: Event, site: Site | None, *, by: str = "") -> None:
        """Wait for an event that may be none of the program's own."""
        if self.in_order:
            return
        event.awaited += 1
        self.issued[event.destination] += 1
        record = Wait(event, event.awaited, site, by)
        for watcher in self.watchers:
            watcher.see(self, record)
        if event.destination == S:
            self._scalar_wait(record)
            return
        self._queues[event.destination].append(record)
        self._backlog += 1

    def barrier(self, pipe: int | None, site: Site | None) -> None:
        """Order a pipe's later instructions after its earlier ones; None: all pipes, and the program waits."""
        if self.in_order:
            return
        if self.watchers:
            self.tell(Barrier(pipe, site))
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
            self.cache.clean()
            self.in_order = True

    def work(self) -> None:
        """Complete what can be completed."""
        while self._backlog and self._work_once():
            pass

    def settle(self, pipe: int) -> bool:
        """Let a pipe complete all that it was given; whether it could."""
        queue = self._queues[pipe]
        while queue:
            if not (self._advance(pipe) or self._work_once()):
                return False
        return True

    def deadlock(self, scalar: Blocked | None, others: Iterable[Blocked] = ()) -> DeadlockError:
        """The error, and the finding, for a core that cannot go on; ``scalar`` is what the program itself waits for,
        ``others`` are heads of other cores that wait as well.
        """
        self.deadlocked = True
        heads = (*self.heads(scalar), *others)
        self.tell(Deadlock(heads))
        return DeadlockError(self.launch.kernel, self.block, heads)

    def heads(self, scalar: Blocked | None) -> tuple[Blocked, ...]:
        """What stands at the head of each pipe that cannot go on."""
        self.work()
        stuck = [(pipe, queue[0]) for pipe, queue in enumerate(self._queues) if queue]
        # First the waits that no set will ever answer.
        stuck.sort(key=lambda entry: not (isinstance(entry[1], Wait) and entry[1].event.sent < entry[1].ordinal))
        return (*([scalar] if scalar else []), *(head(pipe, entry) for pipe, entry in stuck))

    def finish(self, completed: bool) -> None:
        """End of the kernel: close the pipe object, let everything complete.

        Raises:
            DeadlockError: not everything can complete.
        """
        try:
            for close in self.closers:
                close(completed)
            if completed:
                self.drain()
        finally:
            self.tell(Finish(completed))
            self.pool.give(self._arenas.values())

    def _let_finish(self, instruction: Instruction) -> None:
        """Wait for what the compiler makes the scalar unit wait for: pending accesses to its bytes.

        Raises:
            DeadlockError: they are behind a wait whose set only the program itself could still issue.
        """
        for access in instruction.reads:
            self._let_pass(instruction, access, write=False)
        for access in instruction.writes:
            if access.memory is not self.gm:
                self._let_pass(instruction, access, write=True)

    def is_unsettled(self, access: Access) -> bool:
        """Whether bytes of an access in local memory were never written, or are by a pending instruction."""
        lower, upper = access.lower, access.upper
        if not any(start < upper and lower < stop for start, stop in access.memory.written):
            return True
        return any(collides(entry, access, False) for queue in self._queues for entry in queue)

    def _let_pass(self, instruction: Instruction, access: Access, *, write: bool) -> None:
        for pipe in pipes.WITH_SCALAR:
            while any(collides(entry, access, write) for entry in self._queues[pipe]):
                if not (self._advance(pipe) or self._work_once()):
                    raise self.deadlock(Blocked("S", instruction.op, "", instruction.site))

    def _event(self, number: int, identity: int) -> Event:
        """An event on its first use."""
        event = self._events[number, identity] = Event(number, identity)
        return event

    def _scalar_wait(self, wait: Wait) -> None:
        event = wait.event
        while event.done < wait.ordinal:
            if event.sent < wait.ordinal or not (self._advance(event.source) or self._work_once()):
                raise self.deadlock(Blocked.on("S", wait))

    def _work_once(self) -> bool:
        moved = [self._advance(pipe) for pipe in self._order()]  # every pipe gets its turn
        return any(moved)

    def _order(self) -> tuple[int, ...]:
        if self._random is None:
            return pipes.LAZIEST_FIRST
        return tuple(self._random.sample(pipes.LAZIEST_FIRST, len(pipes.LAZIEST_FIRST)))

    def _advance(self, pipe: int, due: Wait | None = None) -> bool:
        """Let a pipe work: as far as it can, or, for some seeds, only until a wait is answered. Whether it moved."""
        queue = self._queues[pipe]
        if not queue:
            return False
        self._busy[pipe] = True
        before = len(queue)
        only_due = due is not None and self._random is not None and self._random.random() >= 0.5
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
