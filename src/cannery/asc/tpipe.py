"""TPipe: gives queues and buffers their memory, and event ids their owners
(hicann/asc-devkit `impl/basic_api/kernel_tpipe_impl.h` @82b89a15f263).
"""

from __future__ import annotations

from typing import Any

from cannery.aicore.registers import Registers
from cannery.asc.context import here, running
from cannery.asc.dtypes import DataType
from cannery.asc.enums import HardEvent, Hardware, TPosition
from cannery.asc.queues import TBuf, TQueBind
from cannery.asc.tensors import LocalTensor
from cannery.isa.enums import MEMORY
from cannery.isa.queues import event_ids
from cannery.isa.space import Space

__all__ = ["LocalMemAllocator", "TBufPool", "TPipe", "get_tpipe_ptr"]


class TBufPool:
    """A part of a TPipe's memory that is given out again and again."""

    def __init__(self, pos: TPosition, buf_id_size: int = 4) -> None:
        self.position = pos
        self.buf_id_size = buf_id_size
        self._pipe: TPipe | None = None
        self.lower = 0
        self.size = 0
        self._cursor = 0

    def bind(self, pipe: TPipe, lower: int, size: int) -> None:
        """Give the pool its bytes; init_buf_pool does."""
        self._pipe, self.lower, self.size, self._cursor = pipe, lower, size, lower

    def init_buffer(self, que: Any = None, num: int = 0, len: int | None = None, buf: Any = None) -> None:
        """As TPipe.init_buffer, inside the pool."""
        target = buf if buf is not None else que
        count, size = (1, num if len is None else len) if isinstance(target, TBuf) else (int(num), len or 0)
        each = -(-int(size) // 32) * 32
        if self._pipe is not None:
            self._pipe.hand_out(target, self._cursor, count, each, self.lower + self.size)
        self._cursor += count * each

    def init_buf_pool(self, buf_pool: TBufPool, len: int = 0, share_buf: TBufPool | None = None) -> None:
        """A pool inside the pool; with ``share_buf`` over the same bytes."""
        size = -(-int(len) // 32) * 32
        lower = share_buf.lower if share_buf is not None else self._cursor
        if self._pipe is not None:
            buf_pool.bind(self._pipe, lower, size or (share_buf.size if share_buf else 0))
        if share_buf is None:
            self._cursor += size

    def reset(self) -> None:
        """Give all of the pool out anew."""
        self._cursor = self.lower


class TPipe:
    """Manages the local memory of a core. One is alive at a time."""

    def __init__(self) -> None:
        core = running()
        if core.state.get(TPipe) is not None:
            raise RuntimeError("TPipe: found a second one alive, expected destroy() of the first before")
        self._core = core
        self._queues: list[TQueBind] = []
        self._space = Space(core)
        self._begin()
        core.closers.append(self._close)

    def init(self) -> None:
        """Begin again from offset 0."""
        self._forget()
        self._begin()

    def reset(self) -> None:
        """Wait for outstanding events, forget all buffers."""
        self._wait()
        self._forget()
        self._core.registers = Registers()

    def destroy(self) -> None:
        """Wait for outstanding events and for all pipes; another TPipe may be made after."""
        self._finish(True)
        self._core.barrier(None, None)
        self._core.state[TPipe] = None

    def init_buffer(self, que: Any = None, num: int = 0, len: int | None = None, buf: Any = None) -> None:
        """Memory for a queue, ``num`` buffers of ``len`` bytes, or for a TBuf, ``num`` bytes; rounded up to 32."""
        target = buf if buf is not None else que
        count, size = (1, int(num if len is None else len)) if isinstance(target, TBuf) else (int(num), int(len or 0))
        each = -(-size // 32) * 32
        memory = MEMORY[target.position]
        self.hand_out(target, self._space.reserve(memory, count * each), count, each)

    def init_buf_pool(self, buf_pool: TBufPool, len: int = 0, share_buf: TBufPool | None = None) -> None:
        """Memory for a pool, ``len`` bytes; with ``share_buf`` over the same bytes."""
        memory = MEMORY[buf_pool.position]
        size = -(-int(len) // 32) * 32
        if share_buf is not None:
            buf_pool.bind(self, share_buf.lower, size or share_buf.size)
            return
        lower = self._space.reserve(memory, size)
        buf_pool.bind(self, lower, size)
        self._space.hold(here(), memory, lower, size, f"TBufPool at {lower}")

    def hand_out(self, target: TQueBind, lower: int, count: int, each: int, limit: int | None = None) -> None:
        """Bind ``count`` buffers of ``each`` bytes from ``lower`` on; beyond ``limit`` is a finding."""
        memory, site = MEMORY[target.position], here()
        who = f"{type(target).__name__}({target.position.name})"
        target.bind([lower + index * each for index in range(count)], each, f"{who} buffer at {memory}+{lower}")
        self._queues.append(target)
        self._space.hold(site, memory, lower, count * each, f"{who}: {count} x {each}", limit)
        self._space.count_buffers(site, count)

    def alloc_event_id(self, event: HardEvent = HardEvent.V_S) -> int:
        """Reserve the lowest free id of an event."""
        return event_ids(self._core).take(int(event), here())

    def release_event_id(self, id: int, event: HardEvent = HardEvent.V_S) -> None:
        """Give an id back."""
        event_ids(self._core).give(int(event), int(id), here())

    def fetch_event_id(self, event: HardEvent = HardEvent.V_S) -> int:
        """The lowest free id of an event, not reserved."""
        return event_ids(self._core).peek(int(event))

    def _begin(self) -> None:
        self._core.registers = Registers()
        self._core.state[TPipe] = self
        self._core.is_managed = True

    def _forget(self) -> None:
        self._queues = []
        self._space.clear()

    def _wait(self) -> None:
        for queue in self._queues:
            queue.free_all_event()

    def _finish(self, completed: bool) -> None:
        for queue in self._queues:
            queue.close(completed)
        self._forget()

    def _close(self, completed: bool) -> None:
        if self._core.state.get(TPipe) is self:
            self._finish(completed)
            self._core.state[TPipe] = None


def get_tpipe_ptr() -> TPipe:
    """The live TPipe of this core.

    Raises:
        RuntimeError: there is none.
    """
    pipe = running().state.get(TPipe)
    if pipe is None:
        raise RuntimeError("get_tpipe_ptr: found no TPipe, expected one to be made before")
    return pipe


_POSITIONS = {
    Hardware.UB: "UB", Hardware.L1: "L1", Hardware.L0A: "L0A", Hardware.L0B: "L0B", Hardware.L0C: "L0C",
    Hardware.BIAS: "BT", Hardware.FIXBUF: "FB",
}  # fmt: skip


class LocalMemAllocator:
    """Static allocation: tensors one after another from address 0."""

    def __init__(self, hard: Hardware = Hardware.UB) -> None:
        self.hard = hard
        self._cursor = 0

    def alloc(self, pos: TPosition, data_type: DataType, tile_size: int) -> LocalTensor:
        """The next ``tile_size`` elements, from a multiple of 32 bytes on.

        Raises:
            ValueError: the position lies in another memory.
        """
        if MEMORY[pos] != _POSITIONS.get(self.hard):
            raise ValueError(f"alloc: pos: found {pos.name}, expected a position in {self.hard.name}")
        tensor = LocalTensor(data_type, pos, self._cursor, int(tile_size))
        self._cursor += -(-int(tile_size) * data_type.sizeof() // 32) * 32
        return tensor

    def get_cur_addr(self) -> int:
        """Where the next tensor starts, in bytes."""
        return self._cursor
