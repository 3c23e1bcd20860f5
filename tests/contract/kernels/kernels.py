"""Small kernels, each with one property that a checker must see or must not see."""

from typing import Any

from cannery import asc
from cannery.asc.runtime.config import KernelType

N = 64
EVENT = asc.HardEvent
IN, OUT, CALC = asc.TPosition.VECIN, asc.TPosition.VECOUT, asc.TPosition.VECCALC


@asc.jit
def bound(address: Any) -> Any:
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(address)
    return tensor


@asc.jit
def sync(event: Any, identity: Any = 0) -> None:
    asc.set_flag(event, identity)
    asc.wait_flag(event, identity)


@asc.jit
def lone_set(x: Any) -> None:
    asc.set_flag(EVENT.V_MTE2, 0)


@asc.jit
def redundant_pair(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, N)
    asc.data_copy(t, bound(x), N)
    asc.set_flag(EVENT.MTE2_V, 0)
    asc.wait_flag(EVENT.MTE2_V, 0)
    asc.set_flag(EVENT.MTE2_V, 0)
    asc.wait_flag(EVENT.MTE2_V, 0)
    asc.adds(t, t, 1.0, N)


@asc.jit
def redundant_barrier(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, N)
    asc.duplicate(t, 1.0, N)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.adds(t, t, 1.0, N)


@asc.jit
def explicit_barriers(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, N)
    asc.duplicate(t, 1.0, N)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.adds(t, t, 1.0, N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(bound(x), t, N)


@asc.jit
def set_twice(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, N)
    asc.data_copy(t, bound(x), N)
    asc.set_flag(EVENT.MTE2_V, 0)
    asc.set_flag(EVENT.MTE2_V, 0)
    asc.wait_flag(EVENT.MTE2_V, 0)
    asc.adds(t, t, 1.0, N)


@asc.jit
def used_then_waited_for(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, N)
    asc.data_copy(t, bound(x), N)
    asc.set_flag(EVENT.MTE2_V, 0)
    asc.adds(t, t, 1.0, N)
    asc.wait_flag(EVENT.MTE2_V, 0)
    sync(EVENT.V_MTE3)
    asc.data_copy(bound(x), t, N)


@asc.jit
def waits_ahead_of_sets(x: Any, z: Any) -> None:
    """Each add is issued one tile early: it waits for the copy of the tile behind it, and so for its own."""
    source, target = bound(x), bound(z)
    t = asc.LocalTensor(asc.float32, IN, 0, 2 * N)
    asc.set_flag(EVENT.MTE3_MTE2, 0)
    asc.set_flag(EVENT.MTE3_MTE2, 1)
    for i in range(4):
        b = i % 2
        asc.wait_flag(EVENT.MTE3_MTE2, b)
        asc.data_copy(t[b * N :], source[i * N :], N)
        asc.set_flag(EVENT.MTE2_V, 1 - b)
        asc.wait_flag(EVENT.MTE2_V, b)
        asc.adds(t[b * N :], t[b * N :], 1.0, N)
        asc.set_flag(EVENT.V_MTE3, b)
        asc.wait_flag(EVENT.V_MTE3, b)
        asc.data_copy(target[i * N :], t[b * N :], N)
        asc.set_flag(EVENT.MTE3_MTE2, b)
    asc.wait_flag(EVENT.MTE3_MTE2, 0)
    asc.wait_flag(EVENT.MTE3_MTE2, 1)


@asc.jit(auto_sync=False)
def scalar_reads_too_early(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, N)
    asc.data_copy(t, bound(x), N)
    value = t.get_value(0)
    asc.duplicate(asc.LocalTensor(asc.float32, IN, 4 * N, N), value, N)


@asc.jit
def id_out_of_range(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, N)
    asc.data_copy(t, bound(x), N)
    sync(EVENT.MTE2_V, 8)
    asc.adds(t, t, 1.0, N)


@asc.jit
def wrong_id(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, N)
    for _ in range(3):
        asc.data_copy(t, bound(x), N)
        asc.set_flag(EVENT.MTE2_V, 0)
        asc.wait_flag(EVENT.MTE2_V, 1)
        asc.adds(t, t, 1.0, N)
        sync(EVENT.V_MTE2)


@asc.jit
def released_without_alloc(x: Any) -> None:
    pipe = asc.TPipe()
    pipe.release_event_id(3, EVENT.MTE2_V)


@asc.jit
def ids_exhausted(x: Any) -> None:
    pipe = asc.TPipe()
    for _ in range(9):
        pipe.alloc_event_id(EVENT.MTE2_V)


@asc.jit
def scalar_write_then_load(x: Any) -> None:
    g = bound(x)
    t = asc.LocalTensor(asc.float32, IN, 0, N)
    g.set_value(0, 5.0)
    asc.data_copy(t, g, N)


@asc.jit
def scalar_write_flag_load(x: Any) -> None:
    g = bound(x)
    t = asc.LocalTensor(asc.float32, IN, 0, N)
    g.set_value(0, 5.0)
    asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, g)
    sync(EVENT.S_MTE2)
    asc.data_copy(t, g, N)


