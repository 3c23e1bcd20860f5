"""Devices as others see them."""

import ctypes
import struct

import pytest

from .conftest import Machine


def test_every_device_reaches_every_other_one(machine: Machine) -> None:
    assert machine.good("aclrtDeviceCanAccessPeer", 0, 1) == 1
    machine.good("aclrtDeviceEnablePeerAccess", 1, 0)
    machine.good("aclrtDeviceDisablePeerAccess", 1)
    assert machine.good("aclrtQueryDeviceStatus", 1) == 0


@pytest.mark.parametrize(
    ("call", "arguments", "status"),
    [
        ("aclrtDeviceCanAccessPeer", (0, 0), 100000),
        ("aclrtDeviceCanAccessPeer", (0, 9), 107001),
        ("aclrtDeviceEnablePeerAccess", (0, 0), 100000),
        ("aclrtDeviceEnablePeerAccess", (1, 1), 200006),
        ("aclrtDeviceDisablePeerAccess", (9,), 107001),
        ("aclrtQueryDeviceStatus", (9,), 107001),
        ("aclrtGetDeviceUtilizationRate", (0, 0), 100000),
    ],
)
def test_what_is_refused(machine: Machine, call: str, arguments: tuple[int, ...], status: int) -> None:
    assert getattr(machine, call)(*arguments)[0] == status


def test_use_is_written_where_the_reserved_pointer_is_null(machine: Machine) -> None:
    out = ctypes.create_string_buffer(struct.pack("4iP", 9, 9, 9, 9, 0), 24)
    machine.good("aclrtGetDeviceUtilizationRate", 0, ctypes.addressof(out))
    assert struct.unpack("4iP", out.raw) == (0, 0, 0, -1, 0)
    out[16] = b"\1"
    assert machine.aclrtGetDeviceUtilizationRate(0, ctypes.addressof(out)) == (100000,)
