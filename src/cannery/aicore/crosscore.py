"""Synchronisation between cores: flags, barriers of all cores, and messages through a workspace."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final

from cannery.aicore.core import Core
from cannery.aicore.flags import Arrive, Blocked, CrossFlag, CrossSet, CrossWait, Leave, Meeting, Post, Receive
from cannery.aicore.instruction import Instruction, Site
from cannery.aicore.pipes import S

Block = Callable[[Core, Callable[[], bool], Blocked], None]
"""Lets other cores run until something is true; raises DeadlockError when it never will be."""


def need_scheduler(core: Core, op: str, site: Site | None) -> None:
    """Say so where an operation that needs the scheduler is used in a kernel without it."""
    if not core.launch.scheduled:
        core.report("no_scheduler", site, op=op)


ONE_VECTOR: Final = 4
"""The mode between a cube and one of its vector cores: the cube's flags from 16 on are the second one's from 0 on."""
INNER: Final = -1
"""As ONE_VECTOR, for functions that are many instructions: none of the program's flags."""
BETWEEN_TWO: Final = frozenset({ONE_VECTOR, INNER})
"""The modes in which a flag has one core that sets it and one that waits."""
_SECOND: Final = 16


def _one_vector(core: Core, group: Sequence[Core], flag: int) -> list[tuple[int, int]]:
    if core.kind == "aiv":
        return [(other.index, flag + _SECOND * core.sub_block) for other in group if other.kind == "aic"]
    sub_block, identity = divmod(flag, _SECOND)
    return [(other.index, identity) for other in group if other.kind == "aiv" and other.sub_block == sub_block]


_GROUP_MODES: Final = (0, 1, 2)
"""The modes of which a wait on dav-2201 knows nothing: it waits for its own core's counter of the flag."""


def _all_done(answers: Iterable[tuple[CrossFlag, int]]) -> bool:
    return all(source.done >= ordinal for source, ordinal in answers)


class CrossCore:
    """The cross-core state of one launch."""

    def __init__(self, cores: Sequence[Core], block: Block) -> None:
        self.cores = cores
        self._let_others_run = block
        self._flags: dict[tuple[int, int, int], CrossFlag] = {}
        self._meetings: dict[tuple[Hashable, int], Meeting] = {}
        self._rounds: dict[tuple[int, Hashable], int] = {}
        self._posted: set[Hashable] = set()
        for core in cores:
            core.peers = self

    def set_flag(
        self, core: Core, flag: int, mode: int, pipe: int, site: Site | None, op: str = "cross_core_set_flag"
    ) -> None:
        """cross_core_set_flag: takes effect when the pipe's earlier instructions are complete."""
        need_scheduler(core, op, site)
        mine = self._flag(core.index, flag, mode)
        mine.sent += 1
        core.tell(CrossSet(mine, pipe, site))

        def effect() -> None:
            mine.done += 1

        instruction = Instruction(op, pipe, (), (), site, effect)
        if pipe == S:
            core.scalar(instruction)
        else:
            core.issue(instruction)

    def wait_flag(
        self, core: Core, flag: int, mode: int | None, site: Site | None, op: str = "cross_core_wait_flag"
    ) -> None:
        """cross_core_wait_flag: blocks every pipe of the core. ``mode`` None: that of the sets, whichever it is.

        Raises:
            DeadlockError: nobody sets it.
        """
        need_scheduler(core, op, site)
        modes = _GROUP_MODES if mode is None else (mode,)
        choices = [self._answers(core, flag, one) for one in modes]
        if mode is None:
            choices = [answers for answers in choices if answers]

        def come() -> tuple[tuple[CrossFlag, int], ...] | None:
            return next((answers for answers in choices if _all_done(answers)), None)

        detail = f"({flag})" if mode is None else "" if mode == INNER else f"({flag}, mode {mode})"
        self._block(core, lambda: come() is not None, Blocked("S", op, detail, site))
        answers = come() or ()
        for source, ordinal in answers:
            source.taken[core.index] = ordinal
        core.tell(CrossWait(answers, site))

    def wait_until(self, core: Core, ready: Callable[[], bool], op: str, site: Site | None) -> None:
        """Let other cores run until something is true. It orders nothing.

        Raises:
            DeadlockError: it never will be.
        """
        self._block(core, ready, Blocked("S", op, "", site))

    def _answers(self, core: Core, flag: int, mode: int) -> tuple[tuple[CrossFlag, int], ...]:
        """The flags that a wait needs, and which of their sets."""
        flags = [self._flag(other, identity, mode) for other, identity in self._answering(core, flag, mode)]
        return tuple((source, source.taken.get(core.index, 0) + 1) for source in flags)

    def meet(self, core: Core, key: Hashable, members: Iterable[Core], op: str, site: Site | None) -> None:
        """A barrier: everything issued before on any member is complete before anything issued after on any.

        Raises:
            DeadlockError: a member never comes.
        """
        core.barrier(None, None)
        passing = self._rounds[core.index, key] = self._rounds.get((core.index, key), 0) + 1
        meeting = self._meetings.setdefault((key, passing), Meeting())
        meeting.arrived.add(core.index)
        core.tell(Arrive(meeting, op, site))
        awaited = {member.index for member in members}
        self._block(core, lambda: awaited <= meeting.arrived, Blocked("S", op, "", site))
        self._meetings.pop((key, passing - 1), None)  # everyone is here, so nobody is still there
        core.tell(Leave(meeting))

    def post(self, core: Core, key: Hashable) -> None:
        """Leave a message that carries everything this core has done."""
        core.barrier(None, None)
        core.tell(Post(key))
        self._posted.add(key)

    def receive(self, core: Core, key: Hashable, op: str, detail: str, site: Site | None) -> None:
        """Wait for a message, and take it; ``op`` and ``detail`` say through which operation, for a deadlock.

        Raises:
            DeadlockError: nobody leaves it.
        """
        self._block(core, lambda: key in self._posted, Blocked("S", op, detail, site))
        self._posted.remove(key)
        core.tell(Receive(key))

    def _flag(self, core: int, flag: int, mode: int) -> CrossFlag:
        return self._flags.setdefault((core, flag, mode), CrossFlag(core, flag, mode))

    def _answering(self, core: Core, flag: int, mode: int) -> list[tuple[int, int]]:
        """Whose sets of which flag a core waits for: mode 0 all of its kind, 1 the vector cores of its group, 2 the
        other kind of its group, 4 one core of the other kind.
        """
        if mode == 0:
            return [(other.index, flag) for other in self.cores if other.kind == core.kind]
        group = [other for other in self.cores if other.group == core.group]
        if mode in BETWEEN_TWO:
            return _one_vector(core, group, flag)
        return [(other.index, flag) for other in group if (other.kind == core.kind) == (mode == 1)]

    def _block(self, core: Core, ready: Callable[[], bool], blocked: Blocked) -> None:
        core.work()
        self._let_others_run(core, ready, blocked)
