"""Copies check both ends; what is no device memory is never taken for it."""

import ctypes
import sys
import threading

import numpy as np
import pytest

from cannery.runtime.constants import MEMCPY_KINDS
from cannery.runtime.host import content

from .conftest import Machine

H2H, H2D, D2H, D2D, DEFAULT = 0, 1, 2, 3, 4


@pytest.fixture(name="host")
def _host() -> np.ndarray:
    return np.arange(16, dtype=np.int32)


def test_what_is_copied_in_comes_out(machine: Machine, host: np.ndarray) -> None:
    device = machine.block(host)
    other = machine.good("aclrtMalloc", 64, 0)
    machine.good("aclrtMemcpy", other, 64, device, 64, D2D)
    assert machine.read(other, 16) == list(range(16))


def test_a_copy_may_begin_inside_a_block(machine: Machine, host: np.ndarray) -> None:
    device = machine.block(host)
    assert machine.read(device + 32, 8) == list(range(8, 16))


@pytest.mark.parametrize("kind", [H2D, DEFAULT, 5])
def test_each_kind_to_the_device_copies(machine: Machine, host: np.ndarray, kind: int) -> None:
    device = machine.good("aclrtMalloc", 64, 0)
    machine.good("aclrtMemcpy", device, 64, host.ctypes.data, 64, kind)
    assert machine.read(device, 16) == list(range(16))


@pytest.mark.parametrize(
    ("kind", "to_host", "from_host"), [(H2D, True, True), (D2H, True, True), (D2D, False, True), (D2D, True, False)]
)
def test_a_host_pointer_in_place_of_a_device_pointer_is_caught(
    machine: Machine, host: np.ndarray, kind: int, to_host: bool, from_host: bool
) -> None:
    device, target = machine.block(host), np.zeros(16, np.int32)
    ends = (target.ctypes.data if to_host else device, 64, host.ctypes.data if from_host else device, 64)
    assert machine.aclrtMemcpy(*ends, kind) == (107016,)
    assert "host memory" in (machine.process.take_message() or "")
    assert not target.any()


@pytest.mark.parametrize(
    ("call", "arguments", "status"),
    [
        ("aclrtMalloc", (0, 0), 100000),
        ("aclrtMalloc", (64, 8), 107018),
        ("aclrtMalloc", (64, -1), 107018),
        ("aclrtMalloc", (1 << 62, 0), 207001),
        ("aclrtMallocHost", (0,), 100000),
        ("aclrtMallocHost", (1 << 62,), 207001),
        ("aclrtFree", (0,), 100000),
        ("aclrtFree", (0x1234,), 207002),
        ("aclrtFreeHost", (0,), 100000),
        ("aclrtFreeHost", (0x1234,), 207002),
        ("aclrtGetMemInfo", (77,), 100000),
    ],
)
def test_allocation_refuses(machine: Machine, call: str, arguments: tuple[int, ...], status: int) -> None:
    assert getattr(machine, call)(*arguments)[0] == status
    assert machine.process.take_message()


@pytest.mark.parametrize("kind", [6, 7, 8, -1])
def test_an_unknown_kind_is_refused(machine: Machine, host: np.ndarray, kind: int) -> None:
    device = machine.block(host)
    assert machine.aclrtMemcpy(device, 64, host.ctypes.data, 64, kind) == (100000,)


def test_a_copy_of_nothing_succeeds_before_any_check(machine: Machine) -> None:
    assert machine.aclrtMemcpy(0, 0, 0, 0, 99) == (0,)
    assert machine.aclrtMemset(0, 0, 1, 0) == (0,)


def test_null_ends_are_refused(machine: Machine, host: np.ndarray) -> None:
    device = machine.block(host)
    assert machine.aclrtMemcpy(0, 64, device, 64, D2H) == (100000,)
    assert machine.aclrtMemcpy(device, 64, 0, 64, H2D) == (100000,)
    assert machine.aclrtMemset(0, 64, 1, 64) == (100000,)


def test_less_room_than_bytes_is_refused(machine: Machine, host: np.ndarray) -> None:
    device = machine.block(host)
    assert machine.aclrtMemcpy(device, 63, host.ctypes.data, 64, H2D) == (107000,)
    assert machine.aclrtMemset(device, 63, 1, 64) == (107000,)


@pytest.mark.parametrize("offset", [0, 1, 64])
def test_a_copy_beyond_a_block_is_caught_whatever_room_the_caller_claims(
    machine: Machine, host: np.ndarray, offset: int
) -> None:
    device = machine.block(host[:16])
    count = 65 - offset if offset < 64 else 1
    assert machine.aclrtMemcpy(device + offset, 1000, host.ctypes.data, count, H2D) == (107000,)
    assert machine.read(device, 16) == list(range(16))


def test_a_freed_block_is_caught_as_source_target_and_when_freed_again(machine: Machine, host: np.ndarray) -> None:
    device = machine.block(host)
    machine.good("aclrtFree", device)
    assert machine.aclrtMemcpy(device, 64, host.ctypes.data, 64, H2D) == (107000,)
    assert machine.aclrtMemcpy(host.ctypes.data, 64, device, 64, D2H) == (107000,)
    assert machine.aclrtMemset(device, 64, 0, 64) == (107000,)
    assert machine.aclrtFree(device) == (207002,)
    assert host.tolist() == list(range(16))


def test_only_the_start_of_a_block_is_freed(machine: Machine, host: np.ndarray) -> None:
    device = machine.block(host)
    assert machine.aclrtFree(device + 4) == (207002,)
    assert machine.read(device, 16) == list(range(16))


