"""A traceback as a list, so that the lines of this package can be left out of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

_ROOT: Final = Path(__file__).parents[2]
_SOURCES: Final = "src/cannery/"


def entries(traceback: TracebackType | None) -> list[TracebackType]:
    """Its entries, outermost first."""
    found: list[TracebackType] = []
    while traceback is not None:
        found.append(traceback)
        traceback = traceback.tb_next
    return found


def file_of(entry: TracebackType) -> str:
    """The source file of its code. Compiled modules of this package name theirs as the build saw it: from its root."""
    name = entry.tb_frame.f_code.co_filename
    if name.startswith(_SOURCES) and str(entry.tb_frame.f_globals.get("__name__")).startswith("cannery."):
        return str(_ROOT / name.removeprefix("src/"))
    return name


def chain(kept: Sequence[TracebackType]) -> TracebackType | None:
    """A traceback of these entries; None of none."""
    following: TracebackType | None = None
    for entry in reversed(kept):
        following = TracebackType(following, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return following
