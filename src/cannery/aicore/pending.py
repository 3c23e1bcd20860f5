"""What waits in a pipe's queue: which bytes it touches, and how a deadlock tells of it."""

from __future__ import annotations

from cannery.aicore.flags import Blocked, Set, Wait
from cannery.aicore.instruction import Access, Instruction
from cannery.aicore.pipes import PIPES


def note_written(instruction: Instruction) -> None:
    """Remember which bytes of local memory an instruction writes."""
    for access in instruction.writes:
        written = access.memory.written
        if written is not None:
            written.add((access.lower, access.upper))


def collides(entry: Instruction | Set | Wait, access: Access, write: bool) -> bool:
    """Whether a pending instruction and an access touch the same bytes, one of them writing."""
    if not isinstance(entry, Instruction):
        return False
    others = entry.writes
    if write:
        looked_up = () if entry.lookup is None else (entry.lookup.access,)
        others = (*entry.reads, *looked_up, *entry.writes)
    return any(other.memory is access.memory and other.touches(access.lower, access.upper) for other in others)


def head(pipe: int, entry: Instruction | Set | Wait) -> Blocked:
    """What a pipe that cannot go on has at its head."""
    match entry:
        case Wait():
            return Blocked.on(PIPES[pipe], entry)
        case Set():
            return Blocked(PIPES[pipe], "set_flag", f"({entry.event.name}, {entry.event.id})", None)
    return Blocked(PIPES[pipe], entry.op, "", entry.site)
