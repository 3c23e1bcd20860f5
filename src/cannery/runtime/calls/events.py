"""Events. Source: hicann/runtime `include/external/acl/acl_rt.h` @681ef761."""

from __future__ import annotations

from cannery.runtime.call import call
from cannery.runtime.constants import EVENT_FLAGS
from cannery.runtime.event import Event, elapsed_ms
from cannery.runtime.process import Process
from cannery.runtime.status import AclError, RuntimeFault
from cannery.runtime.stream import check_timeout

_FLAG_BITS = sum(EVENT_FLAGS.values())


@call("aclError aclrtCreateEvent(out aclrtEvent *event)", "rt.create_event")
def create_event(process: Process) -> int:
    """A new event that takes timestamps."""
    return _create(process, Event())


@call("aclError aclrtCreateEventWithFlag(out aclrtEvent *event, uint32_t flag)", "rt.create_event_with_flag")
def create_event_with_flag(process: Process, flag: int) -> int:
    """A new event for the purposes of its flags."""
    return _create(process, Event(_checked(flag)))


@call("aclError aclrtCreateEventExWithFlag(out aclrtEvent *event, uint32_t flag)", "rt.create_event_ex_with_flag")
def create_event_ex_with_flag(process: Process, flag: int) -> int:
    """The same; one that was never recorded is complete."""
    return _create(process, Event(_checked(flag), is_ex=True))


@call("aclError aclrtDestroyEvent(aclrtEvent event)", "rt.destroy_event")
def destroy_event(process: Process, handle: int) -> None:
    """Forget an event; streams that wait for it still do."""
    process.handles.get(handle, Event, "event")
    process.handles.remove(handle)


@call("aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)", "rt.record_event")
def record_event(process: Process, handle: int, stream: int) -> None:
    """Put a recording at the end of a stream."""
    _event(process, handle).record_on(process.stream(stream))


@call("aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)", "rt.reset_event")
def reset_event(process: Process, handle: int, stream: int) -> None:
    """Forget the recording when the stream gets there."""
    _event(process, handle).reset_on(process.stream(stream))


@call("aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)", "rt.stream_wait_event")
def stream_wait_event(process: Process, stream: int, handle: int) -> None:
    """Let what follows in a stream wait for the recording there is now."""
    _event(process, handle).hold_back(process.stream(stream))


@call("aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout)")
def stream_wait_event_with_timeout(process: Process, stream: int, handle: int, timeout: int) -> None:
    """The same: the recording is done by the time the stream asks for it."""
    check_timeout(timeout)
    _event(process, handle).hold_back(process.stream(stream))


@call("aclError aclrtQueryEvent(aclrtEvent event, out aclrtEventStatus *status)", "rt.query_event")
def query_event(process: Process, handle: int) -> int:
    """0 complete, 1 not ready."""
    return int(not _event(process, handle).is_complete())


@call("aclError aclrtQueryEventStatus(aclrtEvent event, out aclrtEventRecordedStatus *status)", "rt.query_event_status")
def query_event_status(process: Process, handle: int) -> int:
    """0 not ready, 1 complete: the other way round."""
    return int(_event(process, handle).is_complete())


@call(
    "aclError aclrtQueryEventWaitStatus(aclrtEvent event, out aclrtEventWaitStatus *status)",
    "rt.query_event_wait_status",
)
def query_event_wait_status(process: Process, handle: int) -> int:
    """0 complete, 1 not ready."""
    return int(not _event(process, handle).is_complete())


@call("aclError aclrtSynchronizeEvent(aclrtEvent event)", "rt.synchronize_event")
def synchronize_event(process: Process, handle: int) -> None:
    """Let the event's stream run until it is past the recording."""
    _event(process, handle).synchronize()


@call(
    "aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)",
    "rt.synchronize_event_with_timeout",
)
def synchronize_event_with_timeout(process: Process, handle: int, timeout: int) -> None:
    """The same, for so many milliseconds."""
    _event(process, handle).synchronize(timeout)


@call(
    "aclError aclrtEventElapsedTime(out float *ms, aclrtEvent startEvent, aclrtEvent endEvent)",
    "rt.event_elapsed_time",
)
def event_elapsed_time(process: Process, start: int, end: int) -> float:
    """Milliseconds between two recordings that are done."""
    return elapsed_ms(_event(process, start), _event(process, end))


def _event(process: Process, handle: int) -> Event:
    return process.handles.get(handle, Event, "event")


def _create(process: Process, event: Event) -> int:
    _ = process.context
    return process.handles.add(event)


def _checked(flag: int) -> int:
    if not flag or flag & ~_FLAG_BITS:
        raise RuntimeFault(AclError.ACL_ERROR_RT_PARAM_INVALID, "flag", f"{flag:#x}", "bits of ACL_EVENT_…")
    return flag
