"""Devices, contexts, and the limits on their cores."""

import threading

import pytest

from cannery.runtime import Options, Process

from .conftest import Machine


@pytest.mark.parametrize("number", [-1, 2, 1 << 30])
def test_a_device_that_is_not_there_is_refused(idle: Machine, number: int) -> None:
    idle.good("aclInit", None)
    for call in ("aclrtSetDevice", "aclrtResetDevice", "aclrtCreateContext"):
        assert getattr(idle, call)(number)[0] == 107001
    assert "0 to 1" in (idle.process.take_message() or "")


def test_without_a_visible_device_every_device_is_refused() -> None:
    machine = Machine(Process(Options(devices=0)))
    machine.good("aclInit", None)
    assert machine.good("aclrtGetDeviceCount") == 0
    assert machine.aclrtSetDevice(0) == (107001,)


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("aclrtMalloc", (64, 0)),
        ("aclrtMallocHost", (64,)),
        ("aclrtMallocHostWithCfg", (64, 0)),
        ("aclrtHostRegister", (1, 1, 0)),
        ("aclrtHostRegisterV2", (1, 1, 2)),
        ("aclrtHostGetDevicePointer", (1, 0)),
        ("aclrtHostUnregister", (1,)),
        ("aclrtMemcpy", (1, 1, 1, 1, 0)),
        ("aclrtCreateStream", ()),
        ("aclrtCreateEvent", ()),
        ("aclrtGetDevice", ()),
        ("aclrtGetCurrentContext", ()),
        ("aclrtSynchronizeDevice", ()),
        ("aclrtSynchronizeStream", (0,)),
        ("aclrtCtxSetSysParamOpt", (0, 1)),
        ("aclrtGetResInCurrentThread", (0,)),
    ],
)
def test_without_a_context_nothing_works(idle: Machine, call: str, arguments: tuple[int, ...]) -> None:
    assert getattr(idle, call)(*arguments)[0] == 107002


def test_each_set_needs_its_reset_and_one_more_is_an_error(machine: Machine) -> None:
    machine.good("aclrtSetDevice", 0)
    machine.good("aclrtResetDevice", 0)
    assert machine.good("aclrtGetDevice") == 0
    machine.good("aclrtResetDevice", 0)
    assert machine.aclrtGetDevice()[0] == 107002
    assert machine.aclrtResetDevice(0) == (107002,)
    machine.good("aclrtSetDevice", 0)
    machine.good("aclrtSetDevice", 0)
    machine.good("aclrtResetDeviceForce", 0)
    assert machine.aclrtResetDevice(0) == (107002,)


def test_resetting_does_what_is_pending_and_ends_every_handle(machine: Machine) -> None:
    stream, done = machine.good("aclrtCreateStream"), list[int]()
    machine.process.stream(stream).submit(lambda: done.append(1))
    machine.good("aclrtResetDevice", 0)
    assert done == [1]
    machine.good("aclrtSetDevice", 0)
    assert machine.aclrtSynchronizeStream(stream) == (107017,)


def test_threads_share_the_default_context(machine: Machine) -> None:
    here, there = machine.good("aclrtGetCurrentContext"), list[int]()

    def work() -> None:
        assert machine.aclrtGetDevice()[0] == 107002
        machine.good("aclrtSetDevice", 0)
        there.append(machine.good("aclrtGetCurrentContext"))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert there == [here]


def test_a_new_context_is_current_at_once_and_has_streams_of_its_own(machine: Machine) -> None:
    default, stream = machine.good("aclrtGetCurrentContext"), machine.good("aclrtCreateStream")
    context = machine.good("aclrtCreateContext", 1)
    assert machine.good("aclrtGetCurrentContext") == context
    assert machine.good("aclrtGetDevice") == 1
    assert machine.aclrtSynchronizeStream(stream) == (107003,)
    machine.good("aclrtSetCurrentContext", default)
    assert machine.good("aclrtGetDevice") == 0
    machine.good("aclrtSynchronizeStream", stream)
    machine.good("aclrtDestroyContext", context)
    assert machine.aclrtDestroyContext(context) == (107017,)
    assert machine.aclrtSetCurrentContext(context) == (107017,)
    assert machine.aclrtSetCurrentContext(0) == (100000,)


