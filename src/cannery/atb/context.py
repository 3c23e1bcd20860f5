"""The context: streams, modes, tiling buffers, and the pools of runners.

Source: ascend-transformer-boost `include/atb/context.h`, `src/atb/context/context_base.cpp` @ddcc8b6.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from cannery.atb.counters import Counters, Tally
from cannery.atb.errors import refusal
from cannery.atb.pool import UNKNOWN, RunnerPool, RunnerTypeRegister, runner_type
from cannery.atb.types import ExecuteType, LaunchMode
from cannery.core import AtbStatus, OperatorError, Stage
from cannery.operator import Operator
from cannery.runtime import RuntimeFault, Stream, process
from cannery.runtime.event import Event

HOST_BLOCKS = (128, 1024)
DEVICE_BLOCKS = (32, 1024)
BLOCK_SIZE = 3 * 1024 * 1024
COPY_EVENTS = 10

Alloc = Callable[[int], Any]
Dealloc = Callable[[Any], None]


class _Thread(threading.local):
    """The execute type, which all contexts of a thread share."""

    execute_type = ExecuteType.EXECUTE_NORMAL


@cache
def _thread() -> _Thread:
    return _Thread()


class Context:
    """A context. ``counters`` says what its pools and runners did.

    Args:
        alloc, dealloc: allocator of the device's tiling buffer: both or neither.
        host_tiling_blocks, device_tiling_blocks: numbers of 3 MiB blocks, handed out in turn.
        runner_types: the types of runners there are.

    Raises:
        OperatorError: ERROR_INVALID_PARAM.
    """

    def __init__(
        self,
        alloc: Alloc | None = None,
        dealloc: Dealloc | None = None,
        *,
        host_tiling_blocks: int = HOST_BLOCKS[0],
        device_tiling_blocks: int = DEVICE_BLOCKS[0],
        runner_types: RunnerTypeRegister | None = None,
    ) -> None:
        if (alloc is None) != (dealloc is None):
            raise _refused("alloc, dealloc", "one of them", "both or neither")
        _check_blocks("hostTilingBlockNum", host_tiling_blocks, HOST_BLOCKS)
        _check_blocks("deviceTilingBlockNum", device_tiling_blocks, DEVICE_BLOCKS)
        self.host_tiling_blocks = host_tiling_blocks
        self.device_tiling_blocks = device_tiling_blocks
        self.runner_types = RunnerTypeRegister.default() if runner_types is None else runner_types
        self.is_alive = True
        self.copy_stream: Stream | None = None
        self.copy_events: tuple[Event, ...] = ()
        self._dealloc = dealloc
        self._buffer = None if alloc is None else alloc(device_tiling_blocks * BLOCK_SIZE)
        self._streams: tuple[Stream | None, ...] = (None,)
        self._launch_mode = LaunchMode.KERNEL_LAUNCH_MODE
        self._pools: dict[int, RunnerPool] = {}
        self._next_block = 0
        self.tally = Tally()

    @property
    def counters(self) -> Counters:
        """What pools, runners and caches did so far."""
        return self.tally.read()

    @property
    def launches_with_tiling(self) -> bool:
        """Whether the tiling travels in the kernel's arguments."""
        return self._launch_mode is not LaunchMode.GRAPH_LAUNCH_MODE

    def SetExecuteStream(self, stream: Stream | int | None) -> None:
        """Run operations on this stream: a stream of the runtime, or its handle."""
        self._streams = (_stream(stream), *self._streams[1:])

    def GetExecuteStream(self) -> Stream | None:
        """The stream operations run on; None before one was set."""
        return self._streams[0]

    def SetExecuteStreams(self, streams: Sequence[Stream | int | None]) -> None:
        """The streams among which operations choose by their stream id.

        Raises:
            OperatorError: ERROR_INVALID_PARAM: there are none.
        """
        if not streams:
            raise _refused("streams", "none", "at least one stream")
        self._streams = tuple(_stream(stream) for stream in streams)

    def GetExecuteStreams(self) -> tuple[Stream | None, ...]:
        """All streams."""
        return self._streams

    def SetAsyncTilingCopyStatus(self, status: bool) -> None:
        """Copy tilings on a stream of their own, or not."""
        self.copy_stream = (self.copy_stream or Stream()) if status else None
        self.copy_events = (self.copy_events or tuple(Event() for _ in range(COPY_EVENTS))) if status else ()

    def GetAsyncTilingCopyStatus(self) -> bool:
        """Whether tilings are copied on a stream of their own."""
        return self.copy_stream is not None

    @staticmethod
    def SetExecuteType(execute_type: ExecuteType) -> None:
        """Which phase Execute runs, for all contexts of the calling thread."""
        _thread().execute_type = ExecuteType(execute_type)

    @staticmethod
    def GetExecuteType() -> ExecuteType:
        """Which phase Execute runs in the calling thread."""
        return _thread().execute_type

    def SetLaunchMode(self, mode: LaunchMode) -> None:
        """Launch kernel by kernel, or capture the first execution and replay it."""
        self._launch_mode = LaunchMode(mode)

    def GetLaunchMode(self) -> LaunchMode:
        """How kernels are launched."""
        return self._launch_mode

    def pool(self, operator: Operator) -> RunnerPool:
        """The pool of an operator's runners.

        Raises:
            LookupError: the type of runner is not registered.
        """
        index = self.runner_types.index(runner_type(operator))
        if index == UNKNOWN:
            raise LookupError(f"{runner_type(operator)} is not a registered type of runner")
        if index not in self._pools:
            # Of two threads that come here at once, the second takes the first one's pool.
            self._pools.setdefault(index, RunnerPool(self.tally))
        return self._pools[index]

    def next_host_block(self) -> int:
        """The host tiling block of the next Setup: they are handed out in turn, whether in use or not."""
        block, self._next_block = self._next_block, (self._next_block + 1) % self.host_tiling_blocks
        return block

    def destroy(self) -> None:
        """Give back the tiling buffer. Operations that were set up with this context cannot be executed any more."""
        if self.is_alive and self._dealloc is not None:
            self._dealloc(self._buffer)
        self.is_alive = False
        self._pools.clear()


