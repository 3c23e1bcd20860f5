"""Streams, events and the limits on cores.

Work of PyTorch is done when its call returns, so a stream is never behind; what the runtime's own calls (``acl``,
``aclnn``) submit to the same stream is done when the stream is synchronised.

Source: Ascend/pytorch `torch_npu/npu/streams.py`, `torch_npu/npu/npu_config.py` @9e73e708.
"""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

import torch

from cannery.extras.npu.device import DeviceLike, index_of
from cannery.extras.npu.machine import machine
from cannery.runtime import Stream as RuntimeStream
from cannery.runtime.device import CUBE, VECTOR, Limits

_DEVICE_TYPE = 20  # c10::DeviceType::PrivateUse1
_KINDS = (("cube_core_num", CUBE), ("vector_core_num", VECTOR))


class Stream(torch.Stream):
    """A stream of a device.

    Attributes:
        npu_stream: the runtime's handle: an int that ``acl`` and ``aclnn`` calls take.
    """

    runtime_stream: RuntimeStream
    npu_stream: int

    def __new__(cls, device: DeviceLike = None, priority: int = 0, **kwargs: Any) -> Stream:
        """A new stream of the current or the given device."""
        index = index_of(device)
        machine().initialize()
        context = machine().device(index).open()
        runtime_stream = RuntimeStream()
        context.streams.add(runtime_stream)
        return cls._of(index, runtime_stream, machine().runtime.handles.add(runtime_stream))

    @classmethod
    def _of(cls, index: int, runtime_stream: RuntimeStream, handle: int) -> Stream:
        made: Stream = super().__new__(cls, stream_id=handle, device_index=index, device_type=_DEVICE_TYPE)
        made.runtime_stream, made.npu_stream = runtime_stream, handle
        return made

    @classmethod
    def default(cls, index: int) -> Stream:
        """The default stream of a device; null is its handle."""
        machine().initialize()
        return cls._of(index, machine().device(index).open().default_stream, 0)

    def query(self) -> bool:
        """Whether all its work is done."""
        return self.runtime_stream.pending == 0

    def synchronize(self) -> None:
        """Do what is pending.

        Raises:
            RuntimeFault: the first task that failed.
        """
        self.runtime_stream.synchronize()

    def wait_event(self, event: Event) -> None:  # type: ignore[override]
        """Order later work behind an event."""
        event.wait(self)

    def wait_stream(self, stream: torch.Stream) -> None:
        """Order later work behind what another stream has pending."""
        stream.synchronize()

    def record_event(self, event: Event | None = None) -> Event:  # type: ignore[override]
        """Record an event here: the given one, or a new one."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def __enter__(self) -> Stream:
        self._context = StreamContext(self)
        self._context.__enter__()
        return self

    def __exit__(self, *failure: Any) -> None:
        self._context.__exit__(*failure)

    def __repr__(self) -> str:
        return f"<torch_npu.npu.Stream device={self.device} npu_stream={self.npu_stream:#x}>"


class Event:
    """A point of a stream, with the time it was passed when ``enable_timing`` is set."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        if interprocess:
            raise NotImplementedError("torch.npu.Event(interprocess=True): cannery has no events between processes")
        self.enable_timing, self.blocking = enable_timing, blocking
        self._time: float | None = None
        self._stream: Stream | None = None

    def record(self, stream: Stream | None = None) -> None:
        """Record it behind what the stream (the current one) has pending."""
        self._stream = current_stream() if stream is None else stream
        self._stream.synchronize()
        self._time = time.perf_counter()

    def wait(self, stream: Stream | None = None) -> None:
        """Order a stream's later work behind it: recording has done the work."""

    def query(self) -> bool:
        """Whether what it was recorded behind is done."""
        return True

    def synchronize(self) -> None:
        """Wait for it."""

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this event to the other.

        Raises:
            RuntimeError: one was not recorded, or made without ``enable_timing``.
        """
        if not (self.enable_timing and end_event.enable_timing):
            raise RuntimeError("elapsed_time: both events must be created with argument 'enable_timing=True'")
        if self._time is None or end_event._time is None:
            raise RuntimeError("elapsed_time: both events must be recorded before their distance is asked for")
        return (end_event._time - self._time) * 1000

    def recorded_time(self) -> int:
        """When it was recorded, in microseconds.

        Raises:
            RuntimeError: it was not.
        """
        if self._time is None:
            raise RuntimeError("recorded_time: the event must be recorded before its time is asked for")
        return int(self._time * 1_000_000)

    def __repr__(self) -> str:
        return f"<torch_npu.npu.Event recorded={self._time is not None}>"


class ExternalEvent(Event):
    """An event that work outside PyTorch records."""

    def reset(self, stream: Stream | None = None) -> None:
        """Forget the recording."""
        self._time = None


class StreamContext:
    """Makes a stream, and its device, the calling thread's; None changes nothing."""

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream
        self._before: tuple[int, Any] | None = None

    def __enter__(self) -> None:
        if self.stream is not None:
            thread, index = machine().thread, self.stream.device_index
            self._before = thread.device, thread.streams.get(index)
            set_stream(self.stream)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.stream is None or self._before is None:
            return
        device, before = self._before
        machine().thread.streams[self.stream.device_index] = before
        machine().set_device(device)


