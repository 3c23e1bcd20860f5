"""Limits on cores: of a device, of a stream, and of the thread that uses a stream's.

Source: hicann/runtime `include/external/acl/acl_rt.h` @681ef761.
"""

from __future__ import annotations

from cannery.runtime.call import call
from cannery.runtime.device import Limits
from cannery.runtime.process import Process


@call(
    "aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, out uint32_t *value)",
    "rt.get_device_res_limit",
)
def get_device_res_limit(process: Process, number: int, kind: int) -> int:
    """Cores that may be used."""
    device = process.device(number)
    return device.limits.get(device.soc, kind)


@call(
    "aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value)",
    "rt.set_device_res_limit",
)
def set_device_res_limit(process: Process, number: int, kind: int, value: int) -> None:
    """Limit them."""
    device = process.device(number)
    device.limits.set(device.soc, kind, value)


@call("aclError aclrtResetDeviceResLimit(int32_t deviceId)", "rt.reset_device_res_limit")
def reset_device_res_limit(process: Process, number: int) -> None:
    """Lift the limit."""
    process.device(number).limits = Limits()


@call(
    "aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, out uint32_t *value)",
    "rt.get_stream_res_limit",
)
def get_stream_res_limit(process: Process, stream: int, kind: int) -> int:
    """Cores that a stream may use; without a limit of its own, its device's."""
    device = process.context.device
    limits = device.stream_limits.get(process.stream(stream), device.limits)
    return limits.get(device.soc, kind)


@call(
    "aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value)",
    "rt.set_stream_res_limit",
)
def set_stream_res_limit(process: Process, stream: int, kind: int, value: int) -> None:
    """Limit them."""
    device = process.context.device
    device.stream_limits.setdefault(process.stream(stream), Limits()).set(device.soc, kind, value)


@call("aclError aclrtResetStreamResLimit(aclrtStream stream)", "rt.reset_stream_res_limit")
def reset_stream_res_limit(process: Process, stream: int) -> None:
    """Lift the limit."""
    process.context.device.stream_limits.pop(process.stream(stream), None)


@call("aclError aclrtUseStreamResInCurrentThread(aclrtStream stream)", "rt.use_stream_res_in_current_thread")
def use_stream_res(process: Process, stream: int) -> None:
    """Let the two-phase calls of this thread plan for the cores of a stream."""
    process.limit_thread_by(process.stream(stream))


@call("aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream)", "rt.unuse_stream_res_in_current_thread")
def unuse_stream_res(process: Process, stream: int) -> None:
    """End that."""
    if process.thread_stream() is process.stream(stream):
        process.limit_thread_by(None)


@call(
    "aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, out uint32_t *value)",
    "rt.get_res_in_current_thread",
)
def get_res_in_current_thread(process: Process, kind: int) -> int:
    """Cores that the two-phase calls of this thread plan for."""
    return Limits().get(process.chip(), kind)
