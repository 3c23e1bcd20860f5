"""Registered host memory, what a pointer points to, and memory that may not be written."""

import ctypes
import mmap
import struct

import numpy as np
import pytest

from .conftest import Machine

MAPPED, PINNED = 0x2, 0x10000000
READ_ONLY = 1


@pytest.fixture(name="host")
def _host() -> np.ndarray:
    return np.arange(256, dtype=np.uint8)


def test_registered_memory_is_seen_by_kernels_at_the_address_that_was_given(machine: Machine, host: np.ndarray) -> None:
    address = machine.good("aclrtHostRegister", host.ctypes.data, host.nbytes, 0)
    assert machine.good("aclrtHostGetDevicePointer", host.ctypes.data, 0) == address
    view = machine.process.memory.view("x", address + 2, 4)
    view += 1
    assert host[:8].tolist() == [0, 1, 3, 4, 5, 6, 6, 7]
    machine.good("aclrtHostUnregister", host.ctypes.data)
    assert machine.aclrtHostGetDevicePointer(host.ctypes.data, 0)[0] == 107000


def test_registered_memory_counts_as_pinned(machine: Machine, host: np.ndarray) -> None:
    memory = machine.process.memory
    assert not memory.span("x", host.ctypes.data, 4).is_pinned
    machine.good("aclrtHostRegisterV2", host.ctypes.data, host.nbytes, PINNED)
    assert memory.span("x", host.ctypes.data, 4).is_pinned
    assert machine.aclrtHostGetDevicePointer(host.ctypes.data, 0)[0] == 107000


@pytest.mark.parametrize(
    ("call", "arguments", "status"),
    [
        ("aclrtHostRegister", (0, 64, 0), 100000),
        ("aclrtHostRegister", (64, 0, 0), 100000),
        ("aclrtHostRegister", (64, 64, 2), 207000),
        ("aclrtHostRegisterV2", (64, 64, 0), 107000),
        ("aclrtHostRegisterV2", (64, 64, 1), 107000),
        ("aclrtHostRegisterV2", (64, 64, MAPPED), 107000),
        ("aclrtHostGetDevicePointer", (64, 1), 100000),
        ("aclrtHostUnregister", (0,), 100000),
        ("aclrtHostUnregister", (64,), 507911),
        ("aclrtPointerGetAttributes", (64, 0), 100000),
    ],
)
def test_what_is_refused(machine: Machine, call: str, arguments: tuple[int, ...], status: int) -> None:
    assert getattr(machine, call)(*arguments)[0] == status


def test_a_pointer_says_where_it_points(machine: Machine, host: np.ndarray) -> None:
    device = machine.good("aclrtMalloc", 64, 0)
    pinned = machine.good("aclrtMallocHost", 64)
    places = []
    for address in (device, pinned, host.ctypes.data):
        out = ctypes.create_string_buffer(28)
        machine.good("aclrtPointerGetAttributes", address, ctypes.addressof(out))
        places.append(struct.unpack("IiI4I", out.raw)[:3])
    assert places == [(0, 1, mmap.PAGESIZE), (0, 0, mmap.PAGESIZE), (0, 2, mmap.PAGESIZE)]


def test_a_copy_onto_memory_that_may_only_be_read_is_refused(machine: Machine) -> None:
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    page = libc.mmap(None, mmap.PAGESIZE, READ_ONLY, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    device = machine.block(np.arange(4))
    for call in (
        lambda: machine.aclrtMemcpy(page, 32, device, 32, 2),
        lambda: machine.aclrtMemcpyAsync(page, 32, device, 32, 2, 0),
        lambda: machine.aclrtMemcpy2d(page, 8, device, 8, 8, 2, 2),
        lambda: machine.aclsysGetVersionStr("runtime", page),
    ):
        assert call() == (107000,)
        assert "memory that may be written" in (machine.process.take_message() or "")
    machine.good("aclrtMemcpy", device, 32, page, 32, 1)
    assert machine.read(device, 4) == [0, 0, 0, 0]
