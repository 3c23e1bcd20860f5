"""Requests to end a run."""

import os
import signal

import pytest

from cannery.cli.console import visible
from cannery.cli.ending import SIGNALS, ended_as_by_the_keyboard


@pytest.mark.parametrize("number", SIGNALS)
def test_a_request_to_end_is_an_interrupt_inside_and_what_it_was_outside(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt), ended_as_by_the_keyboard():
        os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before


def test_control_characters_are_shown_and_do_nothing() -> None:
    assert visible("a\x1b[31mb\x00\r\tc\nd\x9bé") == "a\\x1b[31mb\\x00\\x0d\tc\nd\\x9bé"
