"""An instruction as a frozen record: what it does, where, how much, and who wrote it.

Hazards, cost and timeline all read the same record, so a new consumer touches no instruction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol

Runs = tuple[tuple[int, int], ...]
"""Byte intervals relative to the lower end of an access, in lane order."""


class Owner(Protocol):
    """A tensor: which bytes it may touch, whether it is still alive, and whether that is to be judged at all."""

    lower: int
    upper: int
    label: str
    trusted: bool

    @property
    def alive(self) -> bool: ...


class Site(NamedTuple):
    """A source line."""

    file: str
    line: int
    function: str = ""


class Access(NamedTuple):
    """Bytes ``[lower, upper)`` of a memory, through a tensor.

    ``runs`` are the bytes really touched where they are not all (strides, masks); addresses of GM are host addresses.
    ``align`` is what the instruction demands of the start address, in bytes.
    """

    memory: Any
    lower: int
    upper: int
    owner: Any
    runs: Runs | None = None
    align: int = 32

    @property
    def size(self) -> int:
        """How many bytes are touched."""
        if self.runs is None:
            return self.upper - self.lower
        return sum(stop - start for start, stop in self.runs)

    def touches(self, lower: int, upper: int) -> bool:
        """Whether any byte of ``[lower, upper)`` is touched."""
        if self.lower >= upper or lower >= self.upper:
            return False
        base = self.lower
        return self.runs is None or any(base + start < upper and lower < base + stop for start, stop in self.runs)


class Lookup:
    """A read whose places are data: elements of ``size`` bytes somewhere from ``access.lower`` on."""

    __slots__ = ("access", "size")

    def __init__(self, access: Access, size: int) -> None:
        self.access = access
        self.size = size


class Looked(NamedTuple):
    """A look-up has taken effect: where its elements begin."""

    lookup: Lookup
    addresses: tuple[int, ...]


# How the state "never written" flows through an instruction.
FILL: Final = "fill"  # the destination is written, whatever was read
MOVE: Final = "move"  # bytes keep their state
LANES: Final = "lanes"  # a lane computed from never-written bytes counts as never written
CONSUME: Final = "consume"  # never-written bytes become a value someone relies on


class Instruction(NamedTuple):
    """One issued instruction.

    ``op`` names the operation, not its spelling. ``dtype`` is the element type, ``work`` how much is done: elements of
    a computation, bytes of a copy; None and 0 where there is neither.
    """

    op: str
    pipe: int
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    site: Site | None
    effect: Callable[..., Any]
    args: tuple[Any, ...] = ()
    flow: str = LANES
    atomic: str | None = None
    unwritten: Runs = ()
    """Bytes of the first write, absolute, that the instruction leaves undefined (the filler of a padded copy)."""
    dtype: Any = None
    work: int = 0
    lookup: Lookup | None = None
    spread: Callable[[list[tuple[int, int]]], list[tuple[int, int]]] | None = None
    """Which bytes of the first write the given bytes of the read reach, both counted in the order of their runs; None:
    they keep their places."""
    interlocked: bool = False
    """A later instruction of the same pipe that touches its bytes waits for it by itself."""
    apart: tuple[tuple[Access, Access], ...] = ()
    """Pairs of accesses, a write first, that must not share any byte, beside what holds for all instructions."""
