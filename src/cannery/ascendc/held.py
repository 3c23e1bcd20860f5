"""What C++ names by number: the buffers and queues of one core, and its TPipe."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from cannery.aicore.core import Core
from cannery.aicore.registers import Registers
from cannery.isa.enums import MEMORY, TPosition
from cannery.isa.queues import Queue
from cannery.isa.space import Space
from cannery.isa.tensors import Allocation

BLOCK: Final = 32
_POSITIONS: Final[Mapping[int, TPosition]] = MappingProxyType(
    {
        **{int(position): position for position in TPosition if position != TPosition.MAX},
        12: TPosition.VECCALC,  # SPM
        13: TPosition.A1,  # TSCM
    }
)
"""The machine's positions by Ascend C's numbers."""


def position_of(number: int) -> TPosition:
    """A position by Ascend C's number.

    Raises:
        NotImplementedError: one that is not simulated.
    """
    position = _POSITIONS.get(number)
    if position is None:
        raise NotImplementedError(f"TPosition {number} is not simulated")
    return position


class Buffer:
    """A TBuf: bytes without events."""

    def __init__(self, position: TPosition) -> None:
        self.position = position
        self.owner: Allocation | None = None

    def bind(self, core: Core, lower: int, size: int, label: str) -> None:
        """Give it its bytes."""
        self.owner = Allocation(core, self.position, lower, size, label)


class Held:
    """The numbered objects of a core. Numbers begin with 1; 0 stands for none."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self.pipe: int | None = None
        self.space = Space(core)
        self.bound: list[Queue] = []
        self._owners: list[Allocation] = []
        self._numbers: dict[Allocation, int] = {}
        self._named: list[Any] = []

    def number(self, owner: Allocation) -> int:
        """The number of a buffer."""
        found = self._numbers.get(owner)
        if found is None:
            self._owners.append(owner)
            found = self._numbers[owner] = len(self._owners)
        return found

    def owner(self, number: int) -> Allocation | None:
        """The buffer of a number, None for 0."""
        return self._owners[number - 1] if 0 < number <= len(self._owners) else None

    def containing(self, memory: str, address: int) -> Allocation | None:
        """The latest buffer of a memory that has an address."""
        inside = (
            owner
            for owner in reversed(self._owners)
            if MEMORY[owner.position] == memory and owner.lower <= address < owner.upper
        )
        return next(inside, None)

    def name(self, thing: Queue | Buffer) -> int:
        """A number for a queue or a TBuf."""
        self._named.append(thing)
        return len(self._named)

    def named(self, number: int) -> Any:
        """The queue or TBuf of a number."""
        return self._named[number - 1]

    def begin(self, pipe: int) -> None:
        """A TPipe begins, or begins again."""
        self.pipe = pipe
        self.core.registers = Registers()
        self.core.is_managed = True
        self.forget()

    def forget(self) -> None:
        """Forget all buffers."""
        self.bound = []
        self.space.clear()

    def bind(self, thing: Queue | Buffer, count: int, size: int, site: Any) -> None:
        """Memory for a queue, or for a TBuf: ``count`` buffers, each rounded up to 32 bytes."""
        memory, each = MEMORY[thing.position], -(-size // BLOCK) * BLOCK
        lower = self.space.reserve(memory, count * each)
        kind = "TBuf" if isinstance(thing, Buffer) else "TQue"
        who = f"{kind}<{thing.position.name}>"
        label = f"{who} buffer at {memory}+{lower}"
        if isinstance(thing, Buffer):
            thing.bind(self.core, lower, count * each, label)
        else:
            thing.bind([lower + index * each for index in range(count)], each, label)
            self.bound.append(thing)
        self.space.hold(site, memory, lower, count * each, f"{who}: {count} x {each}")
        self.space.count_buffers(site, count)

    def close(self, completed: bool) -> None:
        """The pipe's end: outstanding free events are waited for, what is still taken is a leak."""
        if self.pipe is not None:
            for queue in self.bound:
                queue.close(completed)
            self.forget()
            self.pipe = None


def held(core: Core) -> Held:
    """The numbered objects of a core."""
    found: Held | None = core.state.get(Held)
    if found is None:
        found = core.state[Held] = Held(core)
        core.closers.append(found.close)
    return found
