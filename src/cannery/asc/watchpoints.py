"""check_local_memory_ia: accesses to a range of UB stop the kernel (hicann/asc-devkit docs @82b89a15f263)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from cannery.aicore.core import Core
from cannery.aicore.instruction import Access, Instruction
from cannery.aicore.pipes import S, V
from cannery.asc.context import running
from cannery.isa.limits import check_value
from cannery.isa.operands import BLOCK

__all__ = ["CheckLocalMemoryIAParam", "check_local_memory_ia"]

_REGISTERS: Final = (0, 3)
_ADDRESS: Final = (0, 65535)


@dataclass
class CheckLocalMemoryIAParam:
    """Which accesses to the blocks of 32 bytes ``(start_addr, end_addr]`` stop the kernel; one of four registers."""

    enable_bit: int = 0
    start_addr: int = 0
    end_addr: int = 0
    is_scalar_read: bool = False
    is_scalar_write: bool = False
    is_vector_read: bool = False
    is_vector_write: bool = False
    is_mte_read: bool = False
    is_mte_write: bool = False
    is_enable: bool = False

    def watches(self, pipe: int, *, write: bool) -> bool:
        """Whether it looks at what a pipe reads or writes."""
        if pipe == S:
            return bool(self.is_scalar_write if write else self.is_scalar_read)
        if pipe == V:
            return bool(self.is_vector_write if write else self.is_vector_read)
        return bool(self.is_mte_write if write else self.is_mte_read)


class Watchpoints:
    """A watcher of one core that stops its program at an access to a range.

    Raises:
        RuntimeError: from the call that makes the access.
    """

    def __init__(self) -> None:
        self.armed: dict[int, CheckLocalMemoryIAParam] = {}

    def see(self, core: Core, record: Any) -> None:
        """Look at an instruction."""
        if isinstance(record, Instruction) and self.armed:
            for write, accesses in ((False, record.reads), (True, record.writes)):
                for access in accesses:
                    self._look(record, access, write)

    def end(self, completed: bool) -> None:
        """Nothing is left over."""

    def _look(self, instruction: Instruction, access: Access, write: bool) -> None:
        if access.memory.name != "UB":
            return
        for params in self.armed.values():
            lower, upper = (int(params.start_addr) + 1) * BLOCK, (int(params.end_addr) + 1) * BLOCK
            if params.watches(instruction.pipe, write=write) and access.touches(lower, upper):
                action = "writes" if write else "reads"
                raise RuntimeError(
                    f"check_local_memory_ia: found that {instruction.op} {action} UB bytes {access.lower:#x} to "
                    f"{access.upper:#x}, expected none of {lower:#x} to {upper:#x}"
                )


def check_local_memory_ia(check_params: CheckLocalMemoryIAParam) -> None:
    """Arm or disarm (``is_enable``) one of four registers; an access to its range stops the kernel."""
    check_value("check_local_memory_ia: enable_bit", check_params.enable_bit, _REGISTERS)
    for field in ("start_addr", "end_addr"):
        check_value(f"check_local_memory_ia: {field}", getattr(check_params, field), _ADDRESS)
    core = running()
    points = core.state.get(Watchpoints)
    if points is None:
        points = core.state[Watchpoints] = Watchpoints()
        core.watchers = (*core.watchers, points)
    points.armed.pop(int(check_params.enable_bit), None)
    if check_params.is_enable:
        points.armed[int(check_params.enable_bit)] = check_params
