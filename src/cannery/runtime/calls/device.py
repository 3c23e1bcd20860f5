"""Devices. Source: hicann/runtime `include/external/acl/acl_rt.h`, `src/acl/aclrt_impl/device.cpp` @681ef761."""

from __future__ import annotations

from cannery.runtime.call import call
from cannery.runtime.device import Context, Device
from cannery.runtime.process import Process
from cannery.runtime.status import AclError, RuntimeFault
from cannery.runtime.stream import FOREVER, Stream


@call("aclError aclrtSetDevice(int32_t deviceId)", "rt.set_device")
def set_device(process: Process, number: int) -> None:
    """Use a device in this thread, with the default context that all threads share."""
    with process.lock:
        device = process.device(number)
        process.memory.arena(number)
        device.users += 1
        process.enter(device.open())


@call("aclError aclrtResetDevice(int32_t deviceId)", "rt.reset_device")
def reset_device(process: Process, number: int) -> None:
    """Count down; at nothing, end the device's contexts and free its memory."""
    with process.lock:
        device = _in_use(process, number)
        device.users -= 1
        if device.users == 0:
            _close(process, device)


@call("aclError aclrtResetDeviceForce(int32_t deviceId)", "rt.reset_device_force")
def reset_device_force(process: Process, number: int) -> None:
    """The same at once, however often the device was set."""
    with process.lock:
        _close(process, _in_use(process, number))


@call("aclError aclrtGetDevice(out int32_t *deviceId)", "rt.get_device")
def get_device(process: Process) -> int:
    """The device of this thread."""
    return process.context.device.number


@call("aclError aclrtSynchronizeDevice()", "rt.synchronize_device")
def synchronize_device(process: Process) -> None:
    """Do everything pending on this thread's device."""
    _synchronize(process, FOREVER)


@call("aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)", "rt.synchronize_device_with_timeout")
def synchronize_device_with_timeout(process: Process, timeout: int) -> None:
    """The same, for so many milliseconds a stream."""
    _synchronize(process, timeout)


def _synchronize(process: Process, timeout: int) -> None:
    first: RuntimeFault | None = None
    for context in list(process.context.device.contexts):
        try:
            context.synchronize(timeout)
        except RuntimeFault as fault:
            first = first or fault
    if first is not None:
        raise first


def _in_use(process: Process, number: int) -> Device:
    device = process.device(number)
    if not device.users:
        found = f"device {number}, which is not set"
        raise RuntimeFault(AclError.ACL_ERROR_RT_CONTEXT_NULL, "deviceId", found, "one reset for each aclrtSetDevice")
    return device


def _close(process: Process, device: Device) -> None:
    device.close()
    process.memory.release_device(device.number)
    alive = {stream for other in range(process.device_count()) for stream in _streams(process.device(other))}
    for handle, stream in process.handles.of(Stream):
        if stream not in alive:
            process.handles.remove(handle)
    for handle, context in process.handles.of(Context):
        if context.is_default and not context.is_alive:
            process.handles.remove(handle)


def _streams(device: Device) -> set[Stream]:
    return {stream for context in device.contexts for stream in context.every_stream()}