def CreateContext(
    alloc: Alloc | None = None,
    dealloc: Dealloc | None = None,
    hostTilingBlockNum: int = HOST_BLOCKS[0],
    deviceTilingBlockNum: int = DEVICE_BLOCKS[0],
) -> Context:
    """A new context.

    Raises:
        OperatorError: ERROR_INVALID_PARAM: one of alloc and dealloc without the other, or a number of blocks that is
            not 128 to 1024 (host) or 32 to 1024 (device).
    """
    return Context(alloc, dealloc, host_tiling_blocks=hostTilingBlockNum, device_tiling_blocks=deviceTilingBlockNum)


def DestroyContext(context: Context | None) -> AtbStatus:
    """End a context: after the operations that were set up with it. Null is ERROR_INVALID_PARAM.

    Raises:
        OperatorError: ERROR_INVALID_PARAM.
    """
    if context is None:
        raise _refused("context", "null", "a context")
    context.destroy()
    return AtbStatus.NO_ERROR


def _check_blocks(name: str, count: int, limits: tuple[int, int]) -> None:
    if not limits[0] <= count <= limits[1]:
        raise _refused(name, count, f"{limits[0]} to {limits[1]}")


def _stream(value: Stream | int | None) -> Stream | None:
    if value is None or isinstance(value, Stream):
        return value
    try:
        return process().handles.get(value, Stream, "stream") if value else None
    except RuntimeFault as fault:
        raise _refused("stream", fault.found, fault.expected) from None


def _refused(parameter: str, found: object, expected: object) -> OperatorError:
    return refusal(Stage.CHECK, "Context", parameter, found, expected)