@asc.jit
def load_then_scalar_write(x: Any) -> None:
    g = bound(x)
    t = asc.LocalTensor(asc.float32, IN, 0, N)
    asc.data_copy(t, g, N)
    g.set_value(0, 5.0)


@asc.jit
def load_flag_scalar_write(x: Any) -> None:
    g = bound(x)
    t = asc.LocalTensor(asc.float32, IN, 0, N)
    asc.data_copy(t, g, N)
    sync(EVENT.MTE2_S)
    g.set_value(0, 5.0)


@asc.jit
def scalar_write_then_store(x: Any) -> None:
    g = bound(x)
    t = asc.LocalTensor(asc.float32, OUT, 0, N)
    asc.duplicate(t, 1.0, N)
    sync(EVENT.V_MTE3)
    g.set_value(0, 5.0)
    asc.data_copy(g, t, N)


@asc.jit
def local_scalar_write_then_vector(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, CALC, 0, N)
    asc.duplicate(t, 0.0, N)
    sync(EVENT.V_S)
    t.set_value(0, 5.0)
    asc.adds(t, t, 1.0, N)


@asc.jit(auto_sync=False)
def vector_then_scalar_read(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, CALC, 0, N)
    asc.duplicate(t, 0.0, N)
    t.get_value(0)


@asc.jit
def same_scalar_write(x: Any) -> None:
    bound(x).set_value(0, 1.0)


@asc.jit
def own_scalar_write(x: Any) -> None:
    bound(x).set_value(asc.get_block_idx() * 16, 1.0)


@asc.jit
def load_beyond_array(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, 2 * N)
    asc.data_copy(t, bound(x)[8:], N)


@asc.jit
def store_beyond_array(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, OUT, 0, N)
    asc.duplicate(t, 1.0, N)
    sync(EVENT.V_MTE3)
    asc.data_copy(bound(x)[8:], t, N)


@asc.jit
def load_beyond_buffer_size(x: Any) -> None:
    g = asc.GlobalTensor()
    g.set_global_buffer(x, 32)
    t = asc.LocalTensor(asc.float32, IN, 0, N)
    asc.data_copy(t, g, N)


@asc.jit
def vector_beyond_tensor(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, CALC, 0, N)
    asc.duplicate(t, 1.0, N + 8)


@asc.jit
def one_element_beyond_tensor(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, CALC, 0, N - 3)
    asc.duplicate(t, 1.0, N - 2)


@asc.jit
def filler_beyond_tensor(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, 10)
    shape = asc.DataCopyExtParams(1, 40, 0, 0, 0)
    asc.data_copy_pad(t, bound(x), shape, asc.DataCopyPadExtParams(asc.float32, False, 0, 0, 0))
    sync(EVENT.MTE2_MTE3)
    asc.data_copy_pad(bound(x), t, shape)


@asc.jit
def scalar_beyond_tensor(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, CALC, 0, N)
    t.set_value(N, 1.0)


@asc.jit
def misaligned_vector(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, CALC, 0, 2 * N)
    asc.duplicate(t[1:], 1.0, N)


@asc.jit
def misaligned_store(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, OUT, 0, 2 * N)
    asc.duplicate(t, 1.0, 2 * N)
    sync(EVENT.V_MTE3)
    asc.data_copy(bound(x), t[2:], N)


