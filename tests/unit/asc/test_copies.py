"""Copies: which bytes move, what padding is, atomics, scalars, and synchronisation through workspaces."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cannery import asc
from cannery.asc.runtime.config import KernelType
from cannery.watch import errors, session

IN, CALC = asc.TPosition.VECIN, asc.TPosition.VECCALC
EVENT = asc.HardEvent


@asc.jit
def bound(address: Any) -> asc.GlobalTensor:
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(address)
    return tensor


@asc.jit
def through(x: asc.GlobalAddress, z: asc.GlobalAddress, load: asc.ConstExpr[Any], store: asc.ConstExpr[Any]) -> None:
    """Zero the buffer, load, store."""
    t = asc.LocalTensor(x.dtype, IN, 0, 8192 // x.dtype.sizeof())
    asc.duplicate(t.reinterpret_cast(asc.int16), 0, 4096)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    load(t, bound(x))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    store(bound(z), t)


def run(x: Any, z: Any, load: Any, store: Any) -> Any:
    with session(check=True) as found:
        through[1](x, z, load, store)
    assert errors(found.findings()) == []
    return z


def whole(count: int) -> tuple[Any, Any]:
    return lambda t, g: asc.data_copy(t, g, count), lambda g, t: asc.data_copy(g, t, count)


pieces = st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(0, 3), st.integers(0, 3))


@given(pieces)
def test_pieces_of_blocks(shape: tuple[int, int, int, int]) -> None:
    count, length, src_gap, dst_gap = shape
    x = np.arange(1024, dtype=np.int32)
    params = asc.DataCopyParams(count, length, src_gap, dst_gap)
    z = run(x, np.zeros(1024, np.int32), lambda t, g: asc.data_copy(t, g, repeat_params=params), whole(1024)[1])
    expected = np.zeros(1024, np.int32)
    for piece in range(count):
        start, there = piece * (length + src_gap) * 8, piece * (length + dst_gap) * 8
        expected[there : there + length * 8] = x[start : start + length * 8]
    np.testing.assert_array_equal(z, expected)


@given(
    count=st.integers(1, 4), length=st.integers(1, 20), src_gap=st.integers(0, 5), dst_gap=st.integers(0, 2),
    left=st.integers(0, 3), right=st.integers(0, 3),
)  # fmt: skip
def test_padded_pieces(count: int, length: int, src_gap: int, dst_gap: int, left: int, right: int) -> None:
    x = np.arange(1, 513, dtype=np.int32)
    shape = asc.DataCopyExtParams(count, length * 4, src_gap * 4, dst_gap, 0)
    padding = asc.DataCopyPadExtParams(asc.int32, True, left, right, -7)
    z = run(x, np.zeros(1024, np.int32), lambda t, g: asc.data_copy_pad(t, g, shape, padding), whole(1024)[1])
    expected = np.zeros(1024, np.int32)
    slot = -(-(left + length + right) // 8) * 8
    for piece in range(count):
        at, start = piece * (slot + dst_gap * 8), piece * (length + src_gap)
        expected[at : at + slot] = -7
        expected[at + left : at + left + length] = x[start : start + length]
    np.testing.assert_array_equal(z, expected)


def test_the_filler_of_a_padded_copy_that_asks_for_none_is_each_pieces_first_element() -> None:
    x = np.arange(1, 65, dtype=np.int32)
    shape = asc.DataCopyExtParams(2, 12, 4, 0, 0)
    for padding in (None, asc.DataCopyPadExtParams(asc.int32, False, 0, 0, 9)):
        z = run(x, np.zeros(16, np.int32), lambda t, g, pad=padding: asc.data_copy_pad(t, g, shape, pad), whole(16)[1])
        assert list(z) == [1, 2, 3, 1, 1, 1, 1, 1, 5, 6, 7, 5, 5, 5, 5, 5]


@given(count=st.integers(1, 4), length=st.integers(1, 20), src_gap=st.integers(0, 2), dst_gap=st.integers(0, 5))
def test_stored_pieces_are_exact_to_the_byte(count: int, length: int, src_gap: int, dst_gap: int) -> None:
    x = np.arange(1, 1025, dtype=np.int16)
    shape = asc.DataCopyExtParams(count, length * 2, src_gap, dst_gap * 2, 0)
    z = run(x, np.zeros(512, np.int16), whole(1024)[0], lambda g, t: asc.data_copy_pad(g, t, shape))
    expected = np.zeros(512, np.int16)
    slot = -(-length * 2 // 32) * 16 + src_gap * 16
    for piece in range(count):
        at = piece * (length + dst_gap)
        expected[at : at + length] = x[piece * slot : piece * slot + length]
    np.testing.assert_array_equal(z, expected)


def test_a_count_that_is_no_whole_number_of_blocks_is_rounded_down() -> None:
    x = np.arange(1, 101, dtype=np.float16)
    z = np.zeros(100, np.float16)
    with session():
        through[1](x, z, lambda t, g: asc.data_copy(t, g, 100), lambda g, t: asc.data_copy(g, t, 100))
    np.testing.assert_array_equal(z, np.where(np.arange(100) < 96, x, 0))
    with session(check=True) as found:
        through[1](x, z, lambda t, g: asc.data_copy(t, g, 7), whole(16)[1])
    assert [finding.kind for finding in errors(found.findings())] == ["ROUNDED_COPY"]


def test_nd_to_nz_and_back() -> None:
    rows, columns = 5, 40
    x = np.arange(1, 2 * rows * columns + 1, dtype=np.float16)
    there = asc.Nd2NzParams(2, rows, columns, rows * columns, columns, 16, 1, 3 * 16 * 16)
    back = asc.Nz2NdParamsFull(2, rows, columns, 3, 16, columns, rows * columns)
    z = run(
        x, np.zeros_like(x), lambda t, g: asc.data_copy(t, g, intri_params=there),
        lambda g, t: asc.data_copy(g, t, intri_params=back),
    )  # fmt: skip
    np.testing.assert_array_equal(z, x)
    nz = run(x, np.zeros(2 * 768, np.float16), lambda t, g: asc.data_copy(t, g, intri_params=there), whole(1536)[1])
    groups = nz.reshape(2, 3, 16, 16)
    np.testing.assert_array_equal(groups[1, 2, 3], [*x.reshape(2, rows, columns)[1, 3, 32:], *[0] * 8])
    assert not groups[:, :, rows:].any()


def test_nothing_to_copy_is_no_instruction() -> None:
    z = np.zeros(32, np.int32)
    x = np.ones(32, np.int32)
    run(x, z, lambda t, g: asc.data_copy(t, g, repeat_params=asc.DataCopyParams(0, 4, 0, 0)), whole(32)[1])
    assert not z.any()


@pytest.mark.parametrize(
    ("setting", "dtype", "expected"),
    [
        (asc.set_atomic_add, np.float32, 11),
        (asc.set_atomic_add, np.float16, 11),
        (asc.set_atomic_add, np.int32, 11),
        (asc.set_atomic_max, np.int16, 10),
        (asc.set_atomic_min, np.int8, 1),
    ],
)
def test_atomics(setting: Any, dtype: Any, expected: int) -> None:
    def store(g: Any, t: Any) -> None:
        setting(t.dtype)
        asc.data_copy(g, t, 32)
        asc.set_atomic_none()

    z = run(np.ones(32, dtype), np.full(32, 10, dtype), whole(32)[0], store)
    np.testing.assert_array_equal(z, np.full(32, expected, dtype))
    with pytest.raises(TypeError, match="found uint8"):
        run(np.ones(32, np.uint8), np.ones(32, np.uint8), whole(32)[0], lambda g, t: setting(t.dtype))


def test_scalars_of_every_width() -> None:
    for dtype in (np.int8, np.uint16, np.int32, np.int64, np.uint64, np.float16, np.float32):
        x = np.array([3, 100, 7, 1], dtype)

        def store(g: Any, t: Any) -> None:
            value = t.get_value(1)
            t.set_value(0, value + 1)
            g.set_value(2, t.get_value(0))

        def load(t: Any, g: Any) -> None:
            t.set_value(1, g.get_value(1))

        z = run(x, np.zeros(4, dtype), load, store)
        assert z[2] == 101


def test_views_alias_and_offsets_count_elements() -> None:
    @asc.jit
    def kernel(x: asc.GlobalAddress) -> None:
        t = asc.LocalTensor(asc.float32, CALC, 64, 32)
        assert t[8:].get_phy_addr() == 64 + 32 and t[8].get_phy_addr(2) == 64 + 40
        halves = t.reinterpret_cast(asc.half)
        assert halves.get_size() == 64 and t.get_length() == 128
        t[8:].set_value(0, 1.0)
        assert t.get_value(8) == 1.0
        other = asc.LocalTensor(asc.float32)
        other.set_addr_with_offset(t, 8)
        assert other.get_value(0) == 1.0 and other.get_position() == CALC
        with pytest.raises(RuntimeError, match="found an end"):
            t[0:4]
        with pytest.raises(ValueError, match="found -1"):
            t[-1]
        g = bound(x + 2)
        assert g.get_value(0) == 2 and g[1:].get_value(0) == 3 and g.get_size() == 0

    kernel[1](np.arange(8, dtype=np.int32))


@pytest.mark.parametrize("software", [False, True])
def test_barriers_of_all_cores(software: bool) -> None:
    @asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
    def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, space: asc.GlobalAddress) -> None:
        me, cores = asc.get_block_idx(), asc.get_block_num()
        t = asc.LocalTensor(asc.int32, CALC, 0, 8)
        work = asc.LocalTensor(asc.int32, CALC, 1024, 64)
        for step in range(3):
            asc.duplicate(t, me + step, 8)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
            asc.data_copy(bound(x)[me * 8 :], t, 8)
            if software:
                asc.sync_all(bound(space), work, cores)
            else:
                asc.sync_all()
            asc.data_copy(t, bound(x)[(me + 1) % cores * 8 :], 8)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
            asc.data_copy(bound(z)[(step * cores + me) * 8 :], t, 8)
            asc.sync_all()

    x, z = np.zeros(4 * 8, np.int32), np.zeros(3 * 4 * 8, np.int32)
    with session(check=True) as found:
        kernel[4](x, z, np.zeros(32, np.int32))
    assert found.findings() == []
    expected = [(me + 1) % 4 + step for step in range(3) for me in range(4)]
    np.testing.assert_array_equal(z.reshape(12, 8), np.repeat(expected, 8).reshape(12, 8))


def test_point_to_point_messages() -> None:
    @asc.jit
    def kernel(x: asc.GlobalAddress, space: asc.GlobalAddress) -> None:
        me = asc.get_block_idx()
        work = asc.LocalTensor(asc.int32, CALC, 1024, 8)
        g, sync = bound(x), bound(space)
        if me == 0:
            asc.ib_wait(sync, work, 1, 0)
        g.set_value(0, g.get_value(0) * 2 + me)
        if me == 1:
            asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, g)
            asc.ib_set(sync, work, 1, 0)

    x = np.ones(8, np.int32)
    with session(check=True) as found:
        kernel[2](x, np.zeros(256, np.int32))
    assert found.findings() == [] and x[0] == (1 * 2 + 1) * 2


def test_a_workspace_too_small_for_the_barrier() -> None:
    @asc.jit
    def kernel(space: asc.GlobalAddress) -> None:
        asc.sync_all(bound(space), asc.LocalTensor(asc.int32, CALC, 0, 64), asc.get_block_num())

    with session(check=True) as found:
        kernel[4](np.zeros(24, np.int32))
    assert [(finding.kind, finding.memory) for finding in found.findings()] == [("OOB", "GM")]


def test_output_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    @asc.jit
    def kernel(x: asc.GlobalAddress) -> None:
        asc.printf("block %d of %u: %s %.2f %5.1f%%\n", asc.get_block_idx(), 8, "text", 1.5, 99.0)
        asc.dump_tensor(bound(x), 5, 4)

    kernel[1](np.arange(4, dtype=np.float32))
    out = capsys.readouterr().out
    assert out.startswith("block 0 of 8: text 1.50  99.0%\n")
    assert "DumpTensor: desc=5, addr=0, data_type=float32, position=GM, dump_size=4\n[0.0, 1.0, 2.0, 3.0]\n" in out


def test_printf_reads_the_escapes_of_c(capsys: pytest.CaptureFixture[str]) -> None:
    @asc.jit
    def kernel(x: asc.GlobalAddress) -> None:
        asc.printf("a\\tb \\x41\\101 \\\\ %d%%\\n", 3)

    kernel[1](np.zeros(8, np.float32))
    assert capsys.readouterr().out == "a\tb AA \\ 3%\n"


def test_a_dump_waits_for_all_pipes_and_has_a_shape(capsys: pytest.CaptureFixture[str]) -> None:
    @asc.jit
    def kernel(x: asc.GlobalAddress) -> None:
        t = asc.LocalTensor(asc.float32, CALC, 0, 8)
        asc.data_copy(t, bound(x), 8)
        asc.dump_tensor(t, 1, 5, asc.ShapeInfo(asc.array(asc.int32, [2, 2, 2])))
        asc.adds(t, t, 1.0, 8)  # behind the barrier of the dump
        asc.dump_tensor(t, 2, 3)

    with session(check=True) as found:
        kernel[1](np.arange(8, dtype=np.float32))
    out = capsys.readouterr().out
    assert "dump_size=5\n[[[0.0, 1.0],\n  [2.0, 3.0]],\n [[4.0, -],\n  [-, -]]]\n" in out
    assert out.endswith("dump_size=3\n[1.0, 2.0, 3.0]\n")
    assert errors(found.findings()) == []


def test_tensors_show_what_they_hold_and_where() -> None:
    seen: list[Any] = []

    @asc.jit
    def kernel(x: asc.GlobalAddress) -> None:
        t = asc.LocalTensor(asc.float32, CALC, 64, 24)
        asc.duplicate(t, 1.5, 2)
        g = bound(x)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        seen.extend([repr(t), repr(g[2:]), repr(x + 3), t.numpy(2), g.numpy(), repr(asc.GlobalTensor()), repr(t[2:])])

    kernel[1](np.arange(4, dtype=np.int32))
    assert seen[0] == (
        f"LocalTensor([1.5, 1.5{', ?' * 14}, …], float32, 24 elements, VECCALC, UB byte 64)"
    )  # fmt: skip
    assert seen[1] == "GlobalTensor([2, 3], int32, 2 elements, GM, byte 8 of x)"
    assert seen[2] == "GlobalAddress(x, byte 12 of 16, int32)"
    np.testing.assert_array_equal(seen[3], np.full(2, 1.5, np.float32))
    np.testing.assert_array_equal(seen[4], np.arange(4))
    assert seen[5] == "GlobalTensor(without memory)" and "?, ?" in seen[6]


def test_outside_a_kernel_there_is_no_core() -> None:
    with pytest.raises(RuntimeError, match="call outside a kernel"):
        asc.get_block_idx()


def test_an_array_seen_twice_is_one_memory() -> None:
    @asc.jit
    def kernel(x: asc.GlobalAddress, same: asc.GlobalAddress) -> None:
        t = asc.LocalTensor(asc.float32, CALC, 0, 8)
        asc.data_copy(t, bound(x), 8)
        asc.set_flag(EVENT.MTE2_MTE3, 0)
        asc.wait_flag(EVENT.MTE2_MTE3, 0)
        asc.data_copy(bound(same)[8:], t, 8)
        asc.data_copy(t, bound(x)[8:], 8)

    x = np.arange(16, dtype=np.float32)
    with session(check=True) as found:
        kernel[1](x, x)
    assert {(finding.kind, finding.memory) for finding in found.findings()} == {("RAW", "GM")}


@pytest.mark.parametrize("dtype", [asc.uint8, asc.uint16, asc.uint32, asc.uint64])
def test_an_unsigned_integer_that_was_never_written_is_0(dtype: Any) -> None:
    read: list[int] = []

    @asc.jit
    def kernel(x: asc.GlobalAddress) -> None:
        tile = asc.LocalTensor(dtype, CALC, 0, 64)
        tile.set_value(1, dtype_high)
        read.append(int(tile.get_value(0)))
        read.append(int(tile.get_value(1)))

    dtype_high = 2**dtype.bitwidth - 1
    kernel[1](np.zeros(8, np.float32))
    assert read == [0, dtype_high]


def test_poison_in_integer_arithmetic_does_not_end_a_kernel() -> None:
    read: list[int] = []

    @asc.jit
    def kernel(x: asc.GlobalAddress) -> None:
        tile = asc.LocalTensor(asc.float32, CALC, 0, 64)
        words = asc.LocalTensor(asc.int32, CALC, 256, 8)
        words.set_value(0, tile.get_value(0))  # NaN
        read.append(asc.number(3, asc.int32) + tile.get_value(0))
        read.append(words.get_value(0))

    kernel[1](np.zeros(8, np.float32))
    assert read == [3, 0]
