"""Streams. Source: hicann/runtime `include/external/acl/acl_rt.h` @681ef761."""

from __future__ import annotations

from cannery.runtime.call import call
from cannery.runtime.constants import STREAM_FLAGS
from cannery.runtime.device import MAX_PRIORITY
from cannery.runtime.process import Process
from cannery.runtime.status import AclError, RuntimeFault
from cannery.runtime.stream import FOREVER, Stream

COMPLETE, NOT_READY = 0, 1
_FLAG_BITS = sum(STREAM_FLAGS.values())


@call("aclError aclrtCreateStream(out aclrtStream *stream)", "rt.create_stream")
def create_stream(process: Process) -> int:
    """A new stream of this thread's context."""
    with process.lock:
        context = process.context
        context.device.check_room_for_a_stream()
        stream = context.device.new_stream()
        context.streams.add(stream)
        return process.handles.add(stream)


@call(
    "aclError aclrtCreateStreamWithConfig(out aclrtStream *stream, uint32_t priority, uint32_t flag)",
    "rt.create_stream_with_config",
)
def create_stream_with_config(process: Process, priority: int, flag: int) -> int:
    """The same; priority and flags are checked, and change nothing here."""
    if priority > MAX_PRIORITY:
        raise RuntimeFault(AclError.ACL_ERROR_RT_PARAM_INVALID, "priority", priority, f"0 to {MAX_PRIORITY}")
    if flag & ~_FLAG_BITS:
        raise RuntimeFault(AclError.ACL_ERROR_RT_PARAM_INVALID, "flag", f"{flag:#x}", "bits of ACL_STREAM_…")
    return int(create_stream.function(process))


@call("aclError aclrtDestroyStream(aclrtStream stream)", "rt.destroy_stream")
def destroy_stream(process: Process, handle: int) -> None:
    """Do what is pending, then end the stream."""
    stream = _created(process, handle)
    try:
        stream.synchronize()
    finally:
        _forget(process, handle, stream)


@call("aclError aclrtDestroyStreamForce(aclrtStream stream)", "rt.destroy_stream_force")
def destroy_stream_force(process: Process, handle: int) -> None:
    """End the stream; what is pending is never done."""
    _forget(process, handle, _created(process, handle))


@call("aclError aclrtSynchronizeStream(aclrtStream stream)", "rt.synchronize_stream")
def synchronize_stream(process: Process, handle: int) -> None:
    """Do what is pending; the first task that failed since the last time answers."""
    process.stream(handle).synchronize(FOREVER)


@call(
    "aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)",
    "rt.synchronize_stream_with_timeout",
)
def synchronize_stream_with_timeout(process: Process, handle: int, timeout: int) -> None:
    """The same, for so many milliseconds."""
    process.stream(handle).synchronize(timeout)


@call("aclError aclrtStreamQuery(aclrtStream stream, out aclrtStreamStatus *status)", "rt.stream_query")
def stream_query(process: Process, handle: int) -> int:
    """Whether nothing is pending. Asking lets the stream do one task."""
    stream = process.stream(handle)
    if not stream.pending:
        return COMPLETE
    stream.peek()
    return NOT_READY


@call("aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)", "rt.set_stream_failure_mode")
def set_stream_failure_mode(process: Process, handle: int, mode: int) -> None:
    """Whether a failed task cancels those behind it."""
    if mode not in (0, 1):
        found, expected = mode, "ACL_CONTINUE_ON_FAILURE (0) or ACL_STOP_ON_FAILURE (1)"
        raise RuntimeFault(AclError.ACL_ERROR_RT_PARAM_INVALID, "mode", found, expected)
    process.stream(handle).stops_on_failure = bool(mode)


def _created(process: Process, handle: int) -> Stream:
    """The stream, which somebody made and may destroy now."""
    stream = process.handles.get(handle, Stream, "stream")
    context = process.context
    if stream is context.default_stream:
        found = "the default stream of the context"
        raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "stream", found, "one of aclrtCreateStream")
    return process.stream(handle)


def _forget(process: Process, handle: int, stream: Stream) -> None:
    with process.lock:
        context = process.context
        context.streams.discard(stream)
        process.reports.forget(stream)
        context.device.stream_limits.pop(stream, None)
        process.handles.remove(handle)
