"""load_data, mmad and fixpipe: small kernels against numpy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cannery
from cannery import asc
from cannery.asc.runtime.config import KernelType
from cannery.watch import session

P = asc.TPosition
cube = asc.jit(kernel_type=KernelType.AIC_ONLY)


def tensor_of(address: Any) -> Any:
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(address)
    return tensor


def up(count: int, step: int) -> int:
    return -(-count // step) * step


def sync(event: Any) -> None:
    asc.set_flag(event, 0)
    asc.wait_flag(event, 0)


@cube
def matmul(
    a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, shape: asc.ConstExpr[tuple],
    out: asc.ConstExpr[Any], bias: asc.GlobalAddress,
) -> None:  # fmt: skip
    """C = A · B, both as they lie in rows; ``out`` makes fixpipe's arguments from the padded shape."""
    m, n, k = shape
    kind, size = a.dtype, a.dtype.sizeof()
    width = 32 // size
    acc = asc.int32 if kind is asc.int8 else asc.float32
    deep = up(k, max(16, width))
    a1 = asc.LocalTensor(kind, P.A1, 0, up(m, 16) * up(k, width))
    b1 = asc.LocalTensor(kind, P.B1, 1 << 17, deep * up(n, max(16, width)))
    a2 = asc.LocalTensor(kind, P.A2, 0, up(m, 16) * up(k, width))
    b2 = asc.LocalTensor(kind, P.B2, 0, deep * up(n, max(16, width)))
    c1 = asc.LocalTensor(acc, P.CO1, 0, up(m, 16) * up(n, 16))
    asc.data_copy(a1, tensor_of(a), intri_params=asc.Nd2NzParams(1, m, k, 0, k, up(m, 16), 1, 0))
    asc.data_copy(b1, tensor_of(b), intri_params=asc.Nd2NzParams(1, k, n, 0, n, deep, 1, 0))
    table = asc.LocalTensor(acc, P.C1, 1 << 18, up(n, 16))
    asc.data_copy(table, tensor_of(bias), intri_params=asc.Nd2NzParams(1, 1, n, 0, n, 1, 1, 0))
    sync(asc.HardEvent.MTE2_MTE1)
    for row in range(up(m, 16) // 16):
        load = asc.LoadData2DParams(0, up(k, width) // width, up(m, 16) // 16)
        asc.load_data(a2[row * 16 * up(k, width) :], a1[row * 16 * width :], load)
    columns = up(n, max(16, width))
    if size == 2:
        for part in range(deep // 16):
            load = asc.LoadData2DParams(0, columns // 16, deep // 16, 0, 0, True)
            asc.load_data(b2[part * 16 * columns :], b1[part * 256 :], load)
    elif size == 1:
        for part in range(deep // 32):
            turn = asc.LoadData2dTransposeParams(0, columns // 32, deep // 32, 1, 0)
            asc.load_data_with_transpose(b2[part * 32 * columns :], b1[part * 1024 :], turn)
    beginning = asc.LocalTensor(acc, P.C2, 0, up(n, 16))
    asc.data_copy(beginning, table, repeat_params=asc.DataCopyParams(1, up(n, 16) * 4 // 32))
    sync(asc.HardEvent.MTE1_M)
    asc.mmad(c1, a2, b2, beginning, asc.MmadParams(m, n, k))
    sync(asc.HardEvent.M_FIX)
    asc.fixpipe(tensor_of(c), c1, *out(m, n))


def rows(m: int, n: int, **options: Any) -> tuple[Any, ...]:
    return (asc.FixpipeParamsV220(n, m, up(m, 16), n, **options),)


def run(kind: Any, shape: tuple[int, int, int], out: Any, result: Any, soc: str = "Ascend910B1") -> tuple[Any, ...]:
    m, n, k = shape
    generator = np.random.default_rng(0)
    draw: Callable[..., Any] = generator.integers if kind == np.int8 else generator.uniform
    a, b = (draw(-9, 9, size).astype(kind) for size in ((m, k), (k, n)))
    bias = draw(-9, 9, n).astype(np.int32 if kind == np.int8 else np.float32)
    c = np.zeros(result[0], result[1])
    with session(check=True, soc=cannery.soc(soc)) as found:
        matmul[1](a, b, c, shape, out, bias)
    assert {finding.kind for finding in found.findings()} <= {"UNSUPPORTED_SYNTAX"}
    wide = np.int64 if kind == np.int8 else np.float64
    return c, a.astype(wide) @ b.astype(wide) + bias


@pytest.mark.parametrize("kind", [np.float16, asc.bfloat16.numpy])
@pytest.mark.parametrize("shape", [(16, 16, 16), (40, 50, 70), (128, 128, 64), (17, 100, 200)])
def test_floats_are_added_in_float32(kind: Any, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    found, expected = run(kind, shape, rows, ((m, n), np.float32))
    assert np.abs(found - expected).max() <= 81 * k * (k + 1) * 2.0**-24


@pytest.mark.parametrize("shape", [(32, 32, 32), (40, 50, 70), (16, 64, 128)])
def test_bytes_are_added_in_int32(shape: tuple[int, int, int]) -> None:
    m, n, _ = shape
    found, expected = run(np.int8, shape, rows, ((m, n), np.int32))
    assert np.array_equal(found, expected)


def test_numbers_leave_in_blocks() -> None:
    def blocks(m: int, n: int) -> tuple[Any, ...]:
        return asc.FixpipeParamsV220(n, m, m, m * 2, asc.QuantModes.F322F16), asc.FixpipeConfig.cfg_nz

    found, expected = run(np.float16, (32, 48, 32), blocks, ((3 * 2 * 32 * 16,), np.float16))
    nz = np.stack([found[at * 1024 :][:512].reshape(32, 16) for at in range(3)], 1).reshape(32, 48)
    assert np.allclose(nz, expected, rtol=1e-3)
