"""Events: points of a stream that other streams, and the host, can wait for."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from cannery.runtime.constants import EVENT_TIME_LINE
from cannery.runtime.status import AclError, RuntimeFault
from cannery.runtime.stream import FOREVER, Stream, UnfinishedError, check_timeout


@dataclass
class Record:
    """One recording of an event: where it stands, and when its stream came past."""

    stream: Stream
    time: float | None = None

    @property
    def is_done(self) -> bool:
        """Whether the stream has come past."""
        return self.time is not None

    def pass_by(self) -> None:
        """What the stream does when it gets there."""
        self.time = time.perf_counter()

    def reach(self, timeout: int = FOREVER) -> bool:
        """Let the stream run until it is past; False when the time ran out."""
        return self.stream.run_until(lambda: self.is_done, timeout)


@dataclass
class Event:
    """An event.

    Attributes:
        flag: of ``ACL_EVENT_…``; 0 for one of plain ``aclrtCreateEvent``.
        is_ex: made by ``aclrtCreateEventExWithFlag``: complete for as long as it was never recorded.
    """

    flag: int = 0
    is_ex: bool = False
    record: Record | None = None

    def record_on(self, stream: Stream) -> None:
        """Put a new recording at the end of a stream; it replaces the one before."""
        self.record = Record(stream)
        stream.submit(self.record.pass_by, is_marker=True)

    def hold_back(self, stream: Stream) -> None:
        """Make a stream wait for the recording there is now. Without one there is nothing to wait for."""
        record = self.record
        if record is not None:
            # Only earlier submissions are waited for, so streams that wait for each other cannot lock each other out.
            stream.submit(lambda: _reach(record, stream), is_marker=True)

    def reset_on(self, stream: Stream) -> None:
        """Forget, when a stream gets there, the recording there is now."""
        record = self.record

        def forget() -> None:
            if self.record is record:
                self.record = None

        stream.submit(forget, is_marker=True)

    def is_complete(self) -> bool:
        """Whether the last recording is done. Asking while it is not lets its stream do one task."""
        record = self.record
        if record is None:
            return self.is_ex
        is_done = record.is_done
        if not is_done:
            record.stream.peek()
        return is_done

    def synchronize(self, timeout: int = FOREVER) -> None:
        """Wait for the last recording.

        Raises:
            RuntimeFault: RT_EVENT_SYNC_TIMEOUT.
        """
        check_timeout(timeout)
        if self.record is not None and not self.record.reach(timeout):
            found = f"not done after {timeout} ms"
            raise RuntimeFault(AclError.ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "event", found, "a longer timeout")

    def timestamp(self, parameter: str) -> float:
        """When the last recording was passed, in seconds.

        Raises:
            RuntimeFault: RT_EVENT_TIMESTAMP_INVALID: it was not, or the event takes no timestamps.
        """
        if self.flag and not self.flag & EVENT_TIME_LINE:
            found, expected = f"an event of flag {self.flag:#x}", "one with ACL_EVENT_TIME_LINE"
        elif self.record is None or self.record.time is None:
            found, expected = "an event that is not recorded yet", "one whose stream was synchronised"
        else:
            return self.record.time
        raise RuntimeFault(AclError.ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, parameter, found, expected)


def _reach(record: Record, waiter: Stream) -> None:
    left = waiter.seconds_left()
    if not record.reach(FOREVER if left is None else math.ceil(left * 1000)) and left is not None:
        raise UnfinishedError


def elapsed_ms(start: Event, end: Event) -> float:
    """Milliseconds between two events.

    Raises:
        RuntimeFault: RT_EVENT_TIMESTAMP_INVALID; RT_EVENT_TIMESTAMP_REVERSAL when the end came first.
    """
    begin, finish = start.timestamp("startEvent"), end.timestamp("endEvent")
    if finish < begin:
        raise RuntimeFault(
            AclError.ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, "endEvent", "an event before the start", "one after it"
        )
    return (finish - begin) * 1000
