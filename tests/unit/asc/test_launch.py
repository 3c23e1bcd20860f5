"""Launching: arguments, cores, options, what goes back to the host."""

from typing import Any

import numpy as np
import pytest
import torch

import cannery
from cannery import asc
from cannery.aicore import DeadlockError
from cannery.asc.runtime import config
from cannery.watch import errors, session

IN, CALC = asc.TPosition.VECIN, asc.TPosition.VECCALC
N = 64


@asc.jit
def bound(address: Any) -> asc.GlobalTensor:
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(address)
    return tensor


@asc.jit
def add_one(x: asc.GlobalAddress, count: int) -> None:
    t = asc.LocalTensor(x.dtype, CALC, 0, 256)
    asc.data_copy(t, bound(x), count)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.adds(t, t, 1, count)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(bound(x), t, count)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32, torch.int16])
def test_torch_tensors_are_written_in_place(dtype: torch.dtype) -> None:
    x = torch.arange(N).to(dtype)
    add_one[1](x, N)
    torch.testing.assert_close(x, torch.arange(1, N + 1).to(dtype))


def test_a_strided_array_goes_back_element_by_element() -> None:
    whole = np.zeros((N, 3), np.float32)
    add_one[1](whole[:, 1], N)
    np.testing.assert_array_equal(whole, np.tile([0, 1, 0], (N, 1)))
    tensor = torch.zeros(8, 8).T[:, ::2]
    add_one[1](tensor, 32)
    assert (tensor == 1).all()


def test_a_read_only_array_is_left_alone() -> None:
    x = np.zeros(N, np.float32)
    x.flags.writeable = False
    add_one[1](x, N)
    assert not x.any()


@pytest.mark.parametrize("value", [None, [1], "text", {}, np.zeros(3, bool), np.zeros(3, np.complex64)])
def test_what_a_kernel_cannot_take_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="x: found"):
        add_one[1](value, 1)


def test_an_integer_beyond_int32_is_refused() -> None:
    with pytest.raises(OverflowError, match="count: found 2147483648"):
        add_one[1](np.zeros(N, np.float32), 2**31)


