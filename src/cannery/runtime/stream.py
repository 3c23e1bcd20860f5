"""Streams: work that waits until someone synchronises, done in order.

Nothing runs when it is submitted. A synchronisation runs what is pending in the thread that asks for it; so does a
query, one task each time, so that a loop of queries comes to an end. A program that forgets to synchronise reads what
was there before, as it may on a device.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial

from cannery.runtime.status import AclError, RuntimeFault

# A device accepts so many tasks before a launch waits for the oldest.
DEPTH = 1024
FOREVER = -1


@dataclass(frozen=True)
class Task:
    """Something to do. A marker orders streams and runs even where a failure has stopped its stream."""

    run: Callable[[], None]
    is_marker: bool = False


class UnfinishedError(Exception):
    """A task raises it that waits for others and has no time left: it stays where it is, and is run again later."""


def _ignore(stream: Stream, task: int, fault: RuntimeFault) -> None:
    """Nobody wants to know."""


class Stream:
    """A queue of tasks.

    Attributes:
        on_failure: told of each task that failed, by its number.
        number: which stream of its device it is.
        stops_on_failure: whether a failed task cancels those behind it (``ACL_STOP_ON_FAILURE``).
    """

    def __init__(self, on_failure: Callable[[Stream, int, RuntimeFault], None] = _ignore, number: int = 0) -> None:
        self.on_failure = on_failure
        self.number = number
        self.stops_on_failure = False
        self._tasks: deque[Task] = deque()
        self._failures: list[RuntimeFault] = []
        # Whoever runs a task holds this, so that tasks of a stream never overlap and never overtake each other.
        self._running = threading.RLock()
        self._is_busy = False
        self._deadline: float | None = None
        self._ended = 0

    @property
    def pending(self) -> int:
        """Number of tasks not yet done."""
        return len(self._tasks)

    def submit(self, run: Callable[[], None], *, is_marker: bool = False) -> None:
        """Put a task at the end of the queue. It will run under the settings of the submitter, whoever runs it."""
        self._tasks.append(Task(partial(copy_context().run, run), is_marker))
        while len(self._tasks) > DEPTH:
            self.step()

    def step(self, deadline: float | None = None) -> bool:
        """Do the oldest task. False when there is none, when it is this very task that asks, or when time runs out.

        Args:
            deadline: when to stop waiting for other threads, as ``time.monotonic`` counts; None for never.
        """
        if not self._running.acquire(timeout=_left(deadline)):
            return False
        try:
            if not self._tasks or self._is_busy:
                return False
            self._deadline = deadline
            # The task stays in the queue while it runs: a queue that is empty has nothing left to do.
            self._do(self._tasks[0])
            self._tasks.popleft()
            self._ended += 1
            return True
        except UnfinishedError:
            return False
        finally:
            self._running.release()

    def peek(self) -> None:
        """Let the stream do one task, unless that would take waiting for others."""
        self.step(time.monotonic())

    def seconds_left(self) -> float | None:
        """How long the task that runs may still wait for others; None for as long as it takes."""
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def run_until(self, is_done: Callable[[], bool], timeout: int = FOREVER) -> bool:
        """Do tasks until something is done; False when ``timeout`` milliseconds or the tasks have run out before."""
        deadline = None if timeout == FOREVER else time.monotonic() + timeout / 1000
        # One task is always done, so that asking again and again comes to an end however short the time.
        while not is_done():
            if not self.step(deadline) or (deadline is not None and time.monotonic() > deadline):
                return is_done()
        return True

    def synchronize(self, timeout: int = FOREVER) -> None:
        """Do everything pending.

        Raises:
            RuntimeFault: the first failure since the last synchronisation; RT_STREAM_SYNC_TIMEOUT.
        """
        check_timeout(timeout)
        if not self.run_until(lambda: not self._tasks, timeout):
            found = f"{self.pending} tasks pending after {timeout} ms"
            raise RuntimeFault(AclError.ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "stream", found, "a longer timeout")
        failures, self._failures = self._failures, []
        if failures:
            raise failures[0]

    def _do(self, task: Task) -> None:
        if self._failures and self.stops_on_failure and not task.is_marker:
            return
        self._is_busy = True
        try:
            task.run()
        except UnfinishedError:
            raise
        except RuntimeFault as fault:
            self._fail(fault)
        except Exception as failure:
            # A defect of ours must reach the caller as a failed task, not end a C program.
            found = f"{type(failure).__name__}: {failure}"
            self._fail(RuntimeFault(AclError.ACL_ERROR_RT_INTERNAL_ERROR, "task", found, "no exception"))
        finally:
            self._is_busy = False

    def _fail(self, fault: RuntimeFault) -> None:
        self._failures.append(fault)
        self.on_failure(self, self._ended, fault)


def _left(deadline: float | None) -> float:
    """Seconds to wait for a lock; -1 for ever, as locks spell it."""
    return -1 if deadline is None else max(0.0, deadline - time.monotonic())


def check_timeout(timeout: int) -> None:
    """Refuse a number of milliseconds below -1, which stands for no limit.

    Raises:
        RuntimeFault: RT_PARAM_INVALID.
    """
    if timeout < FOREVER:
        raise RuntimeFault(AclError.ACL_ERROR_RT_PARAM_INVALID, "timeout", timeout, "-1 (no limit) or milliseconds")
