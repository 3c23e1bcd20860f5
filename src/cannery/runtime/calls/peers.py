"""Devices as others see them: access between them, their state and load.

Source: hicann/runtime `include/external/acl/acl_rt.h`, `src/acl/aclrt_impl/{device,memory}.cpp` @681ef761.
"""

from __future__ import annotations

import ctypes
import struct

from cannery.runtime.call import call
from cannery.runtime.constants import ENUMS
from cannery.runtime.memory import check_pointer
from cannery.runtime.process import Process
from cannery.runtime.status import AclError, RuntimeFault

_UTILIZATION = struct.Struct("4iP")
# Cube, vector and AI CPU cores: tasks run in the thread that waits for them, so whoever asks sees none. The original
# cannot tell for memory.
_IDLE = (0, 0, 0, -1)


@call(
    "aclError aclrtDeviceCanAccessPeer(out int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId)",
    "rt.device_can_access_peer",
)
def device_can_access_peer(process: Process, device: int, peer: int) -> int:
    """1: every device reaches every other one."""
    if device == peer:
        raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "peerDeviceId", f"{peer}, which is deviceId", "another")
    process.device(device)
    process.device(peer)
    return 1


@call("aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)", "rt.device_enable_peer_access")
def device_enable_peer_access(process: Process, peer: int, flags: int) -> None:
    """Let this thread's device reach another one. Copies between devices work without it here."""
    if flags:
        raise RuntimeFault(AclError.ACL_ERROR_FEATURE_UNSUPPORTED, "flags", flags, "0")
    _check_peer(process, peer)


@call("aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)", "rt.device_disable_peer_access")
def device_disable_peer_access(process: Process, peer: int) -> None:
    """The opposite, without an effect."""
    _check_peer(process, peer)


@call(
    "aclError aclrtQueryDeviceStatus(int32_t deviceId, out aclrtDeviceStatus *deviceStatus)", "rt.query_device_status"
)
def query_device_status(process: Process, device: int) -> int:
    """ACL_RT_DEVICE_STATUS_NORMAL: a virtual device does not break."""
    process.device(device)
    return ENUMS["aclrtDeviceStatus"]["ACL_RT_DEVICE_STATUS_NORMAL"]


@call("aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo)")
def get_device_utilization_rate(process: Process, device: int, target: int) -> None:
    """Write how busy a device is, in percent."""
    check_pointer("utilizationInfo", target)
    cores = utilization(process, device)
    process.memory.span("utilizationInfo", target, _UTILIZATION.size)
    if _UTILIZATION.unpack(ctypes.string_at(target, _UTILIZATION.size))[-1]:
        raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "utilizationExtend", "a pointer", "null: it is reserved")
    process.memory.write_host("utilizationInfo", target, _UTILIZATION.pack(*cores, 0))


def utilization(process: Process, device: int) -> tuple[int, int, int, int]:
    """Percent of use of cube cores, vector cores, AI CPUs and memory; -1 where nobody can tell.

    Raises:
        RuntimeFault: RT_INVALID_DEVICEID.
    """
    process.device(device)
    return _IDLE


def _check_peer(process: Process, peer: int) -> None:
    process.device(peer)
    if process.context.device.number == peer:
        found = f"{peer}, which is this thread's device"
        raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "peerDeviceId", found, "another device")
