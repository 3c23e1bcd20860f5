"""How a kernel language writes what findings speak of. Each language gives its own; the machine's names are neutral."""

from __future__ import annotations

from typing import Protocol

from cannery.aicore.instruction import Site


class Spelling(Protocol):
    """The words of one kernel language.

    Operations are named as the machine names them (``data_copy``, ``free_tensor``), events as EVENTS does
    (``MTE2_V``), pipes as PIPES does (``MTE2``, and ``ALL``).
    """

    def name(self, op: str) -> str:
        """An operation in running text, e.g. ``data_copy`` or ``DataCopy``."""

    def function(self, op: str) -> str:
        """A function as the program writes it, e.g. ``asc.data_copy``."""

    def set_flag(self, event: str, identity: object) -> str:
        """The statement that sets an event; ``identity``: its id, or a word for one."""

    def wait_flag(self, event: str, identity: object) -> str:
        """The statement that waits for an event."""

    def barrier(self, pipe: str) -> str:
        """The statement that is a barrier of a pipe."""

    def operand(self, site: Site, op: str, *, write: bool, place: int) -> str:
        """What the program calls an operand of the operation at a line, "" where that cannot be told.

        ``place``: its number among the operation's writes or reads; -1: what it looks up.
        """

    def loop_variable(self, site: Site) -> str:
        """The variable of the loop at a line, "" where that cannot be told."""
