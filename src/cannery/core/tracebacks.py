"""A traceback as a list, so that the lines of this package can be left out of it."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType


def entries(traceback: TracebackType | None) -> list[TracebackType]:
    """Its entries, outermost first."""
    found: list[TracebackType] = []
    while traceback is not None:
        found.append(traceback)
        traceback = traceback.tb_next
    return found


def chain(kept: Sequence[TracebackType]) -> TracebackType | None:
    """A traceback of these entries; None of none."""
    following: TracebackType | None = None
    for entry in reversed(kept):
        following = TracebackType(following, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return following