@asc.jit
def unwritten_scalar(x: Any) -> None:
    asc.LocalTensor(asc.float32, CALC, 0, N).get_value(0)


@asc.jit
def unwritten_store(x: Any) -> None:
    asc.data_copy(bound(x), asc.LocalTensor(asc.float32, OUT, 0, N), N)


@asc.jit
def unwritten_reduction(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, CALC, 0, N)
    work = asc.LocalTensor(asc.float32, CALC, 1024, N)
    total = asc.LocalTensor(asc.float32, CALC, 2048, 8)
    asc.duplicate(t, 1.0, N - 8)
    asc.reduce_sum(total, t, work, N)


@asc.jit
def unwritten_comparison(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, CALC, 0, N)
    bits = asc.LocalTensor(asc.uint8, CALC, 1024, 32)
    asc.compare(bits, t, t, asc.CMPMODE.GT, N)


@asc.jit
def unwritten_lanes_not_stored(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, CALC, 0, N)
    asc.data_copy(t, bound(x), 40)
    sync(EVENT.MTE2_V)
    asc.adds(t, t, 1.0, N)
    sync(EVENT.V_MTE3)
    asc.data_copy(bound(x), t, 40)


@asc.jit
def masked_lanes_stored(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, CALC, 0, N)
    asc.duplicate(t, 1.0, 32, 1, 1, 8)
    sync(EVENT.V_MTE3)
    asc.data_copy(bound(x), t, N)


@asc.jit
def filler_stored(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, 16)
    asc.data_copy_pad(t, bound(x), asc.DataCopyExtParams(1, 40, 0, 0, 0),
                      asc.DataCopyPadExtParams(asc.float32, False, 0, 2, 0))  # fmt: skip
    sync(EVENT.MTE2_MTE3)
    asc.data_copy(bound(x), t, 16)


@asc.jit
def filler_of_first_elements_stored(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, 16)
    asc.data_copy_pad(t, bound(x), asc.DataCopyExtParams(1, 40, 0, 0, 0),
                      asc.DataCopyPadExtParams(asc.float32, False, 0, 0, 0))  # fmt: skip
    sync(EVENT.MTE2_MTE3)
    asc.data_copy(bound(x), t, 16)


@asc.jit
def filler_not_stored(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, 16)
    shape = asc.DataCopyExtParams(1, 40, 0, 0, 0)
    asc.data_copy_pad(t, bound(x), shape, asc.DataCopyPadExtParams(asc.float32, False, 0, 0, 0))
    sync(EVENT.MTE2_MTE3)
    asc.data_copy_pad(bound(x), t, shape)


@asc.jit
def stale_tail_moved_not_stored(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, N)
    u = asc.LocalTensor(asc.float32, OUT, 1024, N)
    asc.data_copy(t, bound(x), 40)
    sync(EVENT.MTE2_V)
    asc.data_copy(u, t, N)
    sync(EVENT.V_MTE3)
    asc.data_copy(bound(x), u, 40)


@asc.jit
def queue(pos: Any, depth: Any = 1, num: Any = 1, size: Any = N * 4) -> Any:
    que = asc.TQue(pos, depth)
    asc.get_tpipe_ptr().init_buffer(que, num, size)
    return que


@asc.jit
def used_after_free(x: Any) -> None:
    asc.TPipe()
    inq, outq = queue(IN), queue(OUT)
    t = inq.alloc_tensor(asc.float32)
    asc.data_copy(t, bound(x), N)
    inq.enque(t)
    t = inq.deque(asc.float32)
    out = outq.alloc_tensor(asc.float32)
    inq.free_tensor(t)
    asc.adds(out, t, 1.0, N)
    outq.enque(out)
    out = outq.deque(asc.float32)
    outq.free_tensor(out)


@asc.jit
def enqued_twice(x: Any) -> None:
    asc.TPipe()
    inq = queue(IN, 2, 2)
    t = inq.alloc_tensor(asc.float32)
    asc.data_copy(t, bound(x), N)
    inq.enque(t)
    inq.enque(t)
    inq.free_tensor(inq.deque(asc.float32))


