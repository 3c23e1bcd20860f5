"""A run that is ended from outside: what there is gets written first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

SIGNALS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ended_as_by_the_keyboard() -> Iterator[None]:
    """Inside, a request to end is a KeyboardInterrupt, as Ctrl-C is. Only the main thread can be told."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, _interrupt) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
