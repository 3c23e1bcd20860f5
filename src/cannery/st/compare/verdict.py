"""What a comparison says, and how big arrays are walked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MAX_DIFFS = 100
CHUNK = 1 << 18
Array = np.ndarray[Any, Any]


class StandardError(ValueError):
    """A standard that does not exist, or that cannot judge these tensors."""


@dataclass(frozen=True)
class Verdict:
    """What a standard says of one output: plain data, which another process can be sent.

    Attributes:
        standard: its name.
        precision: share of elements in order, in percent.
        error_info: why it failed, in words.
        metrics: what was measured.
        diffs: flat indices of the first elements out of order.
    """

    standard: str
    passed: bool
    precision: float
    error_info: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict)
    diffs: tuple[int, ...] = ()


def chunks(*arrays: Array) -> Iterator[tuple[int, tuple[Array, ...]]]:
    """Start index and the next piece of each flat array, so that no temporary is as large as an output."""
    for start in range(0, arrays[0].size, CHUNK):
        yield start, tuple(array[start : start + CHUNK] for array in arrays)


def wide(array: Array) -> Array:
    """The values in double precision, or as complex128."""
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


@dataclass
class Tally:
    """Counts elements out of order while an array is walked."""

    size: int
    bad: int = 0
    first: list[int] = field(default_factory=list)

    def add(self, start: int, is_bad: Array) -> None:
        """Take in one piece."""
        self.bad += int(np.count_nonzero(is_bad))
        if len(self.first) < MAX_DIFFS:
            found = np.flatnonzero(is_bad)[: MAX_DIFFS - len(self.first)]
            self.first.extend((found + start).tolist())

    @property
    def share(self) -> float:
        """Share of elements in order, 0 to 1."""
        return (self.size - self.bad) / self.size

    def verdict(self, standard: str, passed: bool, metrics: Mapping[str, float] | None = None) -> Verdict:
        """The verdict of an elementwise standard."""
        info = "" if passed else f"{self.bad} of {self.size} elements out of order"
        if not passed and self.first:
            info += f", the first at flat index {self.first[0]}"
        return Verdict(standard, passed, 100.0 * self.share, info, dict(metrics or {}), tuple(self.first))