def test_host_addresses_that_nobody_has_are_caught(machine: Machine) -> None:
    device = machine.good("aclrtMalloc", 64, 0)
    assert machine.aclrtMemcpy(device, 64, 0x10, 64, H2D) == (107000,)
    assert machine.aclrtMemcpy(0x10, 64, device, 64, D2H) == (107000,)


def test_pinned_memory_is_bounded_too(machine: Machine, host: np.ndarray) -> None:
    device, pinned = machine.block(host), machine.good("aclrtMallocHost", 64)
    assert pinned % 64 == 0
    assert machine.aclrtMemcpy(pinned, 1000, device, 64, D2H) == (0,)
    assert ctypes.string_at(pinned, 64) == host.tobytes()
    assert machine.aclrtMemcpy(pinned + 32, 1000, device, 64, D2H) == (107000,)
    machine.good("aclrtFreeHost", pinned)
    assert machine.aclrtFreeHost(pinned) == (207002,)


def test_the_host_may_look_into_device_memory_without_harm(machine: Machine, host: np.ndarray) -> None:
    device = machine.block(host)
    assert ctypes.string_at(device, 64) == host.tobytes()
    machine.good("aclrtFree", device)
    assert len(ctypes.string_at(device, 64)) == 64


def test_memset_fills_bytes_of_device_and_pinned_memory(machine: Machine) -> None:
    device, pinned = machine.good("aclrtMalloc", 8, 0), machine.good("aclrtMallocHost", 8)
    for address in (device, pinned):
        machine.good("aclrtMemset", address, 8, 0x1FF, 4)
        assert ctypes.string_at(address, 4) == b"\xff" * 4
    assert machine.aclrtMemset(np.zeros(8, np.uint8).ctypes.data, 8, 1, 8) == (107016,)


def test_rows_are_copied_with_their_pitches(machine: Machine) -> None:
    host = np.arange(32, dtype=np.uint8).reshape(4, 8)
    device = machine.good("aclrtMalloc", 4 * 16, 0)
    machine.good("aclrtMemcpy2d", device, 16, host.ctypes.data, 8, 5, 4, H2D)
    read = np.array(machine.read(device, 64, np.uint8)).reshape(4, 16)
    assert (read[:, :5] == host[:, :5]).all() and not read[:, 5:].any()
    assert machine.aclrtMemcpy2d(device, 4, host.ctypes.data, 8, 5, 4, H2D) == (107000,)
    assert machine.aclrtMemcpy2d(device, 16, host.ctypes.data, 8, 5, 5, H2D) == (107000,)
    assert machine.aclrtMemcpy2d(0, 16, 0, 8, 0, 4, H2D) == (0,)


def test_free_memory_goes_down_and_comes_back(machine: Machine) -> None:
    _, before, total = machine.aclrtGetMemInfo(1)
    device = machine.good("aclrtMalloc", 1 << 20, 0)
    assert machine.aclrtGetMemInfo(1) == (0, before - (1 << 20), total)
    machine.good("aclrtFree", device)
    assert machine.aclrtGetMemInfo(4) == (0, before, total)


def test_devices_have_memory_of_their_own(machine: Machine, host: np.ndarray) -> None:
    first = machine.block(host)
    machine.good("aclrtSetDevice", 1)
    second = machine.block(host + 100)
    assert machine.process.memory.arena_of(first) is not machine.process.memory.arena_of(second)
    machine.good("aclrtMemcpy", second, 64, first, 64, D2D)
    assert machine.read(second, 16) == list(range(16))
    machine.good("aclrtResetDevice", 1)
    machine.good("aclrtSetDevice", 0)
    assert machine.read(first, 16) == list(range(16))
    assert machine.aclrtFree(second) == (207002,)


def test_two_gibibytes_cost_nothing_until_they_are_touched() -> None:
    from cannery.runtime.arena import Arena

    arena = Arena(8 << 30)
    address = arena.allocate(1 << 31)
    arena.view(address, 1 << 31)[-1] = 9
    assert arena.view(address + (1 << 31) - 1, 1).item() == 9
    arena.release(address)


def test_the_table_of_kinds_is_the_original_s() -> None:
    assert list(MEMCPY_KINDS.values()) == list(range(8))


@pytest.mark.slow
def test_host_memory_is_read_beyond_the_reach_of_32_bits() -> None:
    whole = np.zeros((1 << 31) + 8, np.uint8)  # untouched pages cost nothing until they are read
    whole[-1] = 9
    assert len(content(whole.ctypes.data, 12)) == 12
    kept = content(whole.ctypes.data, whole.nbytes)
    assert len(kept) == whole.nbytes and kept[-1] == 9


def test_a_configuration_counts_nothing(machine: Machine) -> None:
    assert machine.good("aclrtMallocWithCfg", 64, 0, 0)
    assert machine.aclrtMallocWithCfg(0, 0, 0)[0] == 100000


def test_threads_that_allocate_copy_and_free_do_not_disturb_each_other(machine: Machine) -> None:
    wrong = list[tuple[object, ...]]()

    def churn(number: int) -> None:
        machine.good("aclrtSetDevice", number % 2)
        for value in range(200):
            block = machine.block([value])
            pinned = machine.good("aclrtMallocHost", 4)
            found = machine.aclrtMemcpy(pinned, 4, block, 4, 2), machine.read(block, 1)
            if found != ((0,), [value]):
                wrong.append(found)
            machine.good("aclrtFreeHost", pinned)
            machine.good("aclrtFree", block)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=churn, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert wrong == [] and machine.process.memory.arena(0).used == 0
