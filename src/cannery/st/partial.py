"""Results on disk while a run lasts: what is left of one that is killed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from cannery.st.result import CaseResult, Table

SUFFIX = ".partial"


class PartialResults:
    """The rows of each result file as they come, in a file beside it.

    None is kept for a device or a pipe. Where such a file cannot be written, as on a full disk, there is none: the
    results are in memory all the same.
    """

    def __init__(self, tables: Sequence[Table]) -> None:
        self._tables = [table for table in tables if table.path.is_file() or not table.path.exists()]
        self._begun: list[Path] = []

    def add(self, result: CaseResult) -> None:
        """Put a row on disk."""
        for table in [table for table in self._tables if table.takes(result)]:
            try:
                self._append(table, result)
            except OSError:
                self._tables.remove(table)

    def discard(self) -> None:
        """The run is over and its results are written."""
        for path in self._begun:
            with suppress(OSError):
                path.unlink()

    def _append(self, table: Table, result: CaseResult) -> None:
        path = table.path.with_name(table.path.name + SUFFIX)
        is_new = path not in self._begun
        if is_new:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._begun.append(path)
        with path.open("w" if is_new else "a", encoding="utf-8", newline="") as stream:
            stream.write(table.text([result], has_header=is_new))
