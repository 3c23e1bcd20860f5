"""The accesses that a finding is about, as values; made when a finding first occurs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from cannery.aicore.instruction import Access
from cannery.aicore.pipes import PIPES
from cannery.watch.history import Stamp
from cannery.watch.spans import spans
from cannery.watch.spelling import Spelling
from cannery.watch.steps import Steps

Overlap = tuple[int, int]


class Side(NamedTuple):
    """An access as the judges know it; ``place`` is its number among the reads or writes, -1 where it is looked up."""

    stamp: Stamp
    access: Access
    write: bool
    place: int
    core: int
    steps: Steps


@dataclass(frozen=True)
class Accessed:
    """One access of a finding.

    Attributes:
        action: "Read" or "Write".
        op: the operation, as the kernel's language names it.
        pipe: of its core.
        core: block index of the core.
        file, line: where it stands; "" and 0 where nobody knows.
        tensor: what the program calls the tensor, else the buffer.
        memory: GM, UB, L1, …
        lower, upper: its bytes ``[lower, upper)``, from the start of the memory, or of the array in GM.
        loops: names of loop variables and their values, the outermost first, when it first occurred.
    """

    action: str
    op: str
    pipe: str
    core: int
    file: str
    line: int
    tensor: str
    memory: str
    lower: int
    upper: int
    loops: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        loops = "".join(f", {name} = {value}" for name, value in self.loops)
        return (
            f"{self.action} of {self.tensor}: bytes {self.lower:#x} to {self.upper:#x} of {self.memory}, "
            f"PIPE_{self.pipe}, core {self.core}{loops}"
        )

    def as_dict(self) -> dict[str, Any]:
        """The access as JSON has it."""
        return {
            "action": self.action, "op": self.op, "pipe": self.pipe, "core": self.core, "file": self.file,
            "line": self.line, "tensor": self.tensor, "memory": self.memory, "lower": self.lower, "upper": self.upper,
            "loops": dict(self.loops),
        }  # fmt: skip


def accessed(side: Side, spelling: Spelling) -> Accessed:
    """A side in the words of a kernel's language."""
    stamp, access = side.stamp, side.access
    site, origin = stamp.site, origin_of(access)
    loops = tuple(
        (name, value)
        for loop, value in side.steps.around(stamp.serial)
        if (name := spelling.loop_variable(loop))
    )  # fmt: skip
    tensor = spelling.operand(site, stamp.op, write=side.write, place=side.place) if site else ""
    return Accessed(
        "Write" if side.write else "Read", spelling.name(stamp.op), PIPES[stamp.pipe], side.core,
        site.file if site else "", site.line if site else 0, tensor or access.owner.label, access.memory.name,
        access.lower - origin, access.upper - origin, loops,
    )  # fmt: skip


def origin_of(access: Access) -> int:
    """Where a report counts an access's bytes from: never a host address, which differs between runs."""
    return int(access.owner.origin) if access.memory.name == "GM" else 0


def overlap(one: Access, other: Access) -> Overlap | None:
    """The first bytes that two accesses share, counted as reports count."""
    origin = origin_of(one)
    for lower, upper in spans(one):
        for start, stop in spans(other):
            if lower < stop and start < upper:
                return max(lower, start) - origin, min(upper, stop) - origin
    return None


def place_of(access: Access, accesses: Sequence[Access]) -> int:
    """The number of an access, -1 where it is none of these."""
    return next((place for place, other in enumerate(accesses) if other is access), -1)


def touching(access: Access, accesses: Sequence[Access]) -> int:
    """The number of the first access that shares a byte with another, -1 where none does."""
    for place, other in enumerate(accesses):
        if other.memory is access.memory and overlap(access, other) is not None:
            return place
    return -1
