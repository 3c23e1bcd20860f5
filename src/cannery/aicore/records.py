"""What a core tells its watchers: everything issued, and what happens beside it."""

from __future__ import annotations

from typing import Any, NamedTuple

from cannery.aicore.flags import Arrive, Barrier, Blocked, CrossSet, CrossWait, Leave, Post, Receive, Set, Wait
from cannery.aicore.instruction import Instruction, Looked, Site
from cannery.aicore.memory import Memory


class Fresh(NamedTuple):
    """Bytes of a local memory were handed out: their contents are undefined again."""

    memory: Memory
    lower: int
    upper: int


class CacheClean(NamedTuple):
    """The scalar unit's cache was cleaned and invalidated: host addresses ``[lower, upper)``; None: all of it."""

    lower: int | None
    upper: int | None
    site: Site | None


class FlagSpace(NamedTuple):
    """Host addresses ``[lower, upper)`` hold flags by which cores wait for each other: all may write there."""

    lower: int
    upper: int


class Step(NamedTuple):
    """An iteration of a loop of the program begins; value None: the loop has ended. The outermost has depth 1."""

    site: Site
    value: int | None
    depth: int


class Fact(NamedTuple):
    """What an operation noticed and a rule of that name is about; ``facts`` are what there is to say.

    ``sides`` are the accesses that it is about, as a judge knows them, and ``overlap`` the bytes that they share.
    """

    rule: str
    sites: tuple[Site | None, ...]
    memory: str
    pipes: tuple[int, ...]
    facts: dict[str, Any]
    sides: tuple[Any, ...] = ()
    overlap: tuple[int, int] | None = None


class Deadlock(NamedTuple):
    """The core cannot go on."""

    heads: tuple[Blocked, ...]


class Finish(NamedTuple):
    """The core has ended; ``completed``: without an error."""

    completed: bool


Record = (
    Instruction | Set | Wait | Barrier | CrossSet | CrossWait | Arrive | Leave | Post | Receive | Fresh | CacheClean
    | FlagSpace | Fact | Deadlock | Finish | Looked | Step
)  # fmt: skip
"""What a core tells its watchers."""
