"""Host callbacks of streams: a stream hands them over, the thread that subscribed to it calls them."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from cannery.runtime.status import AclError, RuntimeFault
from cannery.runtime.stream import FOREVER, Stream, UnfinishedError

_POLL = 0.001


@dataclass
class _Mailbox:
    """Callbacks that wait for their thread, and how many it has called."""

    waiting: deque[Callable[[], None]] = field(default_factory=deque)
    called: int = 0

    def call(self, function: Callable[[], None]) -> None:
        """Call one."""
        self.called += 1
        function()

    def call_all(self) -> None:
        """Call every one that waits."""
        while self.waiting:
            self.call(self.waiting.popleft())


@dataclass
class _Delivery:
    """The task that hands a callback over to its thread; a blocking one ends when the callback has returned."""

    mail: _Mailbox
    thread: int
    function: Callable[[], None]
    blocks: bool
    is_sent: bool = False
    returned: threading.Event = field(default_factory=threading.Event)

    def run(self, stream: Stream) -> None:
        """Hand it over once; wait, where it blocks, for as long as the stream may.

        Raises:
            UnfinishedError: it has not returned by then.
        """
        if not self.is_sent:
            self.is_sent = True
            self.mail.waiting.append(self._call)
        is_mine = self.thread == threading.get_ident()
        if is_mine:  # whoever waits for the stream cannot take callbacks meanwhile
            self.mail.call_all()
        if self.blocks and not self.returned.wait(0 if is_mine else stream.seconds_left()):
            raise UnfinishedError

    def _call(self) -> None:
        try:
            self.function()
        finally:
            self.returned.set()


class Reports:
    """Which thread takes the callbacks of which stream."""

    def __init__(self) -> None:
        self._owner: dict[Stream, int] = {}
        self._mail: dict[int, _Mailbox] = {}

    def subscribe(self, thread: int, stream: Stream) -> None:
        """Let a thread take the callbacks of a stream."""
        self._owner[stream] = thread
        self._mail.setdefault(thread, _Mailbox())

    def unsubscribe(self, thread: int, stream: Stream) -> None:
        """End that.

        Raises:
            RuntimeFault: RT_STREAM_NO_CB_REG: the thread has no such subscription.
        """
        if self._owner.get(stream) != thread:
            raise _unsubscribed("a stream the thread has not subscribed to")
        del self._owner[stream]

    def forget(self, stream: Stream) -> None:
        """End whatever subscription there is to a stream."""
        self._owner.pop(stream, None)

    def launch(self, stream: Stream, function: Callable[[], None], *, blocks: bool) -> None:
        """Put a callback at the end of a stream; one that ``blocks`` holds up what follows until it has returned.

        Raises:
            RuntimeFault: RT_STREAM_NO_CB_REG: no thread has subscribed to the stream.
        """
        if stream not in self._owner:
            raise _unsubscribed("a stream no thread has subscribed to")
        delivery = _Delivery(self._mail[self._owner[stream]], self._owner[stream], function, blocks)
        stream.submit(lambda: delivery.run(stream))

    def process(self, timeout: int) -> bool:
        """Call one callback that waits for the calling thread; False when none came in ``timeout`` milliseconds.

        Raises:
            RuntimeFault: RT_STREAM_NO_CB_REG: nobody has subscribed the thread to a stream in that time.
        """
        thread = threading.get_ident()
        deadline = None if timeout == FOREVER else time.monotonic() + timeout / 1000
        # Programs start the thread first and subscribe it afterwards.
        if not _wait(lambda: thread in self._mail, deadline):
            raise _unsubscribed("a thread that has subscribed to no stream")
        mail = self._mail[thread]
        before = mail.called
        if not _wait(lambda: mail.called != before or bool(mail.waiting) or self._advance(thread), deadline):
            return False
        if mail.called == before and mail.waiting:
            mail.call(mail.waiting.popleft())
        return True

    def _advance(self, thread: int) -> bool:
        """A device runs on its own; here the thread that waits for a callback makes its streams go on."""
        mail = self._mail[thread]
        before = mail.called
        for stream in [stream for stream, owner in list(self._owner.items()) if owner == thread]:
            while mail.called == before and not mail.waiting and stream.step(time.monotonic()):
                pass
        return bool(mail.waiting) or mail.called != before


def _wait(is_true: Callable[[], bool], deadline: float | None) -> bool:
    """Look again and again until something is true; False when the time is over before."""
    pause = threading.Event()
    while not is_true():
        if deadline is not None and time.monotonic() >= deadline:
            return False
        pause.wait(_POLL)
    return True


def _unsubscribed(found: str) -> RuntimeFault:
    return RuntimeFault(AclError.ACL_ERROR_RT_STREAM_NO_CB_REG, "stream", found, "aclrtSubscribeReport first")
