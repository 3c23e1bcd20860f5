"""Which synchronisation a kernel could do without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cannery.aicore import messages
from cannery.aicore.findings import Report
from cannery.aicore.instruction import Site


class SyncUse:
    """Whether each sync statement ordered anything, over all times it was executed.

    A statement is redundant only when it never ordered anything new: presetting flags before a loop and the first pass
    of a barrier order nothing, and are right.
    """

    __slots__ = ("_barriers", "_idle_pairs", "_useful")

    def __init__(self) -> None:
        self._useful: set[Site] = set()
        self._idle_pairs: Counter[tuple[Site, Site]] = Counter()
        self._barriers: Counter[Site] = Counter()

    def pair(self, set_site: Site | None, wait_site: Site | None, news: bool, preset: bool) -> None:
        """A set met its wait; ``preset``: the setting pipe had issued nothing before."""
        if set_site is None or wait_site is None:
            return
        if news:
            self._useful.add(set_site)
            self._useful.add(wait_site)
        elif not preset:
            self._idle_pairs[set_site, wait_site] += 1

    def barrier(self, site: Site, news: bool) -> None:
        """A barrier was issued."""
        if news:
            self._useful.add(site)
        else:
            self._barriers[site] += 1

    def redundant(self) -> Iterator[Report]:
        """A report for each statement or pair that ordered nothing."""
        for (set_site, wait_site), _ in self._idle_pairs.items():
            if set_site not in self._useful and wait_site not in self._useful:
                yield messages.redundant((set_site, wait_site))
        for site in self._barriers:
            if site not in self._useful:
                yield messages.redundant((site,))
