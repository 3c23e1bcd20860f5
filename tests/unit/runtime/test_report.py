"""Host callbacks: the subscribed thread calls them, in the order of their stream."""

import threading
from functools import partial

from .conftest import Machine


def subscribed(machine: Machine, stream: int, ready: threading.Event, leave: threading.Event) -> None:
    machine.good("aclrtSetDevice", 0)
    machine.good("aclrtSubscribeReport", threading.get_ident(), stream)
    ready.set()
    while not leave.is_set():
        machine.aclrtProcessReport(10)
    machine.good("aclrtUnSubscribeReport", threading.get_ident(), stream)


def test_a_blocking_callback_holds_its_stream_up_until_its_thread_has_called_it(machine: Machine) -> None:
    stream, order = machine.good("aclrtCreateStream"), list[object]()
    ready, leave = threading.Event(), threading.Event()
    thread = threading.Thread(target=subscribed, args=(machine, stream, ready, leave))
    thread.start()
    ready.wait()
    for number in range(5):
        machine.good("aclrtLaunchCallback", lambda data: order.append((data, threading.get_ident())), number, 1, stream)
        machine.process.stream(stream).submit(partial(order.append, number))
    machine.good("aclrtSynchronizeStream", stream)
    leave.set()
    thread.join()
    assert [item for item in order if isinstance(item, int)] == list(range(5))
    assert [item for item in order if not isinstance(item, int)] == [(number, thread.ident) for number in range(5)]
    assert order[0] == (0, thread.ident)


def test_a_thread_that_waits_for_callbacks_makes_its_stream_go_on(machine: Machine) -> None:
    stream, called = machine.good("aclrtCreateStream"), list[int]()
    machine.good("aclrtSubscribeReport", threading.get_ident(), stream)
    for block in (0, 1):
        machine.good("aclrtLaunchCallback", called.append, block, block, stream)
    machine.good("aclrtProcessReport", 100)
    assert called == [0]
    machine.good("aclrtProcessReport", -1)
    assert called == [0, 1]
    assert machine.aclrtProcessReport(1) == (107019,)


def test_a_callback_needs_a_subscription_and_a_function(machine: Machine) -> None:
    stream = machine.good("aclrtCreateStream")
    assert machine.aclrtLaunchCallback(print, 0, 1, stream) == (107015,)
    assert machine.aclrtUnSubscribeReport(1, stream) == (107015,)
    assert machine.aclrtProcessReport(1) == (107015,)
    machine.good("aclrtSubscribeReport", threading.get_ident(), stream)
    assert machine.aclrtLaunchCallback(None, 0, 1, stream) == (100000,)
    assert machine.aclrtLaunchCallback(print, 0, 2, stream) == (107000,)
    assert machine.aclrtProcessReport(-2) == (107000,)


def test_a_callback_nobody_takes_does_not_outlast_a_timeout(machine: Machine) -> None:
    stream, other = machine.good("aclrtCreateStream"), machine.good("aclrtCreateStream")
    event, called = machine.good("aclrtCreateEvent"), list[int]()
    machine.good("aclrtSubscribeReport", 1, stream)
    machine.good("aclrtLaunchCallback", called.append, 7, 1, stream)
    machine.good("aclrtRecordEvent", event, stream)
    machine.good("aclrtStreamWaitEvent", other, event)
    assert machine.aclrtSynchronizeStreamWithTimeout(stream, 10) == (507046,)
    assert machine.aclrtSynchronizeEventWithTimeout(event, 10) == (507047,)
    assert machine.aclrtSynchronizeStreamWithTimeout(other, 10) == (507046,)
    assert machine.good("aclrtStreamQuery", other) == 1 and called == []


def test_queries_alone_bring_a_stream_past_another_s_event(machine: Machine) -> None:
    stream, other = machine.good("aclrtCreateStream"), machine.good("aclrtCreateStream")
    event, done = machine.good("aclrtCreateEvent"), list[int]()
    for number in range(3):
        machine.process.stream(stream).submit(partial(done.append, number))
    machine.good("aclrtRecordEvent", event, stream)
    machine.good("aclrtStreamWaitEvent", other, event)
    while machine.good("aclrtStreamQuery", other):
        pass
    assert done == [0, 1, 2]


def test_a_callback_that_waits_for_its_own_stream_is_told_instead_of_waiting_for_ever(machine: Machine) -> None:
    stream, answers = machine.good("aclrtCreateStream"), list[object]()
    ready, leave = threading.Event(), threading.Event()
    thread = threading.Thread(target=subscribed, args=(machine, stream, ready, leave))
    thread.start()
    ready.wait()

    def wait(data: int) -> None:
        answers.append(machine.aclrtSynchronizeStreamWithTimeout(stream, 20))

    machine.good("aclrtLaunchCallback", wait, 0, 1, stream)
    machine.good("aclrtSynchronizeStream", stream)
    leave.set()
    thread.join()
    assert answers == [(507046,)]


def test_the_program_is_told_of_each_task_that_fails(machine: Machine) -> None:
    told = list[tuple[object, ...]]()
    fields = ("TaskId", "StreamId", "DeviceId", "ErrorCode")

    def fail() -> None:
        raise ZeroDivisionError

    def note(info: int) -> None:
        told.append(tuple(machine.good(f"aclrtGet{field}FromExceptionInfo", info) for field in fields))
        told.append((info,))

    machine.good("aclrtSetExceptionInfoCallback", note)
    stream, block = machine.good("aclrtCreateStream"), machine.block([1])
    machine.good("aclrtMemsetAsync", block, 4, 0, 4, stream)
    machine.good("aclrtMemsetAsync", block, 4, 0, 4, stream)
    machine.good("aclrtStreamQuery", stream)
    machine.good("aclrtFree", block)
    assert machine.aclrtSynchronizeStream(stream) == (107000,)
    task, number, device, code = told[0]
    assert (task, device, code) == (1, 0, 107000) and number != 0
    assert machine.good("aclrtGetTaskIdFromExceptionInfo", told[1][0]) == 0xFFFFFFFF
    machine.good("aclrtSetExceptionInfoCallback", None)
    machine.process.stream(stream).submit(fail)
    assert machine.aclrtSynchronizeStream(stream) == (507000,) and len(told) == 2
