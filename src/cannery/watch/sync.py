"""Which synchronisation a kernel could do without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import repeat

from cannery.aicore.core import Core
from cannery.aicore.instruction import Site
from cannery.aicore.records import Fact

Pipes = tuple[int, int]
"""The pipe that is waited for, and the one that waits."""


class SyncUse:
    """Whether each sync statement of a launch ordered anything, over all times and cores it was executed on.

    A statement is redundant only when it never ordered anything new: presetting flags before a loop and the first pass
    of a barrier order nothing, and are right. Nor does a pair that only orders what the checker supposed to be ordered
    after reporting it as a race: such a pair stands in the wrong place, but is not one too many.
    """

    __slots__ = ("_barriers", "_idle_pairs", "_supposed", "_useful")

    def __init__(self) -> None:
        self._useful: set[Site] = set()
        self._idle_pairs: Counter[tuple[Pipes, Site, Site, Core]] = Counter()
        self._supposed: set[Pipes] = set()
        self._barriers: Counter[tuple[Site, Core]] = Counter()

    def supposed(self, source: int, destination: int) -> None:
        """After a race the second pipe counts as having waited for the first."""
        self._supposed.add((source, destination))

    def pair(self, pipes: Pipes, sites: tuple[Site | None, Site | None], core: Core, news: bool, preset: bool) -> None:
        """A set met its wait on a core; ``preset``: the setting pipe had issued nothing before."""
        set_site, wait_site = sites
        if set_site is None or wait_site is None:
            return
        if news:
            self._useful.add(set_site)
            self._useful.add(wait_site)
        elif not preset:
            self._idle_pairs[pipes, set_site, wait_site, core] += 1

    def needed(self, *sites: Site | None) -> None:
        """Statements that ordered something."""
        self._useful.update(site for site in sites if site is not None)

    def barrier(self, site: Site, core: Core, news: bool) -> None:
        """A barrier was issued on a core."""
        if news:
            self.needed(site)
        else:
            self._barriers[site, core] += 1

    def redundant(self) -> Iterator[tuple[Fact, Core]]:
        """A fact, and the core, for each execution of a statement or pair that never ordered anything."""
        for (pipes, set_site, wait_site, core), times in self._idle_pairs.items():
            sites = (set_site, wait_site)
            if pipes not in self._supposed and self._useful.isdisjoint(sites):
                yield from repeat((Fact("redundant_pair", sites, "", (), {}), core), times)
        for (site, core), times in self._barriers.items():
            if site not in self._useful:
                yield from repeat((Fact("redundant_barrier", (site,), "", (), {}), core), times)
