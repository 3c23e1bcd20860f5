"""Unit flags: the blocks of L0C that products hand to fixpipe, and get back, one by one
(mirror-cann/asc-devkit docs, Mmad, UnitFlag, @82b89a15f).

Each block of 512 bytes has a bit. A product with the flag on (2 or 3) waits until the bit is 0; with 3 it is 1
afterwards. fixpipe with the flag on waits until it is 1; with 3 it is 0 afterwards. So two events of each block carry
the order, as if the program had set and awaited them.
"""

from __future__ import annotations

from typing import Final

from cannery.aicore.core import Core
from cannery.aicore.flags import Event, UnitFlag
from cannery.aicore.instruction import Access, Instruction
from cannery.aicore.pipes import BY_ENDS, FIX, M

BLOCK: Final = 512
OFF: Final = 0
KEEP: Final = 2
HAND_OVER: Final = 3
VALUES: Final = (OFF, KEEP, HAND_OVER)


class Block:
    """The two events of one block: it is full, it is empty again."""

    __slots__ = ("empty", "full")

    def __init__(self, address: int) -> None:
        self.full: Event = UnitFlag(BY_ENDS[M, FIX], address)
        self.empty: Event = UnitFlag(BY_ENDS[FIX, M], address)

    def owed(self, pipe: int) -> Event | None:
        """What a pipe still has to wait for before it touches the block."""
        if pipe == M:
            return self.empty if self.empty.awaited < self.full.sent else None
        return self.full if self.full.awaited <= self.empty.sent else None


def check(op: str, flag: int) -> None:
    """Refuse what is no unit flag.

    Raises:
        ValueError: it is none.
    """
    if flag not in VALUES:
        raise ValueError(f"{op}: unit_flag: found {flag}, expected {OFF}, {KEEP} or {HAND_OVER}")


def issue(core: Core, instruction: Instruction, flag: int, region: Access) -> None:
    """Issue a product or a fixpipe whose bytes in L0C are ``region``."""
    if flag == OFF:
        core.issue(instruction)
        return
    blocks = [_block(core, number) for number in _numbers(region)]
    site, op = instruction.site, instruction.op
    for block in blocks:
        event = block.owed(instruction.pipe)
        if event is not None:
            core.wait_event(event, site, by=op)
    core.issue(instruction)
    if flag == HAND_OVER:
        for block in blocks:
            core.set_event(block.full if instruction.pipe == M else block.empty, site, by=op)


def _block(core: Core, number: int) -> Block:
    blocks: dict[int, Block] = core.state.setdefault(Block, {})
    if number not in blocks:
        blocks[number] = Block(number * BLOCK)
    return blocks[number]


def _numbers(region: Access) -> list[int]:
    """The blocks that an access touches."""
    runs = region.runs or ((0, region.upper - region.lower),)
    base = region.lower
    touched = {
        number for start, stop in runs for number in range((base + start) // BLOCK, -(-(base + stop) // BLOCK))
    }  # fmt: skip
    return sorted(touched)
