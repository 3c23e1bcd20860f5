"""Queues: how they are lowered to events, and what they answer."""

from typing import Any

import numpy as np
import pytest

from cannery import asc
from cannery.aicore.core import Core
from cannery.aicore.flags import Set, Wait
from cannery.aicore.instruction import Instruction
from cannery.aicore.records import Record
from cannery.watch import session

IN, OUT, CALC = asc.TPosition.VECIN, asc.TPosition.VECOUT, asc.TPosition.VECCALC
EVENT = asc.HardEvent
N = 64


@asc.jit
def bound(address: Any) -> asc.GlobalTensor:
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(address)
    return tensor


@asc.jit
def with_queues(x: asc.GlobalAddress, z: asc.GlobalAddress, tiles: asc.ConstExpr[int]) -> None:
    pipe = asc.TPipe()
    inq, outq = asc.TQue(IN, 2), asc.TQue(OUT, 2)
    pipe.init_buffer(inq, 2, N * 4)
    pipe.init_buffer(outq, 2, N * 4)
    for i in range(tiles):
        t = inq.alloc_tensor(asc.float32)
        asc.data_copy(t, bound(x)[i * N :], N)
        inq.enque(t)
        t = inq.deque(asc.float32)
        u = outq.alloc_tensor(asc.float32)
        asc.adds(u, t, 1.0, N)
        outq.enque(u)
        inq.free_tensor(t)
        u = outq.deque(asc.float32)
        asc.data_copy(bound(z)[i * N :], u, N)
        outq.free_tensor(u)


@asc.jit
def with_flags(x: asc.GlobalAddress, z: asc.GlobalAddress, tiles: asc.ConstExpr[int]) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, 2 * N)
    u = asc.LocalTensor(asc.float32, OUT, 2 * N * 4, 2 * N)
    for i in range(tiles):
        b = i % 2
        if i >= 2:
            asc.wait_flag(EVENT.V_MTE2, b)
        asc.data_copy(t[b * N :], bound(x)[i * N :], N)
        asc.set_flag(EVENT.MTE2_V, 0)
        asc.wait_flag(EVENT.MTE2_V, 0)
        if i >= 2:
            asc.wait_flag(EVENT.MTE3_V, b)
        asc.adds(u[b * N :], t[b * N :], 1.0, N)
        asc.set_flag(EVENT.V_MTE3, 0)
        asc.set_flag(EVENT.V_MTE2, b)
        asc.wait_flag(EVENT.V_MTE3, 0)
        asc.data_copy(bound(z)[i * N :], u[b * N :], N)
        asc.set_flag(EVENT.MTE3_V, b)
    for b in range(2):
        asc.wait_flag(EVENT.V_MTE2, b)
    for b in range(2):
        asc.wait_flag(EVENT.MTE3_V, b)