def stream(stream: Stream | None) -> StreamContext:
    """The context of a stream."""
    return StreamContext(stream)


def set_stream(stream: Stream | None) -> None:
    """Make a stream, and its device, the calling thread's; None changes nothing."""
    if stream is not None:
        machine().thread.streams[stream.device_index] = stream
        machine().set_device(stream.device_index)


def current_stream(device: DeviceLike = None) -> Stream:
    """The calling thread's stream on a device."""
    index = index_of(device)
    found: Stream | None = machine().thread.streams.get(index)
    return Stream.default(index) if found is None else found


def default_stream(device: DeviceLike = None) -> Stream:
    """A device's default stream."""
    return Stream.default(index_of(device))


def external_stream(handle: int, device: DeviceLike = None) -> Stream:
    """The stream of a runtime handle (``ExternalStream``)."""
    machine().initialize()
    index = index_of(device)
    if handle == 0:
        return Stream.default(index)
    found = machine().runtime.handles.get(handle, RuntimeStream, "stream")
    return Stream._of(index, found, handle)


def synchronize(device: DeviceLike = None) -> None:
    """Do what is pending on a device.

    Raises:
        RuntimeFault: the first task that failed.
    """
    index = index_of(device)
    machine().initialize()
    machine().device(index).open().synchronize(-1)


def get_stream_limit(stream: Stream) -> dict[str, int]:
    """Cores a stream may use: ``cube_core_num`` and ``vector_core_num``.

    Raises:
        AssertionError: not a stream.
    """
    _check_stream(stream)
    device = machine().device(stream.device_index)
    return _limit(device.stream_limits.get(stream.runtime_stream, device.limits), stream.device_index)


def set_stream_limit(stream: Stream, cube_num: int = -1, vector_num: int = -1) -> None:
    """Limit them; operators with a split of their work plan for so many. -1 leaves a kind as it is.

    Raises:
        AssertionError: not a stream.
        RuntimeFault: fewer than one, or more than the chip has.
    """
    _check_stream(stream)
    device = machine().device(stream.device_index)
    limits = device.stream_limits.setdefault(stream.runtime_stream, Limits())
    _set_limit(limits, stream.device_index, cube_num, vector_num)


def reset_stream_limit(stream: Stream) -> None:
    """Lift the limit.

    Raises:
        AssertionError: not a stream.
    """
    _check_stream(stream)
    machine().device(stream.device_index).stream_limits.pop(stream.runtime_stream, None)


def get_device_limit(device: int) -> dict[str, int]:
    """Cores that may be used on a device.

    Raises:
        TypeError: not an int.
        AssertionError: there is no such device.
    """
    return _limit(machine().device(_check_device(device)).limits, device)


def set_device_limit(device: int, cube_num: int = -1, vector_num: int = -1) -> None:
    """Limit them, once in a process.

    Raises:
        TypeError: not an int.
        AssertionError: there is no such device.
        RuntimeError: it was called before.
    """
    index = _check_device(device)
    if machine().is_device_limited:
        raise RuntimeError("set_device_limit: found a second call, expected one in the life of a process")
    machine().is_device_limited = True
    _set_limit(machine().device(index).limits, index, cube_num, vector_num)


def _check_stream(stream: Any) -> None:
    if not isinstance(stream, Stream):
        raise AssertionError(f"stream: found {type(stream).__name__}, expected a torch_npu.npu.Stream")


def _check_device(device: Any) -> int:
    if isinstance(device, bool) or not isinstance(device, int):
        raise TypeError(f"device: found {type(device).__name__}, expected an int")
    return index_of(device)


def _limit(limits: Limits, index: int) -> dict[str, int]:
    chip = machine().device(index).soc
    return {key: limits.get(chip, kind) for key, kind in _KINDS}


def _set_limit(limits: Limits, index: int, cube_num: int, vector_num: int) -> None:
    chip = machine().device(index).soc
    for kind, value in ((CUBE, cube_num), (VECTOR, vector_num)):
        if value != -1:
            limits.set(chip, kind, value)
