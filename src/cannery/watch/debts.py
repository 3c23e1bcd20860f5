"""Waits that are issued before their sets.

A pipe behind such a wait will know, when the set has come, what the set carries; until then nothing can be said about
what it does. The same holds for every flag it sets meanwhile, and for the pipes that wait for those flags. A debt is
named by the serial number of its wait.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cannery.aicore.instruction import Site
from cannery.aicore.pipes import ALL
from cannery.watch.clocks import Clocks, Snapshot

_NOTHING: Final[frozenset[int]] = frozenset()


class Carried:
    """A flag on its way: what its pipe knew, which debts that knowledge depends on, and who set it."""

    __slots__ = ("by", "owed", "site", "times")

    def __init__(self, times: Snapshot, owed: frozenset[int], site: Site | None, by: str) -> None:
        self.times = times
        self.owed = owed
        self.site = site
        self.by = by


class Debts:
    """The debts of each pipe of a core; ``owed[pipe]`` is not empty while it stands behind a wait without its set."""

    __slots__ = ("_clocks", "owed")

    def __init__(self, clocks: Clocks) -> None:
        self._clocks = clocks
        self.owed = [_NOTHING for _ in ALL]

    def owe(self, pipe: int, debt: int) -> None:
        """A wait was issued to a pipe before its set."""
        self.owed[pipe] |= {debt}

    def carry(self, pipe: int, site: Site | None, by: str) -> Carried:
        """A flag set by a pipe now."""
        return Carried(self._clocks.snapshot(pipe), self.owed[pipe], site, by)

    def receive(self, pipe: int, flag: Carried) -> bool:
        """Let a pipe learn what a flag carries; False when it knew it all before."""
        if flag.owed:
            self.owed[pipe] |= flag.owed
        return self._clocks.learn(pipe, flag.times)

    def settle(self, debt: int, answer: Carried, flags: Iterable[Carried]) -> None:
        """The set has come: whoever depends on it learns what it carries, flags on their way included."""
        rest = answer.owed - {debt}
        for pipe, owed in enumerate(self.owed):
            if debt in owed:
                self.owed[pipe] = owed - {debt} | rest
                self._clocks.learn(pipe, answer.times)
        for flag in flags:
            if debt in flag.owed:
                flag.owed = flag.owed - {debt} | rest
                self._clocks.join(flag.times, answer.times)
