"""Vector clocks of one core: what each pipe knows to be complete.

``now[p]`` counts the instructions issued to pipe p. ``known[q][p]`` is the last instruction of p that is complete
before the next instruction of q starts. An access at time t of pipe p happens before the next instruction of q exactly
when ``t <= known[q][p]``: a pipe knows nothing of its own earlier instructions until a barrier, or a chain of flags
through another pipe, tells it. The scalar pipe issues all others: what it has waited for, everything issued later
follows. Its own accesses are as asynchronous to the other pipes as theirs are.

A list in ``known`` is never changed, only replaced: an access keeps the one that held when it was issued.
"""

from __future__ import annotations

from cannery.aicore.pipes import ALL, COUNT, S

Snapshot = list[int]


class Clocks:
    """The clocks of a core's pipes, advanced in issue order."""

    __slots__ = ("_scalar_news", "_seen", "known", "now")

    def __init__(self) -> None:
        self.now: Snapshot = [0] * COUNT
        self.known: list[Snapshot] = [[0] * COUNT for _ in ALL]
        self._scalar_news = 0
        self._seen = [0] * COUNT

    def issue(self, pipe: int) -> int:
        """Advance a pipe for an instruction issued to it; the instruction's time."""
        if self._seen[pipe] != self._scalar_news:
            self._seen[pipe] = self._scalar_news
            self.learn(pipe, self.known[S])
        self.now[pipe] = time = self.now[pipe] + 1
        return time

    def snapshot(self, pipe: int) -> Snapshot:
        """What a flag set by this pipe now carries: its earlier instructions, and all it knew."""
        if self._seen[pipe] != self._scalar_news:
            self._seen[pipe] = self._scalar_news
            self.learn(pipe, self.known[S])
        carried = self.known[pipe].copy()
        carried[pipe] = self.now[pipe]
        return carried

    def learn(self, pipe: int, carried: Snapshot) -> bool:
        """Let a pipe know what a flag carries. False when it knew it all before."""
        known = self.known[pipe]
        joined = [mine if mine > theirs else theirs for mine, theirs in zip(known, carried, strict=True)]
        if joined == known:
            return False
        self.known[pipe] = joined
        if pipe == S:
            self._scalar_news += 1
        return True

    def suppose(self, pipe: int, source: int, time: int) -> None:
        """Let a pipe know an instruction of another as if a flag had told it."""
        if self.known[pipe][source] >= time:
            return
        known = self.known[pipe].copy()
        known[source] = time
        self.known[pipe] = known
        if pipe == S:
            self._scalar_news += 1

    def barrier(self, pipe: int) -> bool:
        """Order a pipe's later instructions after its earlier ones. False when nothing was issued since the last."""
        known = self.known[pipe]
        if known[pipe] == self.now[pipe]:
            return False
        known = known.copy()
        known[pipe] = self.now[pipe]
        self.known[pipe] = known
        return True

    def barrier_all(self) -> bool:
        """Order everything issued later after everything issued before. False when all of it was ordered already."""
        news = any(known != self.now for known in self.known)
        self.known[:] = [self.now.copy()] * COUNT
        return news

    @staticmethod
    def join(known: Snapshot, other: Snapshot) -> bool:
        """Take over what another knows; False when that is nothing new."""
        joined = [mine if mine > theirs else theirs for mine, theirs in zip(known, other, strict=True)]
        if joined == known:
            return False
        known[:] = joined
        return True