class Sequence:
    """Instructions by pipe and addresses, flags by event and id, in issue order."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, ...]] = []

    def see(self, core: Core, record: Record) -> None:
        if isinstance(record, (Set, Wait)):
            self.seen.append((type(record), record.event.name, record.event.id))
        elif isinstance(record, Instruction):
            places = [access.lower for access in (*record.reads, *record.writes) if access.memory.name == "UB"]
            self.seen.append((record.op, record.pipe, *places))

    def end(self, completed: bool) -> None:
        assert completed


def sequence(kernel: Any) -> list[tuple[Any, ...]]:
    x, z = np.arange(6 * N, dtype=np.float32), np.zeros(6 * N, np.float32)
    watcher = Sequence()
    with session(check=True) as found:
        kernel.run(1, x, z, 6, watchers=(watcher,))
    np.testing.assert_array_equal(z, x + 1)
    assert found.findings() == []
    return watcher.seen


def test_a_queue_program_and_its_twin_with_flags_issue_the_same() -> None:
    assert sequence(with_queues) == sequence(with_flags)


def test_buffers_go_round_and_lengths_are_rounded() -> None:
    @asc.jit
    def kernel() -> None:
        pipe = asc.TPipe()
        queue, after = asc.TQue(CALC, 1), asc.TBuf(CALC)
        pipe.init_buffer(que=queue, num=2, len=33)
        pipe.init_buffer(buf=after, num=1)
        places = []
        for _ in range(3):
            tensor = queue.alloc_tensor(asc.uint8)
            places.append(tensor.addr)
            assert tensor.get_size() == 64
            queue.free_tensor(tensor)
        assert places == [0, 64, 0]
        assert after.get(asc.float32).addr == 128 and after.get(asc.float32).get_size() == 8

    kernel[1]()


def test_questions_to_a_queue() -> None:
    @asc.jit
    def kernel() -> None:
        pipe = asc.TPipe()
        queue = asc.TQue(OUT, 1)
        pipe.init_buffer(queue, 1, 64)
        assert queue.has_idle_buffer() and not queue.has_tensor_in_que() and queue.vacant_in_que()
        tensor = queue.alloc_tensor(asc.half)
        queue.enque(tensor)
        assert not queue.has_idle_buffer() and queue.get_tensor_count_in_que() == 1 and not queue.vacant_in_que()
        assert queue.deque(asc.uint16).dtype == asc.uint16

    kernel[1]()


def test_a_buffer_with_an_offset() -> None:
    @asc.jit
    def kernel() -> None:
        pipe = asc.TPipe()
        buf = asc.TBuf(CALC)
        pipe.init_buffer(buf, 128)
        assert buf.get_with_offset(4, 64, asc.float32).addr == 64
        with pytest.raises(ValueError, match="multiple of 32"):
            buf.get_with_offset(4, 16, asc.float32)

    kernel[1]()


def test_one_pipe_at_a_time() -> None:
    @asc.jit
    def kernel() -> None:
        pipe = asc.TPipe()
        assert asc.get_tpipe_ptr() is pipe
        with pytest.raises(RuntimeError, match="second one"):
            asc.TPipe()
        pipe.destroy()
        asc.TPipe()

    kernel[1]()


def test_destroy_begins_again_at_offset_0() -> None:
    @asc.jit
    def kernel() -> None:
        for _ in range(3):
            pipe = asc.TPipe()
            queue = asc.TQue(IN, 1)
            pipe.init_buffer(queue, 1, 131072)
            tensor = queue.alloc_tensor(asc.half)
            assert tensor.addr == 0
            queue.free_tensor(tensor)
            pipe.destroy()

    with session(check=True) as found:
        kernel[1]()
    assert found.findings() == []


def test_event_ids_are_lowest_free_first() -> None:
    @asc.jit
    def kernel() -> None:
        pipe = asc.TPipe()
        assert [pipe.alloc_event_id(EVENT.MTE2_V) for _ in range(3)] == [0, 1, 2]
        pipe.release_event_id(1, EVENT.MTE2_V)
        assert pipe.fetch_event_id(EVENT.MTE2_V) == pipe.fetch_event_id(EVENT.MTE2_V) == 1
        assert pipe.fetch_event_id(EVENT.V_S) == 0

    kernel[1]()


def test_a_pool_hands_its_bytes_out_again() -> None:
    @asc.jit
    def kernel() -> None:
        pipe = asc.TPipe()
        pool, twin = asc.TBufPool(CALC), asc.TBufPool(CALC)
        pipe.init_buf_pool(pool, 1024)
        pipe.init_buf_pool(twin, 1024, pool)
        first, second = asc.TBuf(CALC), asc.TBuf(CALC)
        pool.init_buffer(first, 512)
        twin.init_buffer(second, 512)
        assert first.get(asc.half).addr == second.get(asc.half).addr == 0
        pool.reset()
        third = asc.TBuf(CALC)
        pool.init_buffer(third, 64)
        assert third.get(asc.half).addr == 0

    kernel[1]()


def test_an_overflow_lists_who_holds_what() -> None:
    @asc.jit
    def kernel() -> None:
        pipe = asc.TPipe()
        pipe.init_buffer(asc.TQue(IN, 2), 2, 65536)
        pipe.init_buffer(asc.TBuf(CALC), 65568)

    with session(check=True) as found:
        kernel[1]()
    (finding,) = found.findings()
    assert finding.kind == "UB_OVERFLOW"
    assert "buffer size is 196640, exceeds the limit 196608" in finding.message
    assert "TQue(VECIN): 2 x 65536" in finding.message and "TBuf(VECCALC): 1 x 65568" in finding.message
