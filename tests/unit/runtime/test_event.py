"""Events order streams and tell the time."""

import threading

import numpy as np
import pytest

from .conftest import Machine

TIME_LINE, SYNC = 8, 1


def test_a_stream_waits_for_what_another_recorded_before(machine: Machine) -> None:
    first, second = machine.good("aclrtCreateStream"), machine.good("aclrtCreateStream")
    device, event = machine.block(np.zeros(2, np.int32)), machine.good("aclrtCreateEvent")
    machine.good("aclrtMemsetAsync", device, 8, 1, 4, first)
    machine.good("aclrtRecordEvent", event, first)
    machine.good("aclrtStreamWaitEvent", second, event)
    machine.good("aclrtMemcpyAsync", device + 4, 4, device, 4, 3, second)
    machine.good("aclrtSynchronizeStream", second)
    assert machine.read(device, 2) == [0x01010101] * 2


def test_work_behind_the_record_is_not_waited_for(machine: Machine) -> None:
    first, second = machine.good("aclrtCreateStream"), machine.good("aclrtCreateStream")
    device, event = machine.block(np.zeros(1, np.int32)), machine.good("aclrtCreateEvent")
    machine.good("aclrtRecordEvent", event, first)
    machine.good("aclrtMemsetAsync", device, 4, 1, 4, first)
    machine.good("aclrtStreamWaitEvent", second, event)
    machine.good("aclrtSynchronizeStream", second)
    assert machine.read(device, 1) == [0]


def test_streams_that_wait_for_each_other_in_turn_come_to_an_end(machine: Machine) -> None:
    streams = [machine.good("aclrtCreateStream") for _ in range(2)]
    device = machine.block(np.zeros(1, np.int32))
    for step in range(20):
        here, there = streams[step % 2], streams[(step + 1) % 2]
        event = machine.good("aclrtCreateEvent")
        machine.good("aclrtMemsetAsync", device, 4, step, 4, here)
        machine.good("aclrtRecordEvent", event, here)
        machine.good("aclrtStreamWaitEvent", there, event)
        machine.good("aclrtDestroyEvent", event)
    machine.good("aclrtSynchronizeStream", streams[0])
    assert machine.read(device, 1) == [0x13131313]


def test_an_event_nobody_recorded_holds_nothing_up(machine: Machine) -> None:
    stream, plain = machine.good("aclrtCreateStream"), machine.good("aclrtCreateEvent")
    extended = machine.good("aclrtCreateEventExWithFlag", SYNC)
    machine.good("aclrtStreamWaitEvent", stream, plain)
    machine.good("aclrtSynchronizeStream", stream)
    machine.good("aclrtSynchronizeEvent", plain)
    assert machine.good("aclrtQueryEventStatus", plain) == 0
    assert machine.good("aclrtQueryEventStatus", extended) == 1


def test_the_two_queries_have_opposite_numbers(machine: Machine) -> None:
    stream, event = machine.good("aclrtCreateStream"), machine.good("aclrtCreateEvent")
    machine.good("aclrtRecordEvent", event, stream)
    assert machine.good("aclrtQueryEvent", event) == 1
    machine.good("aclrtSynchronizeEvent", event)
    assert machine.good("aclrtQueryEvent", event) == 0
    assert machine.good("aclrtQueryEventWaitStatus", event) == 0
    assert machine.good("aclrtQueryEventStatus", event) == 1


def test_a_new_record_replaces_the_old_one_and_a_reset_forgets_it(machine: Machine) -> None:
    stream, event = machine.good("aclrtCreateStream"), machine.good("aclrtCreateEventExWithFlag", SYNC)
    for _ in range(2):
        machine.good("aclrtRecordEvent", event, stream)
        assert machine.good("aclrtQueryEventStatus", event) == 0
        machine.good("aclrtSynchronizeStream", stream)
        assert machine.good("aclrtQueryEventStatus", event) == 1
    machine.good("aclrtResetEvent", event, stream)
    machine.good("aclrtSynchronizeStream", stream)
    assert machine.process.handles.get(event, object, "event").record is None  # type: ignore[attr-defined]


def test_elapsed_time_needs_timestamps_in_order(machine: Machine) -> None:
    stream = machine.good("aclrtCreateStream")
    start, end = machine.good("aclrtCreateEvent"), machine.good("aclrtCreateEventWithFlag", TIME_LINE)
    assert machine.aclrtEventElapsedTime(start, end)[0] == 107006
    for event in (start, end):
        machine.good("aclrtRecordEvent", event, stream)
    assert machine.aclrtEventElapsedTime(start, end)[0] == 107006
    machine.good("aclrtSynchronizeStream", stream)
    assert machine.good("aclrtEventElapsedTime", start, end) >= 0
    assert machine.aclrtEventElapsedTime(end, start)[0] == 107007
    silent = machine.good("aclrtCreateEventWithFlag", SYNC)
    machine.good("aclrtRecordEvent", silent, stream)
    machine.good("aclrtSynchronizeStream", stream)
    assert machine.aclrtEventElapsedTime(start, silent)[0] == 107006


@pytest.mark.parametrize("flag", [0, 0x80])
def test_unknown_flags_are_refused(machine: Machine, flag: int) -> None:
    assert machine.aclrtCreateEventWithFlag(flag)[0] == 107000
    assert machine.aclrtCreateEventExWithFlag(flag)[0] == 107000


def test_a_destroyed_event_is_caught(machine: Machine) -> None:
    event = machine.good("aclrtCreateEvent")
    machine.good("aclrtDestroyEvent", event)
    assert machine.aclrtDestroyEvent(event) == (107017,)
    assert machine.aclrtRecordEvent(event, 0) == (107017,)
    assert machine.aclrtRecordEvent(0, 0) == (100000,)


def _nap(event: threading.Event) -> None:
    event.wait(0.02)


def test_the_timeout_of_an_event_is_the_event_s(machine: Machine) -> None:
    stream, event = machine.good("aclrtCreateStream"), machine.good("aclrtCreateEvent")
    slow = threading.Event()
    for _ in range(3):
        machine.process.stream(stream).submit(lambda: _nap(slow))
    machine.good("aclrtRecordEvent", event, stream)
    assert machine.aclrtSynchronizeEventWithTimeout(event, 1) == (507047,)
    assert machine.aclrtSynchronizeEventWithTimeout(event, -1) == (0,)
