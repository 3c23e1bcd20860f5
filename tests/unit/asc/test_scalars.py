"""Scalar helpers, stored pointers, lists of tensors, watched ranges, settings without effect on data."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cannery import asc
from cannery.asc.language.basic.common import pop_stack_buffer
from cannery.asc.language.fwk.tpipe import TPipe
from cannery.watch import session

WORDS = st.integers(0, 2**64 - 1)


@asc.jit
def kernel_of(body: asc.ConstExpr[Callable[..., None]], count: asc.ConstExpr[int], x: Any, y: Any, z: Any) -> None:
    body(*(x, y, z)[:count])


def on_a_core(body: Callable[..., None], *arrays: Any) -> None:
    """Run statements of a kernel that gets arrays."""
    rest = [np.zeros(1, np.uint8) for _ in range(3 - len(arrays))]
    kernel_of[1](body, len(arrays), *arrays, *rest)


@given(WORDS, st.sampled_from([0, 1]))
def test_bits_of_a_word(value: int, wanted: int) -> None:
    text = f"{value:064b}"
    assert int(asc.scalar_get_count_of_value(value, wanted)) == text.count(str(wanted))
    assert int(asc.scalar_get_sff_value(value, wanted)) == text[::-1].find(str(wanted))
    assert int(asc.scalar_count_leading_zero(value)) == len(text) - len(text.lstrip("0"))
    run = len(text) - len(text.lstrip(text[0])) - 1
    expected = -1 if value in (0, 2**64 - 1) else run
    assert int(asc.count_bits_cnt_same_as_sign_bit(value)) == expected


def test_bits_of_small_numbers() -> None:
    assert [int(asc.count_bits_cnt_same_as_sign_bit(value)) for value in (1, -1, 0, -2)] == [62, -1, -1, 62]
    with pytest.raises(ValueError, match="count_value: found 2, expected 0 or 1"):
        asc.scalar_get_sff_value(1, 2)


def test_atomic_configuration() -> None:
    x, z = np.ones(64, np.float32), np.full(64, 5, np.float32)
    found: list[list[int]] = []

    @asc.jit
    def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress) -> None:
        x_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
        x_gm.set_global_buffer(x)
        z_gm.set_global_buffer(z)
        t = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
        asc.data_copy(t, x_gm, 64)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.set_store_atomic_config(asc.AtomicDtype.ATOMIC_F32, asc.AtomicOp.ATOMIC_SUM)
        found.append([int(one) for one in asc.get_store_atomic_config()])
        asc.data_copy(z_gm, t, 64)
        asc.set_store_atomic_config(asc.AtomicDtype.ATOMIC_NONE, asc.AtomicOp.ATOMIC_SUM)
        found.append([int(one) for one in asc.get_store_atomic_config()])

    kernel[1](x, z)
    np.testing.assert_array_equal(z, 6)
    assert found == [[1, 0], [0, 0]]


def list_of(shapes: list[tuple[int, ...]], arrays: list[Any]) -> Any:
    """A list of tensors as it lies in memory."""
    words: list[int] = []
    for place, shape in enumerate(shapes):
        words += [len(shape) | place << 32, *shape]
    pointers = [array.ctypes.data for array in arrays]
    return np.array([8 * (1 + len(words)), *words, *pointers], np.uint64)


def test_a_list_of_tensors() -> None:
    a, b = np.arange(6, dtype=np.float32), np.arange(24, dtype=np.float32) + 100
    listed = list_of([(1, 2, 3), (2, 3, 4)], [a, b])
    found: list[Any] = []

    def body(data: Any, *_: Any) -> None:
        tensors = asc.ListTensorDesc()
        tensors.init(data, listed.nbytes, 2)
        desc = asc.TensorDesc(asc.float32)
        desc.set_shape_addr(1)
        for place in range(int(tensors.get_size())):
            tensors.get_desc(desc, place)
            dims = [int(desc.get_shape(dim)) for dim in range(int(desc.get_dim()))]
            found.append((int(desc.get_index()), dims, float(desc.get_data_obj().get_value(1))))
        other = asc.GlobalTensor()
        other.set_global_buffer(tensors.get_data_ptr(1, asc.float32))
        found.append(float(other.get_value(0)))

    with session(check=True) as seen:
        on_a_core(body, listed, a, b)
    assert found == [(0, [1, 2, 3], 1.0), (1, [2, 3, 4], 101.0), 100.0]
    assert seen.findings() == []


def test_a_list_of_pointers_alone() -> None:
    a, b = np.arange(4, dtype=np.float16), np.arange(4, dtype=np.float16) + 9
    listed = np.array([24, 2 << 32, 0xFFFFFFFF, a.ctypes.data, b.ctypes.data], np.uint64)

    def body(data: Any, *_: Any) -> None:
        tensors = asc.ListTensorDesc(data)
        second = asc.GlobalTensor()
        second.set_global_buffer(tensors.get_data_ptr(1, asc.float16))
        assert int(tensors.get_size()) == 2 and float(second.get_value(0)) == 9

    on_a_core(body, listed, a, b)


def test_what_a_list_refuses() -> None:
    a = np.arange(6, dtype=np.float32)
    listed = list_of([(2, 3)], [a])

    def taking(call: Callable[[Any], Any]) -> Callable[..., None]:
        return lambda data, *_: call(data)

    with pytest.raises(NotImplementedError, match="ListTensorDesc: Ascend950PR_9589 has none"), \
            session(soc="Ascend950PR_9589"):  # fmt: skip
        on_a_core(taking(asc.ListTensorDesc), listed)
    with pytest.raises(RuntimeError, match="found pointer 0 outside every array of this launch"):
        on_a_core(taking(lambda data: asc.ListTensorDesc(data).get_data_ptr(0, asc.float32)), listed)
    with pytest.raises(IndexError, match="found index 1, expected one of 1"):
        on_a_core(taking(lambda data: asc.ListTensorDesc(data).get_data_ptr(1, asc.float32)), listed)
    with pytest.raises(RuntimeError, match="without a shape address, expected set_shape_addr"):
        on_a_core(taking(lambda data: asc.ListTensorDesc(data).get_desc(asc.TensorDesc(), 0)), listed, a)
    with pytest.raises(ValueError, match="found length 7 and shape_size 1, expected 40 and 1"):
        on_a_core(taking(lambda data: asc.ListTensorDesc(data, 7, 1)), listed)
    with pytest.raises(ValueError, match="found pointers at byte 16, expected 32 or more"):
        wrong = listed.copy()
        wrong[0] = 16
        on_a_core(taking(asc.ListTensorDesc), wrong)
    with pytest.raises(RuntimeError, match="found no data, expected init before"):
        on_a_core(lambda: asc.ListTensorDesc().get_desc(asc.TensorDesc(), 0))
    with pytest.raises(IndexError, match="get_shape: found dim 0, expected one of 0"):
        asc.TensorDesc().get_shape(0)


def test_stored_pointers() -> None:
    x = np.zeros(8, np.uint8)

    def body(data: Any) -> None:
        asc.set_sys_workspace(data)
        asc.set_hccl_context(1, data + 4)
        assert asc.get_sys_workspace() is data and asc.get_hccl_context(1).address == data.address + 4
        with pytest.raises(RuntimeError, match=r"get_hccl_context\(0\): found no address, expected set_hccl_context"):
            asc.get_hccl_context(0)

    on_a_core(body, x)


def watched(**fields: Any) -> Callable[[], None]:
    def body() -> None:
        t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
        asc.check_local_memory_ia(asc.CheckLocalMemoryIAParam(0, 0, 2, is_enable=True, **fields))
        asc.duplicate(t[24:], 1.0, 8)  # behind the range
        asc.check_local_memory_ia(asc.CheckLocalMemoryIAParam(0))
        asc.duplicate(t, 1.0, 64)  # not watched any more
        asc.check_local_memory_ia(asc.CheckLocalMemoryIAParam(3, 0, 2, is_enable=True, **fields))
        asc.duplicate(t, 1.0, 16)

    return body


def test_a_watched_range_stops_the_kernel() -> None:
    message = "found that duplicate writes UB bytes 0x0 to 0x40, expected none of 0x20 to 0x60"
    with pytest.raises(RuntimeError, match=message):
        on_a_core(watched(is_vector_write=True))
    on_a_core(watched(is_vector_read=True, is_mte_write=True, is_scalar_write=True))
    with pytest.raises(ValueError, match="check_local_memory_ia: enable_bit: found 4, expected 0 to 3"):
        on_a_core(lambda: asc.check_local_memory_ia(asc.CheckLocalMemoryIAParam(4)))


def test_image_settings_change_no_copy() -> None:
    config = asc.AippParams(asc.int8, swap_params=asc.AippSwapParams(is_swap_rb=True))

    def body(data: Any) -> None:
        image = asc.GlobalTensor()
        image.set_global_buffer(data)
        asc.set_aipp_functions(image, asc.AippInputFormat.RGB888_U8, config)
        asc.set_aipp_functions(image, image, asc.AippInputFormat.YUV420SP_U8, config=config)
        with pytest.raises(TypeError, match="config: found int, expected AippParams"):
            asc.set_aipp_functions(image, asc.AippInputFormat.RGB888_U8, 3)
        with pytest.raises(TypeError, match=r"expected \[src1,\] input_format, config"):
            asc.set_aipp_functions(image)

    on_a_core(body, np.zeros(48, np.uint8))
    with pytest.raises(TypeError, match="AippParams: dtype: found int32, expected int8 or float16"):
        asc.AippParams(asc.int32)


def test_what_only_marks_or_prints(capsys: pytest.CaptureFixture[str]) -> None:
    def body() -> None:
        t = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 16)
        asc.duplicate(t, 7, 16)
        asc.metrics_prof_start()
        asc.print_time_stamp(3)
        asc.metrics_prof_stop()
        asc.get_arch_version(0)
        asc.dump_acc_chk_point(t, 5, 8, 2)

    on_a_core(body)
    text = capsys.readouterr().out
    assert "desc=5, addr=20" in text and "[7, 7]" in text
    assert int(asc.pad_t.PAD_MODE8) == 8 and int(asc.BlockMode.BLOCK_MODE_VECTOR) == 2


def test_forms_that_pyasc_takes_as_well() -> None:
    found: list[Any] = []

    def body(data: Any) -> None:
        source = asc.GlobalTensor()
        source.set_global_buffer(data)
        assert source(3).address == source[3:].address
        pipe, pool, buffer = asc.TPipe(), asc.TBufPool(asc.TPosition.VECCALC), asc.TBuf(asc.TPosition.VECCALC)
        pipe.init_buf_pool(pool, 1024)
        pool.init_buffer(buf=buffer, len=1024)
        t = buffer.get(asc.float32, 64)
        bits = t(128).reinterpret_cast(asc.uint8)
        asc.duplicate(t, 1.0, 64)
        asc.compare(t, t, cmp_mode=asc.CMPMODE.EQ, mask=64, repeat_params=asc.BinaryRepeatParams())
        asc.get_cmp_mask(bits)
        found.extend(int(bits.get_value(at)) for at in (0, 7, 8))

    on_a_core(body, np.zeros(8, np.float32))
    assert found == [255, 255, 0]
    assert asc.get_shape_size(asc.ShapeInfo()) == 1


def test_what_is_free_of_ub() -> None:
    found: list[tuple[int, int]] = []

    def body() -> None:
        pipe, buffer = TPipe(), asc.TBuf(asc.TPosition.VECCALC)
        pipe.init_buffer(buffer, 1024)
        rest = pop_stack_buffer(asc.float32)
        asc.duplicate(rest, 1.0, 64)
        found.append((int(rest.get_phy_addr()), int(rest.get_length())))
        with pytest.raises(ValueError, match="position: found A1, expected one in UB"):
            pop_stack_buffer(asc.float32, asc.TPosition.A1)

    on_a_core(body)
    ((lower, size),) = found
    assert lower == 1024 and 180 * 1024 < size <= 191 * 1024
