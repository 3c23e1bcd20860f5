"""TPipe, TQue, TBuf, static tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from cannery.aicore.registers import Registers
from cannery.ascendc.held import Buffer, held, position_of
from cannery.ascendc.words import Call
from cannery.isa.queues import Queue, event_between, event_ids
from cannery.isa.space import rest_of, static
from cannery.isa.tensors import Allocation

_NONE: Final = -1


def pipe_init(call: Call) -> None:
    """The constructor of TPipe.

    Raises:
        RuntimeError: another one is alive.
    """
    this, mine = call.integer(), held(call.core)
    if mine.pipe not in (None, this):
        raise RuntimeError("TPipe: found a second one alive, expected Destroy() of the first before")
    mine.begin(this)


def pipe_reset(call: Call) -> None:
    """TPipe::Reset."""
    mine = held(call.core)
    for queue in mine.bound:
        queue.await_all(call.site)
    mine.forget()
    call.core.registers = Registers()


def pipe_destroy(call: Call) -> None:
    """TPipe::Destroy, and its destructor."""
    held(call.core).close(True)
    call.core.barrier(None, None)


def get_tpipe_ptr(call: Call) -> int:
    """GetTPipePtr.

    Raises:
        RuntimeError: there is none.
    """
    pipe = held(call.core).pipe
    if pipe is None:
        raise RuntimeError("GetTPipePtr: found no TPipe, expected one to be made before")
    return pipe


def make_queue(call: Call) -> int:
    """A TQueBind or TQue: from one position to another, its buffers at a third."""
    src, dst, at = (position_of(number) for number in call.integers(3))
    return held(call.core).name(Queue(call.core, src, dst, at, call.integer(), f"TQue<{at.name}>"))


def make_buffer(call: Call) -> int:
    """A TBuf."""
    return held(call.core).name(Buffer(position_of(call.integer())))


def init_buffer(call: Call) -> None:
    """TPipe::InitBuffer."""
    mine = held(call.core)
    thing = mine.named(call.integer())
    count, size = call.integers(2)
    mine.bind(thing, count, size, call.site)


def _queue(call: Call) -> Queue:
    queue: Queue = held(call.core).named(call.integer())
    return queue


def _tensor(call: Call, owner: Allocation) -> tuple[int, int, int]:
    return held(call.core).number(owner), owner.lower, owner.upper - owner.lower


def alloc_tensor(call: Call) -> tuple[int, int, int]:
    """AllocTensor: number, start and bytes of the buffer."""
    return _tensor(call, _queue(call).take(call.site))


def deque(call: Call) -> tuple[int, int, int]:
    """DeQue: number, start and bytes of the buffer."""
    return _tensor(call, _queue(call).get(call.site))


def enque(call: Call) -> int:
    """EnQue."""
    queue, tensor = _queue(call), call.local()
    src, dst = call.integers(2)
    event = None if src == _NONE else event_between(position_of(src), position_of(dst))
    queue.put(tensor, call.site, event)
    return 1


def free_tensor(call: Call) -> None:
    """FreeTensor."""
    queue = _queue(call)
    queue.free(call.local(), call.site)


def free_all_event(call: Call) -> None:
    """FreeAllEvent."""
    _queue(call).await_all(call.site)


def has_idle_buffer(call: Call) -> int:
    """HasIdleBuffer."""
    return int(_queue(call).idle)


def get_tensor_count_in_que(call: Call) -> int:
    """GetTensorCountInQue."""
    return len(_queue(call).queued)


def get_buffer(call: Call) -> tuple[int, int, int]:
    """TBuf::Get: number, start and bytes.

    Raises:
        RuntimeError: it has no memory.
    """
    buffer: Buffer = held(call.core).named(call.integer())
    if buffer.owner is None:
        raise RuntimeError("TBuf: found no memory, expected InitBuffer before the first use")
    return _tensor(call, buffer.owner)


def static_tensor(call: Call) -> int:
    """A LocalTensor at an address of the program's own choice: the number of its bytes."""
    position, lower, size = call.integers(3)
    label = f"LocalTensor at {lower}"
    return held(call.core).number(static(call.core, call.site, position_of(position), lower, size, label))


def pop_stack_buffer(call: Call) -> tuple[int, int, int]:
    """PopStackBuffer: what is free behind the buffers of the TPipe."""
    return _tensor(call, rest_of(call.core, position_of(call.integer())))


def alloc_event_id(call: Call) -> int:
    """TPipe::AllocEventID."""
    return event_ids(call.core).take(call.integer(), call.site)


def release_event_id(call: Call) -> None:
    """TPipe::ReleaseEventID."""
    event, identity = call.integers(2)
    event_ids(call.core).give(event, identity, call.site)


def fetch_event_id(call: Call) -> int:
    """TPipe::FetchEventID."""
    return event_ids(call.core).peek(call.integer())


HANDLERS: Final[Mapping[str, Callable[[Call], Any]]] = MappingProxyType(
    {
        function.__name__: function
        for function in (
            pipe_init, pipe_reset, pipe_destroy, get_tpipe_ptr, make_queue, make_buffer, init_buffer, alloc_tensor,
            deque, enque, free_tensor, free_all_event, has_idle_buffer, get_tensor_count_in_que, get_buffer,
            static_tensor, pop_stack_buffer, alloc_event_id, release_event_id, fetch_event_id,
        )
    }
)  # fmt: skip
