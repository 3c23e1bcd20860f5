"""What the cores of a launch tell each other: what had been done when a flag was set, or a meeting came."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from weakref import WeakKeyDictionary

from cannery.aicore.flags import Arrive, CrossFlag, CrossSet, CrossWait, Leave, Meeting, Post, Receive
from cannery.aicore.pipes import S
from cannery.watch.judge import Judge

News = tuple[tuple[int, list[int]], ...]
"""By core, the last complete instruction of each of its pipes."""


class Crossing:
    """The news under way between the cores of a launch."""

    def __init__(self) -> None:
        self._carried: dict[CrossFlag, list[News]] = defaultdict(list)
        self._parties: WeakKeyDictionary[Meeting, dict[int, News]] = WeakKeyDictionary()
        self._posted: dict[Hashable, News] = {}

    def set_flag(self, judge: Judge, record: CrossSet) -> None:
        """A flag carries what its pipe knew."""
        self._carried[record.flag].append(_carried(judge, record.pipe))

    def wait_flag(self, judge: Judge, record: CrossWait) -> None:
        """A core learns what the flags carried that it has waited for, its own among them: all its pipes wait."""
        for flag, ordinal in record.answers:
            news = self._carried[flag][ordinal - 1]
            _learn(judge, news)
            for index, times in news:
                if index == judge.core.index:
                    judge.clocks.learn(S, times)

    def arrive(self, judge: Judge, record: Arrive) -> None:
        """A core has come to a meeting with all it knows."""
        self._parties.setdefault(record.meeting, {})[judge.core.index] = _carried(judge, None)

    def leave(self, judge: Judge, record: Leave) -> None:
        """A core goes on from a meeting with what all know that have come."""
        for news in self._parties[record.meeting].values():
            _learn(judge, news)

    def post(self, judge: Judge, record: Post) -> None:
        """A message carries all its core knows."""
        self._posted[record.key] = _carried(judge, None)

    def receive(self, judge: Judge, record: Receive) -> None:
        """A core learns what a message carries."""
        _learn(judge, self._posted.pop(record.key))


def _carried(judge: Judge, pipe: int | None) -> News:
    """What a core's pipe (None: all of it) tells another core."""
    clocks, footprints = judge.clocks, judge.footprints
    times = clocks.now.copy() if pipe is None else clocks.snapshot(pipe)
    footprints.close()
    return ((judge.core.index, times), *((other, known.copy()) for other, known in footprints.known.items()))


def _learn(judge: Judge, news: News) -> None:
    judge.footprints.learn([(index, times) for index, times in news if index != judge.core.index])
