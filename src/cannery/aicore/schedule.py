"""One Python thread of control per core, one running at a time.

Cores run in the order of their index, each until it waits for another core or ends, so that nothing depends on thread
timing. A launch whose cores never wait for each other stays in the caller's thread: a debugger needs no more.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import copy_context
from threading import Event, Thread
from typing import Final

NEW: Final = "new"
RUNNING: Final = "running"
BLOCKED: Final = "blocked"
DONE: Final = "done"


class Aborted(BaseException):
    """Unwinds a waiting core after another one failed; user code does not see it as an error of its own."""


class Seat:
    """The place of one core: its state, and what it waits for."""

    __slots__ = ("fail", "index", "ready", "state", "verdict", "wake")

    def __init__(self, index: int) -> None:
        self.index = index
        self.state = NEW
        self.ready: Callable[[], bool] = bool
        self.fail: Callable[[], BaseException] = Aborted
        self.verdict: BaseException | None = None
        self.wake = Event()


class Schedule:
    """Runs ``body(index)`` for each index of ``order``; ``block`` may be called from within.

    ``resident``: how many can be under way at once. The others begin when one ends, as on a chip with fewer cores than
    were launched.
    """

    def __init__(self, order: Sequence[int], body: Callable[[int], None], resident: int) -> None:
        self._seats = {index: Seat(index) for index in order}
        self._new = deque(self._seats.values())
        self._waiting: set[int] = set()
        self._rank = {index: rank for rank, index in enumerate(order)}
        self._body = body
        self._resident = resident
        self._failure: BaseException | None = None
        self._all_done = Event()
        self._threads: list[Thread] = []

    def run(self) -> None:
        """Run all cores to their end.

        Raises:
            BaseException: what the first failing core raised; the others are unwound before.
        """
        self._work()
        if self._failure is not None and not isinstance(self._failure, Exception):
            raise self._failure  # interrupted: the core that runs now is not waited for
        if any(seat.state != DONE for seat in self._seats.values()):
            self._all_done.wait()
        for thread in self._threads:
            thread.join()
        if self._failure is not None:
            raise self._failure

    def block(self, index: int, ready: Callable[[], bool], fail: Callable[[], BaseException]) -> None:
        """Let other cores run until ``ready()``; ``fail()`` makes the error for when that can never be.

        Raises:
            BaseException: what ``fail`` returned, or Aborted when another core failed.
        """
        if ready():
            return
        seat = self._seats[index]
        seat.state, seat.ready, seat.fail = BLOCKED, ready, fail
        self._waiting.add(index)
        following = self._next()
        if following is not seat:
            self._hand_over(following)
            seat.wake.wait()
            seat.wake.clear()
        seat.state = RUNNING
        self._waiting.discard(index)
        if seat.verdict is not None:
            raise seat.verdict

    def _next(self) -> Seat | None:
        """Who runs next: a core whose wait is over, a new one, or, when nobody can go on, one that is told so."""
        waiting = [self._seats[index] for index in sorted(self._waiting, key=self._rank.__getitem__)]
        if self._failure is None:
            for seat in waiting:
                if seat.ready():
                    return seat
            if len(waiting) < self._resident and self._new:
                return self._new[0]
        if not waiting:
            return None
        seat = self._seats[min(self._waiting)]
        seat.verdict = Aborted() if self._failure is not None else seat.fail()
        return seat

    def _hand_over(self, seat: Seat | None) -> None:
        if seat is None:
            self._all_done.set()
        elif seat.state == NEW:
            self._start_thread(seat)
        else:
            seat.wake.set()

    def _start_thread(self, seat: Seat) -> None:
        trace = sys.gettrace()
        context = copy_context()

        def target() -> None:
            sys.settrace(trace)
            context.run(self._work, seat)

        thread = Thread(target=target, name=f"core-{seat.index}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _work(self, seat: Seat | None = None) -> None:
        """Run new cores in this thread until a waiting one, which has a thread of its own, must go on."""
        seat = seat or self._next()
        while seat is not None and seat.state == NEW:
            self._run(seat)
            seat = self._next()
        while self._failure is not None and self._new:
            self._new.popleft().state = DONE
        self._hand_over(seat)

    def _run(self, seat: Seat) -> None:
        seat.state = RUNNING
        self._new.popleft()
        try:
            self._body(seat.index)
        except Aborted:
            pass
        except BaseException as failure:
            if self._failure is None:
                self._failure = failure
        seat.state = DONE
