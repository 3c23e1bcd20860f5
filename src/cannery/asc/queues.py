"""TQue, TQueBind, TBuf: pyasc's spelling of queues and buffers (hicann/pyasc `python/asc/language/fwk/tpipe.py`
@cecba26ace65).
"""

from __future__ import annotations

from typing import Any

from cannery.asc.context import here, running
from cannery.asc.dtypes import DataType
from cannery.asc.enums import TPosition
from cannery.asc.tensors import LocalTensor
from cannery.isa.queues import Queue, ends_of, event_between
from cannery.isa.tensors import Allocation

__all__ = ["TBuf", "TQue", "TQueBind"]


class TQueBind:
    """A queue between two positions. ``depth``: how many tensors may be enqueued at once."""

    def __init__(
        self, src: TPosition = TPosition.VECIN, dst: TPosition = TPosition.VECIN, depth: int = 0, mask: int = 0
    ) -> None:
        del mask
        self._connect(src, dst, dst if src == TPosition.GM else src, depth)

    def _connect(self, src: TPosition, dst: TPosition, position: TPosition, depth: int) -> None:
        self.position = position
        self._core = running()
        self._queue = Queue(self._core, src, dst, position, int(depth), type(self).__name__)

    def bind(self, lowers: list[int], size: int, label: str) -> None:
        """Give the queue its buffers; init_buffer does."""
        self._queue.bind(lowers, size, label)

    def alloc_tensor(self, dtype: DataType | LocalTensor) -> LocalTensor:
        """The next free buffer, round robin, with undefined contents.

        Raises:
            DeadlockError: no buffer is free and nobody can free one.
        """
        return _over(self._queue.take(here()), dtype)

    def enque(
        self, tensor: LocalTensor, src_user_pos: TPosition | None = None, dst_user_pos: TPosition | None = None
    ) -> None:
        """Hand a tensor to the consumer: sets the produce event."""
        event = None
        if src_user_pos is not None and dst_user_pos is not None:
            event = event_between(src_user_pos, dst_user_pos)
        self._queue.put(tensor, here(), event)

    def deque(
        self,
        dtype: DataType | LocalTensor,
        src_user_pos: TPosition | None = None,
        dst_user_pos: TPosition | None = None,
    ) -> LocalTensor:
        """Take the tensor enqueued first: waits for its produce event."""
        del src_user_pos, dst_user_pos
        return _over(self._queue.get(here()), dtype)

    def free_tensor(self, tensor: LocalTensor) -> None:
        """Give a buffer back: sets the free event."""
        self._queue.free(tensor, here())

    def free_all_event(self) -> None:
        """Wait for all outstanding free events."""
        self._queue.await_all(here())

    def has_idle_buffer(self) -> bool:
        """Whether alloc_tensor would find a buffer."""
        return self._queue.idle

    def has_tensor_in_que(self) -> bool:
        """Whether deque would find a tensor."""
        return bool(self._queue.queued)

    def get_tensor_count_in_que(self) -> int:
        """How many tensors are enqueued."""
        return len(self._queue.queued)

    def vacant_in_que(self) -> bool:
        """Whether enque has room."""
        return len(self._queue.queued) < self._queue.depth

    def close(self, completed: bool) -> None:
        """End of the pipe: wait for outstanding free events; what is still allocated is a leak."""
        self._queue.close(completed)


class TQue(TQueBind):
    """A queue at one position, e.g. ``TQue(TPosition.VECIN, 1)``."""

    def __init__(self, pos: TPosition = TPosition.VECIN, depth: int = 1, mask: int = 0) -> None:
        del mask
        self._connect(*ends_of(pos), pos, depth)


class TBuf(TQueBind):
    """A buffer without events; synchronisation is the user's."""

    def __init__(self, pos: TPosition = TPosition.VECCALC) -> None:
        self._connect(pos, pos, pos, 1)
        self._whole: Allocation | None = None

    def bind(self, lowers: list[int], size: int, label: str) -> None:
        """Give the buffer its bytes; init_buffer does."""
        super().bind(lowers, size, label)
        self._whole = Allocation(self._core, self.position, lowers[0], size, label)

    def get(self, dtype: DataType, len: int | None = None, shape: Any = None) -> LocalTensor:
        """A tensor at the start of the buffer; ``len`` in elements."""
        del shape
        whole = self._memory()
        available = (whole.upper - whole.lower) // dtype.sizeof()
        return LocalTensor.view(whole, whole.lower, dtype, available if len is None else int(len))

    def get_with_offset(self, size: int, buf_offset: int, dtype: DataType) -> LocalTensor:
        """A tensor of ``size`` elements at ``buf_offset`` bytes.

        Raises:
            ValueError: the offset is not a multiple of 32.
        """
        if int(buf_offset) % 32:
            raise ValueError(f"get_with_offset: buf_offset: found {buf_offset}, expected a multiple of 32 bytes")
        whole = self._memory()
        return LocalTensor.view(whole, whole.lower + int(buf_offset), dtype, int(size))

    def alloc_tensor(self, dtype: DataType | LocalTensor) -> LocalTensor:
        """As ``get``."""
        return self.get(dtype.dtype if isinstance(dtype, LocalTensor) else dtype)

    def free_tensor(self, tensor: LocalTensor) -> None:
        """Without effect: the buffer stays."""

    def close(self, completed: bool) -> None:
        """Nothing to wait for."""

    def _memory(self) -> Allocation:
        if self._whole is None:
            raise RuntimeError("TBuf: found no memory, expected init_buffer before the first use")
        return self._whole


def _over(owner: Allocation, dtype: DataType | LocalTensor) -> LocalTensor:
    """A buffer as a tensor of a type, or as the tensor given."""
    size = owner.upper - owner.lower
    if isinstance(dtype, LocalTensor):
        dtype.owner, dtype.addr, dtype.size = owner, owner.lower, size // dtype.dtype.size
        return dtype
    return LocalTensor.view(owner, owner.lower, dtype, size // dtype.sizeof())
