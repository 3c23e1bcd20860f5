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