def test_a_destroyed_context_leaves_its_thread_without_one(machine: Machine) -> None:
    context = machine.good("aclrtCreateContext", 0)
    machine.good("aclrtDestroyContext", context)
    assert machine.aclrtCreateStream()[0] == 107002


def test_the_default_context_is_not_destroyed(machine: Machine) -> None:
    assert machine.aclrtDestroyContext(machine.good("aclrtGetCurrentContext")) == (100000,)
    assert machine.aclrtGetPrimaryCtxState(0) == (0, 0, 1)
    assert machine.aclrtGetPrimaryCtxState(1) == (0, 0, 0)


def test_options_belong_to_a_context_or_to_the_process(machine: Machine) -> None:
    assert machine.aclrtCtxGetSysParamOpt(0)[0] == 107021
    machine.good("aclrtCtxSetSysParamOpt", 0, 1)
    machine.good("aclrtSetSysParamOpt", 0, 2)
    assert machine.good("aclrtCtxGetSysParamOpt", 0) == 1
    machine.good("aclrtCreateContext", 0)
    assert machine.aclrtCtxGetSysParamOpt(0)[0] == 107021
    assert machine.good("aclrtGetSysParamOpt", 0) == 2
    assert machine.aclrtSetSysParamOpt(4, 1) == (100000,)


def test_limits_of_stream_thread_and_device(machine: Machine) -> None:
    stream = machine.good("aclrtCreateStream")
    assert [machine.good("aclrtGetDeviceResLimit", 0, kind) for kind in (0, 1)] == [32, 64]
    machine.good("aclrtSetDeviceResLimit", 0, 0, 20)
    assert machine.good("aclrtGetStreamResLimit", stream, 0) == 20
    machine.good("aclrtSetStreamResLimit", stream, 0, 8)
    assert machine.good("aclrtGetResInCurrentThread", 0) == 20
    machine.good("aclrtUseStreamResInCurrentThread", stream)
    assert machine.good("aclrtGetResInCurrentThread", 0) == 8
    assert machine.good("aclrtGetResInCurrentThread", 1) == 64
    machine.good("aclrtUnuseStreamResInCurrentThread", stream)
    machine.good("aclrtResetStreamResLimit", stream)
    machine.good("aclrtResetDeviceResLimit", 0)
    assert machine.good("aclrtGetStreamResLimit", stream, 0) == 32


@pytest.mark.parametrize("arguments", [(0, 0), (0, 33), (2, 1), (-1, 1)])
def test_limits_beyond_the_chip_are_refused(machine: Machine, arguments: tuple[int, int]) -> None:
    assert machine.aclrtSetDeviceResLimit(0, *arguments) == (100000,)


def test_what_a_device_is_can_be_asked_before_anything_else(idle: Machine) -> None:
    assert idle.good("aclrtGetDeviceCount") == 2
    assert idle.good("aclrtGetRunMode") == 1
    assert idle.aclrtGetSocName() == (0, "Ascend950PR_9589")
    assert [idle.good("aclGetDeviceCapability", 0, info) for info in (0, 1)] == [32, 64]
    assert idle.good("aclrtGetDeviceInfo", 1, 601) == 3510
    assert idle.aclGetDeviceCapability(0, 9)[0] == 100000
    assert idle.aclrtGetDeviceInfo(5, 601)[0] == 107001


def test_ten_thousand_rounds_leave_nothing_behind(machine: Machine) -> None:
    def round_of_everything() -> None:
        context = machine.good("aclrtCreateContext", 0)
        stream, event = machine.good("aclrtCreateStream"), machine.good("aclrtCreateEvent")
        device, host = machine.good("aclrtMalloc", 100, 0), machine.good("aclrtMallocHost", 100)
        machine.good("aclrtMemcpyAsync", device, 100, host, 100, 1, stream)
        machine.good("aclrtRecordEvent", event, stream)
        machine.good("aclrtDestroyEvent", event)
        machine.good("aclrtDestroyStream", stream)
        machine.good("aclrtFree", device)
        machine.good("aclrtFreeHost", host)
        machine.good("aclrtDestroyContext", context)

    for _ in range(10_000):
        round_of_everything()
    machine.good("aclrtSetDevice", 0)
    assert len(machine.process.handles) == 0
    assert machine.process.memory.arena(0).used == 0