@pytest.mark.parametrize(("options", "error"), [("8", TypeError), ((1, 2, 3), TypeError), (0, ValueError)])
def test_launch_options(options: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        add_one[options]


def test_launches_that_are_made_ready_together_keep_their_cores() -> None:
    one, two = add_one[1], add_one[2]
    with session() as found:
        for run in (one, two):
            run(np.zeros(2 * N, np.float32), N)
    assert [launch.core_num for launch in found.launches] == [1, 2]


def test_options_of_jit_are_known_and_no_parameters() -> None:
    with pytest.raises(RuntimeError, match="found option fast"):
        asc.jit(fast=True)(lambda x: None)
    with pytest.raises(RuntimeError, match="stream"):

        @asc.jit
        def bad(stream: int) -> None:
            """No body."""


def test_const_parameters_are_checked() -> None:
    @asc.jit
    def kernel(x: asc.GlobalAddress, n: asc.ConstExpr[int]) -> None:
        assert type(n) is int

    kernel[1](np.zeros(4, np.float32), 3)
    with pytest.raises(RuntimeError, match="n: found str"):
        kernel[1](np.zeros(4, np.float32), "3")


def test_numbers_are_the_kernels() -> None:
    seen: list[Any] = []

    @asc.jit
    def kernel(n: int, f: float, b: bool) -> None:
        seen.extend([n / 2, -n // 2, -n % 4, n + 0.9, n.ceildiv(2), f + 0.1, type(b).__name__])  # type: ignore[attr-defined]
        for i in range(2):
            seen.append((i + 3) / 2)

    kernel[1](7, 0.1, True)
    assert seen[:5] == [3, -3, -3, 7, 4]
    assert seen[5] == float(np.float32(0.1) + np.float32(0.1))
    assert seen[6:] == ["Rt_int8", 1, 2]


def test_integers_wrap() -> None:
    seen: list[int] = []

    @asc.jit
    def kernel(n: int) -> None:
        seen.append(n + 1)
        seen.append(asc.number(n, asc.int64) + 1)

    kernel[1](2**31 - 1)
    assert seen == [-(2**31), 2**31]


def test_iterate_in_a_with_is_a_loop() -> None:
    class Iterating:
        def iterate(self) -> Any:
            return iter([0, 1, 2])

    seen: list[int] = []

    @asc.jit
    def kernel(m: asc.ConstExpr[Any]) -> None:
        with m.iterate() as count:
            seen.append(count)

    kernel[1](Iterating())
    assert seen == [0, 1, 2]


class Shape(asc.Struct):
    rows: Any = asc.Field(asc.int32)
    inner: Any = asc.Field(asc.uint8, default=300)


def test_structs_are_private_to_a_core() -> None:
    seen: list[int] = []

    @asc.jit
    def kernel(shape: Shape) -> None:
        shape.rows = shape.rows + 1
        seen.append(int(shape.rows))

    shape = Shape(rows=4)
    kernel[2](shape)
    assert seen == [5, 5] and shape.rows == 4 and shape.inner == 44
    assert shape.pack() == bytes([4, 0, 0, 0, 44, 0, 0, 0])
    with pytest.raises(RuntimeError, match="field rows is missing"):
        Shape()


@pytest.mark.parametrize(
    ("kernel_type", "expected"),
    [
        (config.KernelType.AIV_ONLY, [("aiv", 0, 0, 1), ("aiv", 1, 0, 1)]),
        (config.KernelType.AIC_ONLY, [("aic", 0, 0, 1), ("aic", 1, 0, 1)]),
        (
            config.KernelType.MIX_AIC_1_2,
            [
                ("aic", 0, 0, 1),
                ("aiv", 0, 0, 2),
                ("aiv", 1, 1, 2),
                ("aic", 1, 0, 1),
                ("aiv", 2, 0, 2),
                ("aiv", 3, 1, 2),
            ],
        ),
    ],
)
def test_which_cores_run(kernel_type: Any, expected: list[Any]) -> None:
    seen: list[Any] = []

    @asc.jit(kernel_type=kernel_type)
    def kernel() -> None:
        kind = "aic" if asc.ascend_is_aic() else "aiv"
        seen.append((kind, asc.get_block_idx(), asc.get_sub_block_idx(), asc.get_task_ratio()))
        assert asc.get_block_num() == 2

    kernel[2]()
    assert seen == expected


def test_cube_and_vector_cores_signal_each_other() -> None:
    seen: list[str] = []

    @asc.jit(kernel_type=config.KernelType.MIX_AIC_1_2)
    def kernel() -> None:
        if asc.ascend_is_aic():
            asc.cross_core_wait_flag(1, 2, asc.PipeID.PIPE_S)
            seen.append("cube")
        else:
            seen.append("vector")
            asc.cross_core_set_flag(1, 2, asc.PipeID.PIPE_MTE3)

    kernel[1]()
    assert seen == ["vector", "vector", "cube"]


def test_a_barrier_of_more_cores_than_the_chip_has_hangs() -> None:
    @asc.jit
    def kernel() -> None:
        asc.sync_all()

    kernel[48]()
    with pytest.raises(DeadlockError, match="sync_all"):
        kernel[49]()


def test_more_cores_than_the_chip_has_run_one_after_the_other() -> None:
    seen: list[int] = []

    @asc.jit
    def kernel() -> None:
        seen.append(int(asc.get_block_idx()))

    kernel[100]()
    assert seen == list(range(100))


def test_overruns_of_global_memory_are_dropped_and_poison() -> None:
    @asc.jit
    def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress) -> None:
        t = asc.LocalTensor(asc.float32, IN, 0, N)
        asc.data_copy(t, bound(x), N)
        asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
        asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
        asc.data_copy(bound(z), t, N)
        asc.data_copy(bound(z)[100:], t, N)

    memory = np.full(60, 7.0, np.float32)
    x, z = memory[:10], memory[20:56]
    x[:] = np.arange(10)
    kernel[1](x, z)
    np.testing.assert_array_equal(z[:10], np.arange(10))
    assert np.isnan(z[10:]).all()
    assert (memory[10:20] == 7).all() and (memory[56:] == 7).all()


def test_overruns_of_the_chips_memory_are_dropped_and_poison() -> None:
    @asc.jit
    def kernel(z: asc.GlobalAddress) -> None:
        t = asc.LocalTensor(asc.float32, CALC, 196608 - 32, N)
        asc.duplicate(t, 1.0, N)
        asc.adds(t, t, 1.0, N)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(bound(z), t, N)

    z = np.zeros(N, np.float32)
    kernel[1](z)
    np.testing.assert_array_equal(z[:8], 2)
    assert np.isnan(z[8:]).all()


@asc.jit(insert_sync=True)
def compiler_synchronises(x: asc.GlobalAddress, z: asc.GlobalAddress) -> None:
    t = asc.LocalTensor(asc.float32, CALC, 0, N)
    asc.data_copy(t, bound(x), N)
    asc.adds(t, t, 1.0, N)
    asc.data_copy(bound(z), t, N)


@asc.jit
def automatic_tensors(x: asc.GlobalAddress, z: asc.GlobalAddress) -> None:
    for tile in range(2):
        t = asc.LocalTensorAuto(asc.float32, (4, 8))
        asc.data_copy(t, bound(x)[tile * 32 :], 32)
        u = asc.LocalTensorAuto(asc.float32, 32)
        asc.adds(u, t, 1.0, 32)
        asc.data_copy(bound(z)[tile * 32 :], u, 32)


@pytest.mark.parametrize("kernel", [compiler_synchronises, automatic_tensors])
def test_where_the_compiler_synchronises_program_order_holds(kernel: Any) -> None:
    x, z = np.arange(N, dtype=np.float32), np.zeros(N, np.float32)
    with session(check=True) as found:
        kernel[1](x, z)
    np.testing.assert_array_equal(z, x + 1)
    assert found.findings() == []


@asc.jit
def there_and_back(x: asc.GlobalAddress, z: asc.GlobalAddress) -> None:
    t = asc.LocalTensor(asc.half, CALC, 0, N)
    u = asc.LocalTensor(asc.half, CALC, 8192, N)
    wide = asc.LocalTensor(asc.float32, CALC, 16384, N)
    asc.data_copy(t, bound(x), N)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.adds(u, t, 1000.0, N)
    asc.data_copy(t, u, N)
    asc.cast(wide, t, asc.RoundMode.CAST_NONE, N)
    asc.cast(t, wide, asc.RoundMode.CAST_RINT, N)
    asc.adds(t, t, -1000.0, N)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(bound(z), t, N)


def test_precise_mode_tells_rounding_from_algorithm() -> None:
    x = np.random.default_rng(0).random(N).astype(np.float16)
    error = {}
    for precise in (False, True):
        z = np.zeros_like(x)
        with session(precise=precise):
            there_and_back[1](x, z)
        error[precise] = float(np.abs(z.astype(np.float64) - x).max())
    assert error[True] < 1e-3 < 0.1 < error[False]


def test_the_session_names_the_chip() -> None:
    with session(soc="Ascend310P3") as found, pytest.raises(ValueError, match="soc"):
        config.set_platform("Model", "Ascend1")
    with session(soc="Ascend310P3", check=True) as found:
        add_one[1](np.zeros(N, np.float32), N)
    assert found.launches[0].soc == "Ascend310P3" and errors(found.findings()) == []


def test_a_cube_signals_one_of_its_vector_cores_on_950() -> None:
    seen: list[str] = []

    @asc.jit(kernel_type=config.KernelType.MIX_AIC_1_2)
    def kernel() -> None:
        if asc.ascend_is_aic():
            asc.cross_core_set_flag(16, 4, asc.PipeID.PIPE_FIX)
            asc.cross_core_wait_flag(16 + 3, 4, asc.PipeID.PIPE_S)
            seen.append("cube")
            asc.cross_core_set_flag(0, 4, asc.PipeID.PIPE_FIX)
        else:
            asc.cross_core_wait_flag(0, 4, asc.PipeID.PIPE_S)
            seen.append(f"vector {int(asc.get_sub_block_idx())}")
            if asc.get_sub_block_idx() == 1:
                asc.cross_core_set_flag(3, 4, asc.PipeID.PIPE_MTE3)

    with session(check=True, soc=cannery.soc("Ascend950PR_9589")) as found:
        kernel[1]()
    assert seen == ["vector 1", "cube", "vector 0"]
    assert [finding for finding in found.findings() if finding.kind != "UNSUPPORTED_SYNTAX"] == []
    with pytest.raises(ValueError, match=r"mode_id: found 4, expected 0, 1 or 2"):
        kernel[1]()
