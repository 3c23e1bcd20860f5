"""What orders the instructions of a core, and cores among each other, as records told apart by their type.

A record of an event goes into its pipe's queue and to the watchers; those of several cores go to the watchers only.
``by`` names the queue operation that sets or waits, "" where the program itself does.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from cannery.aicore.instruction import Site
from cannery.aicore.pipes import ENDS, EVENTS


class Event:
    """The flags of one (HardEvent, id), matched first in, first out.

    The n-th wait is answered by the n-th set: a queue takes an id again as soon as the wait is issued, which may be
    before that wait has executed.
    """

    __slots__ = ("awaited", "destination", "done", "id", "last_set", "number", "sent", "source")

    def __init__(self, number: int, identity: int) -> None:
        self.number = number
        self.id = identity
        self.source, self.destination = ENDS[number]
        self.sent = 0
        self.awaited = 0
        self.done = 0
        self.last_set: Site | None = None

    @property
    def name(self) -> str:
        """The HardEvent, e.g. MTE2_V."""
        return EVENTS[self.number]


class Inner(Event):
    """An event of the hardware, or of a function that is many instructions: none that the program sets or awaits."""

    __slots__ = ()


class UnitFlag(Inner):
    """A block of L0C that mmad hands to fixpipe, or fixpipe back; ``id`` is the block's address. The hardware's own."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """Not one of the program's events."""
        return "unit_flag"


class Set(NamedTuple):
    """A set of an event: follows what its pipe was issued before."""

    event: Event
    site: Site | None
    by: str = ""


class Wait(NamedTuple):
    """A wait for an event, answered when ``event.done`` reaches ``ordinal``: what its pipe is issued later follows."""

    event: Event
    ordinal: int
    site: Site | None
    by: str = ""


class Barrier(NamedTuple):
    """A pipe's later instructions follow its earlier ones; ``pipe`` None: those of all pipes, and the program waits."""

    pipe: int | None
    site: Site | None


class Blocked(NamedTuple):
    """The head of a pipe that cannot go on: an operation and what is to say about it; ``event``: what it waits for;
    ``core``: whose pipe, "" on the core that the deadlock is told of.
    """

    pipe: str
    op: str
    detail: str
    site: Site | None
    event: Event | None = None
    core: str = ""

    @classmethod
    def on(cls, pipe: str, wait: Wait) -> Blocked:
        """Blocked by a wait."""
        op = wait.by if isinstance(wait.event, Inner) else "wait_flag"
        return cls(pipe, op, f"({wait.event.name}, {wait.event.id})", wait.site, wait.event)


class CrossFlag:
    """One core's sets of a (flag id, mode), and how often each other core waited for them."""

    __slots__ = ("core", "done", "id", "mode", "sent", "taken")

    def __init__(self, core: int, identity: int, mode: int) -> None:
        self.core = core
        self.id = identity
        self.mode = mode
        self.sent = 0
        self.done = 0
        self.taken: dict[int, int] = {}


class CrossSet(NamedTuple):
    """A set of a cross-core flag, behind what ``pipe`` was issued before."""

    flag: CrossFlag
    pipe: int
    site: Site | None


class CrossWait(NamedTuple):
    """A wait for cross-core flags that is over: each with the ordinal of the set that answered it."""

    answers: tuple[tuple[CrossFlag, int], ...]
    site: Site | None


class Meeting:
    """One passing of a barrier of several cores; ``arrived`` are the indices of those that are there."""

    def __init__(self) -> None:
        self.arrived: set[int] = set()


class Arrive(NamedTuple):
    """A core has come to a meeting, with everything before complete; ``op``: through which operation."""

    meeting: Meeting
    op: str
    site: Site | None


class Leave(NamedTuple):
    """A core goes on from a meeting: everyone is there."""

    meeting: Meeting


class Post(NamedTuple):
    """A message left for another core, with everything before complete."""

    key: Hashable


class Receive(NamedTuple):
    """A message taken."""

    key: Hashable
