"""Who holds which bytes of a core's local memories
(hicann/asc-devkit `impl/basic_api/kernel_tpipe_impl.h` @82b89a15f263).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cannery.aicore.core import Core
from cannery.aicore.instruction import Site
from cannery.aicore.memory import capacity
from cannery.isa.enums import MEMORY, TPosition
from cannery.isa.tensors import Allocation

Holder = tuple[str, int]
"""Who holds how many bytes."""


def occupy(
    core: Core, site: Site | None, memory: str, end: int, limit: int, who: str, holders: Sequence[Holder]
) -> None:
    """Count a memory as used up to ``end``; more than ``limit``, or than is the kernel's own, is a finding that names
    the holders.
    """
    core.pool.note(memory, min(end, limit))
    held: dict[str, Any] = {"wanted": end, "who": who, "holders": tuple(holders)}
    usable = limit - core.launch.reserved
    if end > limit:
        core.report("overflow", site, memory=memory, pipes=(), limit=limit, excess=end - limit, **held)
    elif end > usable and memory == "UB" and limit == capacity(core.soc, memory):
        core.report("reserved", site, memory=memory, pipes=(), limit=usable, excess=end - usable, **held)


def static(core: Core, site: Site | None, position: TPosition, lower: int, size: int, label: str) -> Allocation:
    """Bytes at an address of the program's own choice. More than the chip has is a finding."""
    memory, end = MEMORY[position], lower + size
    occupy(core, site, memory, end, capacity(core.soc, memory), label, [(label, end)])
    return Allocation(core, position, lower, size, label)


class Space:
    """The local memory of a core, handed out from the start of each memory upward."""

    def __init__(self, core: Core) -> None:
        self.core = core
        core.state[Space] = self
        self.clear()

    def clear(self) -> None:
        """Forget who holds what."""
        self._cursors: dict[str, int] = {}
        self._holders: dict[str, list[Holder]] = {}
        self._buffers = 0

    def reserve(self, memory: str, size: int) -> int:
        """The next ``size`` bytes; their start."""
        lower = self._cursors.get(memory, 0)
        self._cursors[memory] = lower + size
        return lower

    def end_of(self, memory: str) -> int:
        """Where what was handed out of a memory ends."""
        return self._cursors.get(memory, 0)

    def holders(self, memory: str) -> Sequence[Holder]:
        """Who holds bytes of a memory."""
        return self._holders.get(memory, ())

    def hold(
        self, site: Site | None, memory: str, lower: int, size: int, holder: str, limit: int | None = None
    ) -> None:
        """Note who holds bytes; beyond ``limit``, if none is given the memory's end, is a finding."""
        holders = self._holders.setdefault(memory, [])
        holders.append((holder, size))
        end = capacity(self.core.soc, memory) if limit is None else limit
        occupy(self.core, site, memory, lower + size, end, holder, holders)

    def count_buffers(self, site: Site | None, number: int) -> None:
        """Count buffers of queues; more than one pipe object can manage is a finding."""
        self._buffers += number
        most = self.core.limits.queue_buffers
        if self._buffers > most:
            self.core.report("too_many_buffers", site, count=self._buffers, most=most)


def rest_of(core: Core, position: TPosition) -> Allocation:
    """What is free of UB behind the buffers that were handed out, its contents undefined."""
    space: Space | None = core.state.get(Space)
    end = capacity(core.soc, "UB") - core.launch.reserved
    lower = min(space.end_of("UB") if space is not None else 0, end)
    owner = Allocation(core, position, lower, end - lower, "rest of UB")
    core.fresh(owner.memory, lower, end)
    return owner