@asc.jit
def freed_twice(x: Any) -> None:
    asc.TPipe()
    inq = queue(IN)
    t = inq.alloc_tensor(asc.float32)
    inq.free_tensor(t)
    inq.free_tensor(t)


@asc.jit
def depth_exceeded(x: Any) -> None:
    asc.TPipe()
    inq = queue(IN, 1, 2)
    for _ in range(2):
        t = inq.alloc_tensor(asc.float32)
        asc.data_copy(t, bound(x), N)
        inq.enque(t)
    for _ in range(2):
        inq.free_tensor(inq.deque(asc.float32))


@asc.jit
def dequed_from_empty(x: Any) -> None:
    asc.TPipe()
    inq, outq = queue(IN), queue(OUT)
    t = inq.deque(asc.float32)
    out = outq.alloc_tensor(asc.float32)
    asc.adds(out, t, 1.0, N)
    outq.free_tensor(out)


@asc.jit
def enqued_to_other_queue(x: Any) -> None:
    asc.TPipe()
    inq, outq = queue(IN), queue(OUT)
    t = inq.alloc_tensor(asc.float32)
    asc.duplicate(t, 1.0, N)
    outq.enque(t)
    inq.free_tensor(t)


@asc.jit
def never_freed(x: Any) -> None:
    asc.TPipe()
    inq = queue(IN)
    t = inq.alloc_tensor(asc.float32)
    asc.data_copy(t, bound(x), N)
    inq.enque(t)
    inq.deque(asc.float32)


@asc.jit
def queue_without_buffers(x: Any) -> None:
    asc.TPipe()
    asc.TQue(IN, 1).alloc_tensor(asc.float32)


@asc.jit
def vector_overwritten_unbarriered(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, CALC, 0, N)
    u = asc.LocalTensor(asc.float32, CALC, 1024, N)
    asc.duplicate(t, 1.0, N)
    asc.adds(u, t, 1.0, N)


@asc.jit(auto_sync=False)
def vector_manual(x: Any, barrier: asc.ConstExpr[bool]) -> None:
    t = asc.LocalTensor(asc.float32, CALC, 0, N)
    u = asc.LocalTensor(asc.float32, CALC, 1024, N)
    asc.duplicate(t, 1.0, N)
    if barrier:
        asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.adds(u, t, 1.0, N)


@asc.jit
def loads_to_one_place(x: Any, barrier: asc.ConstExpr[bool]) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, N)
    asc.data_copy(t, bound(x), N)
    if barrier:
        asc.pipe_barrier(asc.PipeID.PIPE_MTE2)
    asc.data_copy(t, bound(x), N)


@asc.jit
def interleaved_blocks(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, CALC, 0, 4 * N)
    asc.duplicate(t, 1.0, 4 * N)
    sync(EVENT.V_MTE3)
    # The vector pipe rewrites even blocks while the copy engine stores odd ones.
    asc.duplicate(t, 2.0, N, 2, 2, 16)
    asc.data_copy(bound(x), t[8:], asc.DataCopyParams(8, 1, 1, 0))


@asc.jit
def interleaved_blocks_shifted(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, CALC, 0, 4 * N)
    asc.duplicate(t, 1.0, 4 * N)
    sync(EVENT.V_MTE3)
    asc.duplicate(t, 2.0, N, 2, 2, 16)
    asc.data_copy(bound(x), t, asc.DataCopyParams(8, 1, 1, 0))


@asc.jit
def later_flag_covers_earlier_copy(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, 2 * N)
    asc.data_copy(t, bound(x), N)
    asc.data_copy(t[N:], bound(x), N)
    sync(EVENT.MTE2_V)
    asc.add(t, t, t[N:], N)


