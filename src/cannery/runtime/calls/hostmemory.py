"""Host memory that a program registers, and what a pointer points to.

Source: hicann/runtime `include/external/acl/acl_rt.h`, `src/acl/aclrt_impl/memory.cpp`,
`src/runtime/api/impl/{api_error,api_impl}.cc` @681ef761. A mapped address is the host's own: kernels take it, copies
see host memory, as the original says of both.
"""

from __future__ import annotations

import mmap
import struct

from cannery.runtime.call import call
from cannery.runtime.constants import ENUMS, HOST_REGISTER_FLAGS
from cannery.runtime.memory import check_pointer, check_size
from cannery.runtime.process import Process
from cannery.runtime.status import AclError, RuntimeFault

_TYPES = ENUMS["aclrtHostRegisterType"]
_LOCATIONS = ENUMS["aclrtMemLocationType"]
_FLAG_BITS = sum(HOST_REGISTER_FLAGS.values())
_MAPPING_BITS = _FLAG_BITS & ~HOST_REGISTER_FLAGS["ACL_HOST_REG_PINNED"]
_ATTRIBUTES = struct.Struct("IiI4I")


@call(
    "aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, out void **devPtr)",
    "rt.host_register",
)
def host_register(process: Process, address: int, size: int, kind: int) -> int:
    """Let kernels use host memory; the address they use."""
    check_pointer("ptr", address)
    check_size(size)
    if kind & ~sum(_TYPES.values()):
        raise RuntimeFault(AclError.ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "type", kind, "0, or the bits 4 and 8")
    _register(process, address, size, is_mapped=True)
    return address


@call("aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag)", "rt.host_register_v2")
def host_register_v2(process: Process, address: int, size: int, flag: int) -> None:
    """The same by flags; the address is asked for with aclrtHostGetDevicePointer."""
    check_pointer("ptr", address)
    check_size(size)
    if not flag & _FLAG_BITS or flag & ~_FLAG_BITS:
        expected = " and ".join(f"{name} ({value:#x})" for name, value in HOST_REGISTER_FLAGS.items())
        raise RuntimeFault(AclError.ACL_ERROR_RT_PARAM_INVALID, "flag", f"{flag:#x}", f"one or more of {expected}")
    _register(process, address, size, is_mapped=bool(flag & _MAPPING_BITS))


@call(
    "aclError aclrtHostGetDevicePointer(void *pHost, out void **pDevice, uint32_t flag)", "rt.host_get_device_pointer"
)
def host_get_device_pointer(process: Process, address: int, flag: int) -> int:
    """The address by which kernels use registered host memory."""
    check_pointer("pHost", address)
    if flag:
        raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "flag", flag, "0")
    _ = process.context
    if process.memory.mapped.block_at(address) is None:
        found, expected = f"{address:#x}, which is not mapped", "memory of aclrtHostRegister, or of V2 with MAPPED"
        raise RuntimeFault(AclError.ACL_ERROR_RT_PARAM_INVALID, "pHost", found, expected)
    return address


@call("aclError aclrtHostUnregister(void *ptr)", "rt.host_unregister")
def host_unregister(process: Process, address: int) -> None:
    """End that; the address is the one that was registered."""
    check_pointer("ptr", address)
    _ = process.context
    process.memory.mapped.give_back(address)
    if process.memory.registered.give_back(address) is None:
        found, expected = f"{address:#x}, which is not registered", "the start of a registered range"
        raise RuntimeFault(AclError.ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "ptr", found, expected)


@call("aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)")
def pointer_get_attributes(process: Process, address: int, target: int) -> None:
    """Write where memory is: device and kind of place, and the size of its pages."""
    check_pointer("attributes", target)
    process.memory.write_host("attributes", target, _ATTRIBUTES.pack(*location(process, address), *([0] * 4)))


def location(process: Process, address: int) -> tuple[int, int, int]:
    """Device, aclrtMemLocationType and size of a page of an address.

    Raises:
        RuntimeFault: INVALID_PARAM for null.
    """
    check_pointer("ptr", address)
    memory = process.memory
    device = memory.device_of(address)
    if device is not None:
        return device, _LOCATIONS["ACL_MEM_LOCATION_TYPE_DEVICE"], mmap.PAGESIZE
    is_known = memory.pinned.left_at(address) is not None or memory.is_registered(address, 1)
    return 0, _LOCATIONS[f"ACL_MEM_LOCATION_TYPE_{'HOST' if is_known else 'UNREGISTERED'}"], mmap.PAGESIZE


def _register(process: Process, address: int, size: int, *, is_mapped: bool) -> None:
    _ = process.context
    memory = process.memory
    memory.span("ptr", address, size)
    if memory.registered.overlaps(address, size):
        found, expected = f"{size} bytes at {address:#x}", "memory of which no part is registered"
        raise RuntimeFault(AclError.ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "ptr", found, expected)
    memory.registered.lend(address, address, size)
    if is_mapped:
        memory.mapped.lend(address, address, size)
