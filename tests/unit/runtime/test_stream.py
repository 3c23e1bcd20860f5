"""Streams defer their work, do it in order, and answer with what failed."""

import ctypes
import threading
from functools import partial

import numpy as np
import pytest

from cannery.runtime.status import AclError, RuntimeFault
from cannery.runtime.stream import DEPTH, Stream

from .conftest import Machine


def failing(text: str) -> RuntimeFault:
    return RuntimeFault(AclError.ACL_ERROR_RT_AICPU_EXCEPTION, "task", text, "none")


def refuse(text: str) -> None:
    raise failing(text)


def _nap(event: threading.Event) -> None:
    event.wait(0.02)


def test_nothing_runs_before_it_is_waited_for_and_then_in_order() -> None:
    stream, done = Stream(), list[int]()
    for number in range(5):
        stream.submit(partial(done.append, number))
    assert done == [] and stream.pending == 5
    stream.synchronize()
    assert done == [0, 1, 2, 3, 4] and stream.pending == 0


def test_the_first_failure_answers_once_and_the_rest_runs() -> None:
    stream, done = Stream(), list[int]()
    for task in (lambda: refuse("a"), lambda: done.append(1), lambda: refuse("b")):
        stream.submit(task)
    with pytest.raises(RuntimeFault, match="found a"):
        stream.synchronize()
    assert done == [1]
    stream.synchronize()


def test_a_stream_that_stops_on_failure_drops_what_follows_but_not_its_events() -> None:
    stream, done = Stream(), list[str]()
    stream.stops_on_failure = True
    stream.submit(lambda: refuse("a"))
    stream.submit(lambda: done.append("task"))
    stream.submit(lambda: done.append("event"), is_marker=True)
    with pytest.raises(RuntimeFault):
        stream.synchronize()
    assert done == ["event"]
    stream.submit(lambda: done.append("next"))
    stream.synchronize()
    assert done == ["event", "next"]


def test_an_exception_of_ours_becomes_a_failed_task() -> None:
    stream = Stream()
    stream.submit(lambda: [][0])
    with pytest.raises(RuntimeFault, match="IndexError") as caught:
        stream.synchronize()
    assert caught.value.code is AclError.ACL_ERROR_RT_INTERNAL_ERROR


def test_a_full_queue_makes_the_oldest_task_run() -> None:
    stream, done = Stream(), list[int]()
    for number in range(DEPTH + 2):
        stream.submit(partial(done.append, number))
    assert done == [0, 1]


def test_a_timeout_names_what_is_pending(machine: Machine) -> None:
    handle = machine.good("aclrtCreateStream")
    machine.process.stream(handle).submit(lambda: None)
    assert machine.aclrtSynchronizeStreamWithTimeout(handle, -2) == (107000,)
    assert machine.aclrtSynchronizeStreamWithTimeout(handle, 1000) == (0,)
    slow = threading.Event()
    for _ in range(3):
        machine.process.stream(handle).submit(lambda: _nap(slow))
    assert machine.aclrtSynchronizeStreamWithTimeout(handle, 1) == (507046,)
    assert "pending" in (machine.process.take_message() or "")
    assert machine.aclrtSynchronizeStream(handle) == (0,)


def test_an_asynchronous_copy_is_seen_after_synchronisation_only(machine: Machine) -> None:
    stream, device = machine.good("aclrtCreateStream"), machine.block(np.zeros(4, np.int32))
    source = np.array([1, 2, 3, 4], np.int32)
    machine.good("aclrtMemcpyAsync", device, 16, source.ctypes.data, 16, 1, stream)
    source[:] = 0  # pageable memory was read at once
    assert machine.read(device, 4) == [0, 0, 0, 0]
    machine.good("aclrtSynchronizeStream", stream)
    assert machine.read(device, 4) == [1, 2, 3, 4]


def test_an_asynchronous_copy_to_pageable_memory_is_done_when_it_returns(machine: Machine) -> None:
    stream, device = machine.good("aclrtCreateStream"), machine.block(np.zeros(4, np.int32))
    machine.good("aclrtMemsetAsync", device, 16, 1, 16, stream)
    target = np.zeros(4, np.int32)
    machine.good("aclrtMemcpyAsync", target.ctypes.data, 16, device, 16, 2, stream)
    assert target.tolist() == [0x01010101] * 4


