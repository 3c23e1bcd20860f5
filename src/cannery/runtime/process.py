"""The runtime of one process: what ``acl``, ``aclnn`` and the C library share."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from cannery.runtime.device import Context, Device
from cannery.runtime.handles import Handles
from cannery.runtime.memory import Memory
from cannery.runtime.options import Options
from cannery.runtime.report import Reports
from cannery.runtime.status import AclError, RuntimeFault
from cannery.runtime.stream import Stream
from cannery.settings import current_settings
from cannery.soc import Soc

# Options of a context and of the process have these values until they are set.
SYS_OPTIONS = frozenset(range(4))


@dataclass(frozen=True)
class ExceptionInfo:
    """What a program is told of a task that failed."""

    task: int
    stream: int
    thread: int
    device: int
    code: int


class _Thread(threading.local):
    """What belongs to a thread: its context, its last error, the stream whose limits it uses."""

    context: Context | None = None
    message: str | None = None
    last_error: int = 0
    limited_by: Stream | None = None


class Process:
    """Devices, memory and handles of a process, and the current context of each of its threads.

    Attributes:
        references: how often ``aclInit`` was called since the last ``aclFinalize``.
        is_aclnn_ready: whether ``aclnnInit`` was called, which is enough for two-phase calls.
        options: process-wide values of ``aclrtSetSysParamOpt``.
        exception_callback: the program's function that is told of tasks that fail.
    """

    def __init__(self, machine: Options) -> None:
        self.machine = machine
        self.memory = Memory(machine.memory)
        self.handles = Handles()
        self.reports = Reports()
        self.references = 0
        self.is_aclnn_ready = False
        self.config: bytes | None = None
        self.options: dict[int, int] = {}
        self.lock = threading.RLock()
        self.exception_callback: Callable[[int], Any] | None = None
        self._devices = tuple(Device(number, self._tell) for number in range(machine.devices))
        self._thread = _Thread()

    def require_initialized(self) -> None:
        """Refuse a call outside aclInit … aclFinalize.

        Raises:
            RuntimeFault: UNINITIALIZE.
        """
        if not self.references and not self.is_aclnn_ready:
            raise RuntimeFault(AclError.ACL_ERROR_UNINITIALIZE, "aclInit", "not called", "a call of it before this one")

    def device(self, number: int) -> Device:
        """The device of that number.

        Raises:
            RuntimeFault: RT_INVALID_DEVICEID.
        """
        if not 0 <= number < len(self._devices):
            expected = f"0 to {len(self._devices) - 1}" if self._devices else "no device at all: none is visible"
            raise RuntimeFault(AclError.ACL_ERROR_RT_INVALID_DEVICEID, "deviceId", number, expected)
        return self._devices[number]

    @property
    def context(self) -> Context:
        """The current context of the calling thread.

        Raises:
            RuntimeFault: RT_CONTEXT_NULL: the thread has none, or it was destroyed.
        """
        context = self._thread.context
        if context is None or not context.is_alive:
            found = "none in this thread" if context is None else "one that was destroyed"
            raise RuntimeFault(
                AclError.ACL_ERROR_RT_CONTEXT_NULL, "context", found, "aclrtSetDevice or aclrtSetCurrentContext first"
            )
        return context

    def enter(self, context: Context) -> None:
        """Make a context the calling thread's."""
        self._thread.context = context

    def leave(self) -> None:
        """Leave the calling thread without a context."""
        self._thread.context = None

    def is_current(self, context: Context) -> bool:
        """Whether a context is the calling thread's."""
        return self._thread.context is context

    def stream(self, handle: int) -> Stream:
        """The stream of a handle; null is the default stream of the current context.

        Raises:
            RuntimeFault: RT_CONTEXT_NULL; RT_INVALID_HANDLE; RT_STREAM_CONTEXT when another context owns the stream.
        """
        context = self.context
        if handle == 0:
            return context.default_stream
        stream = self.handles.get(handle, Stream, "stream")
        if stream is not context.default_stream and stream not in context.streams:
            raise RuntimeFault(
                AclError.ACL_ERROR_RT_STREAM_CONTEXT, "stream", "one of another context", "one of the current context"
            )
        return stream

    def chip(self, usual: Soc | None = None) -> Soc:
        """The chip as the calling thread may use it: limited by a stream it uses, else by its device.

        ``usual`` stands for it where nobody names one: an operator's first.
        """
        return self.context.device.chip_for(self._thread.limited_by, usual)

    def limit_thread_by(self, stream: Stream | None) -> None:
        """Make the calling thread's two-phase calls use the limits of a stream."""
        self._thread.limited_by = stream

    def thread_stream(self) -> Stream | None:
        """The stream whose limits the calling thread uses."""
        return self._thread.limited_by

    def _tell(self, device: int, stream: Stream, task: int, fault: RuntimeFault) -> None:
        """Let the program know of a task that failed, as it wished to."""
        if self.exception_callback is None:
            return
        info = self.handles.add(ExceptionInfo(task, stream.number, threading.get_native_id(), device, int(fault.code)))
        try:
            self.exception_callback(info)
        except Exception:  # the program's own, and nobody above it is the program
            sys.excepthook(*sys.exc_info())
        finally:
            self.handles.remove(info)

    def report(self, fault: RuntimeFault) -> int:
        """Keep a fault as the calling thread's last error; its code."""
        now = datetime.now()
        stamp = f"{now:%Y-%m-%d-%H:%M:%S}.{now.microsecond // 1000:03}.{now.microsecond % 1000:03}"
        self._thread.message = f"[PID: {os.getpid()}] {stamp} {fault.message}"
        self._thread.last_error = int(fault.code)
        return int(fault.code)

    def take_message(self) -> str | None:
        """The calling thread's last error in words, once."""
        message, self._thread.message = self._thread.message, None
        return message

    def last_error(self, *, forget: bool) -> int:
        """The calling thread's last error."""
        code = self._thread.last_error
        if forget:
            self._thread.last_error = 0
        return code

    def device_count(self) -> int:
        """Number of devices."""
        return len(self._devices)


@cache
def process() -> Process:
    """The one runtime of this process.

    Raises:
        SettingError, UnknownSocError: a variable, or another place, says what cannot be.
    """
    if current_settings().engine:
        from cannery.operator.staged import check_settings  # which engines there are, only operators know

        check_settings()
    return Process(Options.of())


def read_config(path: str | None) -> bytes:
    """The content of a configuration file; nothing for none.

    Raises:
        RuntimeFault: INVALID_FILE.
    """
    if not path:
        return b""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as failure:  # a path with a null in it is a ValueError
        found = f"{path} ({getattr(failure, 'strerror', failure)})"
        raise RuntimeFault(AclError.ACL_ERROR_INVALID_FILE, "configPath", found, "a JSON file, or none") from None


def as_tuple(value: Any) -> tuple[Any, ...]:
    """What a call returned, as the list of its output values."""
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)
