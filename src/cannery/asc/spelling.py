"""How findings speak to a kernel in pyasc's spelling."""

from __future__ import annotations

from dataclasses import dataclass

from cannery.aicore.instruction import Site
from cannery.asc import source


@dataclass(frozen=True)
class Pyasc:
    """pyasc's words; the machine's names are pyasc's own."""

    def name(self, op: str) -> str:
        """``data_copy``."""
        return op

    def function(self, op: str) -> str:
        """``asc.data_copy``."""
        return f"asc.{op}"

    def set_flag(self, event: str, identity: object) -> str:
        """``asc.set_flag(asc.HardEvent.MTE2_V, 0)``."""
        return f"asc.set_flag(asc.HardEvent.{event}, {identity})"

    def wait_flag(self, event: str, identity: object) -> str:
        """``asc.wait_flag(asc.HardEvent.MTE2_V, 0)``."""
        return f"asc.wait_flag(asc.HardEvent.{event}, {identity})"

    def barrier(self, pipe: str) -> str:
        """``asc.pipe_barrier(asc.PipeID.PIPE_V)``."""
        return f"asc.pipe_barrier(asc.PipeID.PIPE_{pipe})"

    def operand(self, site: Site, op: str, *, write: bool, place: int) -> str:
        """The argument of the call, without its offset."""
        return source.operand(site, op, write=write, place=place)

    def loop_variable(self, site: Site) -> str:
        """The target of the for."""
        return source.loop_variable(site)