def test_pinned_memory_is_copied_when_the_stream_gets_there(machine: Machine) -> None:
    stream, device = machine.good("aclrtCreateStream"), machine.block(np.arange(4, dtype=np.int32))
    pinned = machine.good("aclrtMallocHost", 16)
    machine.good("aclrtMemset", pinned, 16, 0, 16)
    machine.good("aclrtMemcpyAsync", pinned, 16, device, 16, 2, stream)
    assert ctypes.string_at(pinned, 16) == bytes(16)
    machine.good("aclrtSynchronizeStream", stream)
    copied = np.zeros(4, np.int32)
    machine.good("aclrtMemcpy", copied.ctypes.data, 16, pinned, 16, 0)
    assert copied.tolist() == [0, 1, 2, 3]


def test_host_to_host_is_not_for_streams(machine: Machine) -> None:
    a, b = np.zeros(4, np.int32), np.zeros(4, np.int32)
    assert machine.aclrtMemcpyAsync(a.ctypes.data, 16, b.ctypes.data, 16, 0, 0) == (207000,)


def test_memory_freed_before_the_stream_gets_there_fails_the_task(machine: Machine) -> None:
    stream, device = machine.good("aclrtCreateStream"), machine.block(np.zeros(4, np.int32))
    machine.good("aclrtMemsetAsync", device, 16, 1, 16, stream)
    machine.good("aclrtFree", device)
    assert machine.aclrtSynchronizeStream(stream) == (107000,)
    assert "freed" in (machine.process.take_message() or "")


def test_a_loop_of_queries_comes_to_an_end(machine: Machine) -> None:
    stream = machine.good("aclrtCreateStream")
    for _ in range(3):
        machine.process.stream(stream).submit(lambda: None)
    assert [machine.good("aclrtStreamQuery", stream) for _ in range(5)] == [1, 1, 1, 0, 0]


def test_null_is_the_default_stream_of_the_context(machine: Machine) -> None:
    device = machine.block(np.zeros(1, np.int32))
    machine.good("aclrtMemsetAsync", device, 4, 1, 4, 0)
    default = machine.good("aclrtCtxGetCurrentDefaultStream")
    assert machine.good("aclrtCtxGetCurrentDefaultStream") == default
    assert machine.good("aclrtStreamQuery", default) == 1
    machine.good("aclrtSynchronizeStream", 0)
    assert machine.read(device, 1) == [0x01010101]
    assert machine.aclrtDestroyStream(default) == (100000,)


def test_destroying_waits_and_a_destroyed_stream_is_caught(machine: Machine) -> None:
    stream, device = machine.good("aclrtCreateStream"), machine.block(np.zeros(1, np.int32))
    machine.good("aclrtMemsetAsync", device, 4, 1, 4, stream)
    machine.good("aclrtDestroyStream", stream)
    assert machine.read(device, 1) == [0x01010101]
    for call in ("aclrtSynchronizeStream", "aclrtDestroyStream"):
        assert getattr(machine, call)(stream) == (107017,)
    assert machine.aclrtDestroyStream(0) == (100000,)


def test_destroying_by_force_drops_what_is_pending(machine: Machine) -> None:
    stream, device = machine.good("aclrtCreateStream"), machine.block(np.zeros(1, np.int32))
    machine.good("aclrtMemsetAsync", device, 4, 1, 4, stream)
    machine.good("aclrtDestroyStreamForce", stream)
    machine.good("aclrtSynchronizeDevice")
    assert machine.read(device, 1) == [0]


@pytest.mark.parametrize("arguments", [(8, 0), (0, 0x40)])
def test_a_stream_of_unknown_priority_or_flag_is_refused(machine: Machine, arguments: tuple[int, int]) -> None:
    assert machine.aclrtCreateStreamWithConfig(*arguments)[0] == 107000


def test_failure_modes_are_two(machine: Machine) -> None:
    stream = machine.good("aclrtCreateStreamWithConfig", 7, 0x3F)
    assert machine.aclrtSetStreamFailureMode(stream, 2) == (107000,)
    assert machine.aclrtSetStreamFailureMode(stream, 1) == (0,)


def test_there_are_1984_streams(machine: Machine) -> None:
    for _ in range(1984):
        machine.good("aclrtCreateStream")
    assert machine.aclrtCreateStream()[0] == 207008


def test_two_threads_with_a_stream_each_do_not_disturb_each_other(machine: Machine) -> None:
    sums: dict[int, list[int]] = {}

    def work(number: int) -> None:
        machine.good("aclrtSetDevice", 0)
        stream = machine.good("aclrtCreateStream")
        device = machine.block(np.zeros(1000, np.uint8))
        for step in range(200):
            machine.good("aclrtMemsetAsync", device + step, 1, number, 1, stream)
        machine.good("aclrtSynchronizeStream", stream)
        sums[number] = machine.read(device, 200, np.uint8)

    threads = [threading.Thread(target=work, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sums == {1: [1] * 200, 2: [2] * 200}
