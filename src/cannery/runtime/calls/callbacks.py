"""Host callbacks of streams. Source: hicann/runtime `include/external/acl/acl_rt.h` @681ef761."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cannery.runtime.call import Call, call
from cannery.runtime.process import ExceptionInfo, Process
from cannery.runtime.status import AclError, RuntimeFault
from cannery.runtime.stream import check_timeout


@call("aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)", "rt.subscribe_report")
def subscribe_report(process: Process, thread: int, stream: int) -> None:
    """Let a thread take the callbacks of a stream."""
    process.reports.subscribe(thread, process.stream(stream))


@call("aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)", "rt.unsubscribe_report")
def unsubscribe_report(process: Process, thread: int, stream: int) -> None:
    """End that."""
    process.reports.unsubscribe(thread, process.stream(stream))


@call("aclError aclrtProcessReport(int32_t timeout)", "rt.process_report")
def process_report(process: Process, timeout: int) -> None:
    """Call one callback of this thread's, and wait for it so many milliseconds."""
    check_timeout(timeout)
    if not process.reports.process(timeout):
        raise RuntimeFault(AclError.ACL_ERROR_RT_WAIT_TIMEOUT, "timeout", f"no callback in {timeout} ms", "one")


@call(
    "aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType, "
    "aclrtStream stream)",
    "rt.launch_callback",
)
def launch_callback(
    process: Process, function: Callable[[Any], Any] | None, user_data: Any, block_type: int, stream: int
) -> None:
    """Put a callback at the end of a stream."""
    if function is None:
        raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "fn", "null", "a function")
    if block_type not in (0, 1):
        raise RuntimeFault(AclError.ACL_ERROR_RT_PARAM_INVALID, "blockType", block_type, "0 or 1")
    process.reports.launch(process.stream(stream), lambda: function(user_data), blocks=bool(block_type))


@call("aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)", "rt.set_exception_info_callback")
def set_exception_info_callback(process: Process, function: Callable[[int], Any] | None) -> None:
    """Call a function with what is known of each task that fails from now on; null ends that."""
    process.exception_callback = function


def _info_call(name: str, python: str, field: str) -> Call:
    """Read one field of what the function is told; all bits set for nothing."""

    def read(process: Process, handle: int) -> int:
        info = process.handles.find(handle, ExceptionInfo)
        return getattr(info, field) if info is not None else 0xFFFFFFFF

    read.__doc__ = f"The {field} of a task that failed; 0xFFFFFFFF outside the function that is told of it."
    prototype = f"uint32_t aclrtGet{name}FromExceptionInfo(const aclrtExceptionInfo *info)"
    return call(prototype, f"rt.get_{python}_from_exception_info")(read)


get_task_id = _info_call("TaskId", "task_id", "task")
get_stream_id = _info_call("StreamId", "stream_id", "stream")
get_thread_id = _info_call("ThreadId", "thread_id", "thread")
get_device_id = _info_call("DeviceId", "device_id", "device")
get_error_code = _info_call("ErrorCode", "error_code", "code")