@asc.jit
def transitive_order(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, IN, 0, N)
    u = asc.LocalTensor(asc.float32, CALC, 1024, N)
    asc.data_copy(t, bound(x), N)
    sync(EVENT.MTE2_V)
    asc.duplicate(u, 1.0, N)
    sync(EVENT.V_MTE3)
    asc.data_copy(bound(x), t, N)


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def neighbours_read_before_barrier(x: Any, z: Any, barrier: asc.ConstExpr[bool]) -> None:
    me = asc.get_block_idx()
    other = (me + 1) % asc.get_block_num()
    t = asc.LocalTensor(asc.float32, CALC, 0, N)
    asc.duplicate(t, 1.0, N)
    sync(EVENT.V_MTE3)
    asc.data_copy(bound(x)[me * N :], t, N)
    if barrier:
        asc.sync_all()
    u = asc.LocalTensor(asc.float32, IN, 1024, N)
    asc.data_copy(u, bound(x)[other * N :], N)
    sync(EVENT.MTE2_MTE3)
    asc.data_copy(bound(z)[me * N :], u, N)


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def barrier_missed_by_one(x: Any) -> None:
    if asc.get_block_idx() != 1:
        asc.sync_all()


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def cross_core_flags(x: Any, setting: asc.ConstExpr[bool], waiting: asc.ConstExpr[bool]) -> None:
    me = asc.get_block_idx()
    t = asc.LocalTensor(asc.float32, CALC, 0, N)
    asc.duplicate(t, 1.0, N)
    sync(EVENT.V_MTE3)
    asc.data_copy(bound(x)[me * N :], t, N)
    if setting:
        asc.cross_core_set_flag(3, 0, asc.PipeID.PIPE_MTE3)
    if waiting:
        asc.cross_core_wait_flag(3, 0, asc.PipeID.PIPE_MTE2)
    u = asc.LocalTensor(asc.float32, IN, 1024, N)
    asc.data_copy(u, bound(x)[(1 - me) * N :], N)


@asc.jit
def summed_by_all(x: Any, atomic: asc.ConstExpr[bool]) -> None:
    t = asc.LocalTensor(asc.float32, CALC, 0, N)
    asc.duplicate(t, 1.0, N)
    sync(EVENT.V_MTE3)
    if atomic:
        asc.set_atomic_add(asc.float32)
    asc.data_copy(bound(x), t, N)
    asc.set_atomic_none()


@asc.jit
def one_after_the_other(x: Any, ordered: asc.ConstExpr[bool]) -> None:
    g = bound(x)
    ub = asc.LocalTensor(asc.int32, CALC, 4096, 64)
    if ordered:
        asc.wait_pre_block(g, ub)
    t = asc.LocalTensor(asc.float32, IN, 0, N)
    asc.data_copy(t, g, N)
    sync(EVENT.MTE2_V)
    asc.adds(t, t, 1.0, N)
    sync(EVENT.V_MTE3)
    asc.data_copy(g, t, N)
    if ordered:
        asc.notify_next_block(g, ub)


@asc.jit
def ub_filled(x: Any, extra: asc.ConstExpr[int]) -> None:
    pipe = asc.TPipe()
    que, buf = asc.TQue(IN, 2), asc.TBuf(CALC)
    pipe.init_buffer(que, 2, 94080 - 32)
    pipe.init_buffer(buf, 64 + extra)


@asc.jit
def static_beyond_ub(x: Any) -> None:
    asc.LocalTensor(asc.float32, CALC, 196608 - 64, 32)


@asc.jit
def too_many_buffers(x: Any) -> None:
    pipe = asc.TPipe()
    pipe.init_buffer(asc.TQue(IN, 1), 65, 32)


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def set_too_far_ahead(x: Any) -> None:
    for _ in range(16):
        asc.cross_core_set_flag(3, 0, asc.PipeID.PIPE_MTE3)


@asc.jit
def small_workspace(x: Any) -> None:
    workspace = asc.GlobalTensor()
    workspace.set_global_buffer(x, 8)
    asc.sync_all(workspace, asc.LocalTensor(asc.int32, CALC, 0, 8))


@asc.jit
def rounded_store(x: Any) -> None:
    t = asc.LocalTensor(asc.float32, CALC, 0, N)
    asc.duplicate(t, 1.0, N)
    sync(EVENT.V_MTE3)
    asc.data_copy(bound(x), t, 33)


@asc.jit
def scalar_waits_for_nothing(x: Any) -> None:
    asc.wait_flag(EVENT.V_S, 0)


@asc.jit
def circular_wait(x: Any) -> None:
    asc.wait_flag(EVENT.V_MTE2, 0)
    asc.set_flag(EVENT.MTE2_V, 0)
    asc.wait_flag(EVENT.MTE2_V, 0)
    asc.set_flag(EVENT.V_MTE2, 0)
