"""load_data, mmad and fixpipe: small kernels against numpy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cannery
from cannery import asc
from cannery.asc.runtime.config import KernelType
from cannery.isa.cube_mmad import to_hf32
from cannery.isa.dtypes import BY_NUMPY
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
    out: asc.ConstExpr[Any], bias: asc.GlobalAddress, named: asc.ConstExpr[bool],
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
    asc.data_copy(beginning, table, repeat_params=asc.DataCopyParams(1, up(n, 16) * 4 // 64))
    sync(asc.HardEvent.MTE1_M)
    if named:
        asc.mmad(c1, a2, b2, beginning, asc.MmadParams(m, n, k))
    else:
        asc.mmad(c1, a2, b2, asc.MmadParams(m, n, k, unit_flag=0, cmatrix_source=True, cmatrix_init_val=False))
    sync(asc.HardEvent.M_FIX)
    asc.fixpipe(tensor_of(c), c1, *out(m, n))


def rows(m: int, n: int, **options: Any) -> tuple[Any, ...]:
    return (asc.FixpipeParamsV220(n, m, up(m, 16), n, **options),)


def run(kind: Any, shape: tuple[int, int, int], out: Any, result: Any, *, named: bool = True) -> tuple[Any, ...]:
    m, n, k = shape
    generator = np.random.default_rng(0)
    draw: Callable[..., Any] = generator.integers if kind == np.int8 else generator.uniform
    a, b = (draw(-9, 9, size).astype(kind) for size in ((m, k), (k, n)))
    bias = draw(-9, 9, n).astype(np.int32 if kind == np.int8 else np.float32)
    c = np.zeros(result[0], result[1])
    with session(check=True) as found:
        matmul[1](a, b, c, shape, out, bias, named)
    assert {finding.kind for finding in found.findings()} <= {"UNSUPPORTED_SYNTAX"}
    wide = np.int64 if kind == np.int8 else np.float64
    return c, a.astype(wide) @ b.astype(wide) + bias


@pytest.mark.parametrize("kind", [np.float16, asc.bfloat16.numpy])
@pytest.mark.parametrize("shape", [(16, 16, 16), (40, 50, 70), (128, 128, 64), (17, 100, 200)])
def test_floats_are_added_in_float32(kind: Any, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    found, expected = run(kind, shape, rows, ((m, n), np.float32))
    assert np.abs(found - expected).max() <= 81 * k * (k + 1) * 2.0**-24


def test_without_a_bias_c_may_begin_as_the_start_of_the_table() -> None:
    found, expected = run(np.int8, (32, 48, 32), rows, ((32, 48), np.int32), named=False)
    assert np.array_equal(found, expected)


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


def on_cube(body: Callable[..., None], *arrays: Any, soc: str = "Ascend910B1") -> None:
    """Run statements of a cube kernel; nothing may be found but what pyasc's compiler refuses."""

    @asc.jit(kernel_type=KernelType.AIC_ONLY)
    def kernel(first: asc.GlobalAddress, second: asc.GlobalAddress, third: asc.GlobalAddress) -> None:
        body(*[tensor_of(address) for address in (first, second, third)])

    with session(check=True, soc=cannery.soc(soc)) as found:
        kernel[1](*arrays)
    assert {finding.kind for finding in found.findings()} <= {"UNSUPPORTED_SYNTAX"}


def wait_all() -> None:
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def tile(position: Any, dtype: Any, count: int, at: int = 0) -> Any:
    return asc.LocalTensor(dtype, position, at, count)


A5 = "Ascend950PR_9589"


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int8])
@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
def test_a_matrix_is_loaded_as_it_lies_or_turned_over_on_950(kind: Any, turned: tuple[bool, bool]) -> None:
    m, n, k = 32, 64, 96
    generator = np.random.default_rng(0)
    a, b = (generator.integers(-9, 9, shape).astype(kind) for shape in ((m, k), (n, k)))
    first, second = (np.ascontiguousarray(x.T if turn else x) for x, turn in zip((a, b), turned, strict=True))
    dtype, acc = BY_NUMPY[np.dtype(kind)], asc.int32 if kind is np.int8 else asc.float32
    c = np.zeros((m, n), acc.numpy)
    width = 32 // dtype.size

    def load(target: Any, staged: Any, source: Any, shape: tuple[int, int], turn: bool) -> None:
        rows, columns = shape
        asc.data_copy(staged, source, intri_params=asc.Nd2NzParams(1, rows, columns, 0, columns, rows, 1, 0))
        wait_all()
        high = (columns if turn else rows) // 16
        params = asc.LoadData2DParamsV2(0, 0, rows // 16, columns // width, rows // 16, high, turn)
        asc.load_data(target, staged, params)

    def body(a_gm: Any, b_gm: Any, c_gm: Any) -> None:
        left, right = tile(P.A2, dtype, m * k), tile(P.B2, dtype, n * k)
        load(left, tile(P.A1, dtype, m * k), a_gm, first.shape, turned[0])
        load(right, tile(P.B1, dtype, n * k, 1 << 17), b_gm, second.shape, turned[1])
        wait_all()
        product = tile(P.CO1, acc, m * n)
        asc.mmad(product, left, right, asc.MmadParams(m, n, k))
        wait_all()
        asc.fixpipe(c_gm, product, asc.FixpipeParamsV220(n, m, m, n))

    on_cube(body, first, second, c, soc=A5)
    assert np.array_equal(c, a.astype(np.int64) @ b.T.astype(np.int64))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int8])
def test_squares_are_turned_over(kind: Any) -> None:
    """A matrix in columns of blocks becomes the one turned over, in rows of blocks."""
    side = 64
    x = np.random.default_rng(0).integers(-9, 9, (side, side)).astype(kind)
    eye = np.eye(side, dtype=kind)
    dtype, acc = BY_NUMPY[np.dtype(kind)], asc.int32 if kind is np.int8 else asc.float32
    c = np.zeros((side, side), acc.numpy)
    width = 32 // dtype.size
    square = max(16, width)

    def body(x_gm: Any, eye_gm: Any, c_gm: Any) -> None:
        staged, left = tile(P.A1, dtype, side * side), tile(P.A2, dtype, side * side)
        right, product = tile(P.B2, dtype, side * side), tile(P.CO1, acc, side * side)
        if width == 8:  # squares of 16 x 16: rows of blocks
            asc.data_copy(staged, x_gm, intri_params=asc.Nd2NzParams(4, 16, side, 16 * side, side, 16, 1, 16 * side))
        else:
            asc.data_copy(staged, x_gm, intri_params=asc.Nd2NzParams(1, side, side, 0, side, side, 1, 0))
        units = tile(P.B1, dtype, side * side, 1 << 17)
        asc.data_copy(units, eye_gm, intri_params=asc.Nd2NzParams(1, side, side, 0, side, side, 1, 0))
        wait_all()
        asc.load_data(right, units, asc.LoadData2DParams(0, side * side // (16 * width), 1))
        count = side // square
        for row in range(count):
            if width == 8:
                turn = asc.LoadData2dTransposeParams(row, count, count, 1, 0)
                target = left[row * 16 * side :]
            else:
                gap = side // width - 1
                turn = asc.LoadData2dTransposeParams(row * count, count, 1, 0, gap)
                target = left[row * square * side :]
            asc.load_data_with_transpose(target, staged, turn)
        wait_all()
        asc.mmad(product, left, right, asc.MmadParams(side, side, side))
        wait_all()
        asc.fixpipe(c_gm, product, asc.FixpipeParamsV220(side, side, side, side))

    on_cube(body, x, eye, c)
    assert np.array_equal(c, x.T)


def convolved(image: np.ndarray, pad: tuple[int, int, int, int], stride: tuple[int, int], size: tuple[int, int],
              dilation: tuple[int, int], value: float) -> np.ndarray:  # fmt: skip
    """The windows of an image [c1, h, w, c0], pixel by pixel: [output, column]."""
    left, right, top, bottom = pad
    padded = np.pad(image, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=value)
    _, high, wide, _ = padded.shape
    rows = []
    for y in range(0, high - (size[1] - 1) * dilation[1], stride[1]):
        for x in range(0, wide - (size[0] - 1) * dilation[0], stride[0]):
            window = padded[:, y :: dilation[1], x :: dilation[0]][:, : size[1], : size[0]]
            rows.append(window.reshape(-1))
    return np.stack(rows)


@pytest.mark.parametrize(
    ("pad", "stride", "size", "dilation"),
    [
        ((0, 0, 0, 0), (1, 1), (1, 1), (1, 1)),
        ((1, 1, 1, 1), (1, 1), (3, 3), (1, 1)),
        ((2, 0, 1, 0), (2, 1), (2, 3), (1, 2)),
    ],
)
def test_the_windows_of_an_image_are_a_matrix(pad: Any, stride: Any, size: Any, dilation: Any) -> None:
    image = np.random.default_rng(0).integers(1, 9, (2, 8, 6, 16)).astype(np.float16)
    expected = convolved(image, pad, stride, size, dilation, 5.0)
    m, k = expected.shape
    high = up(m, 16)
    eye = np.eye(16, dtype=np.float16)
    c = np.zeros((m, 16), np.float32)
    first = 32  # columns from here on

    def body(x_gm: Any, eye_gm: Any, c_gm: Any) -> None:
        staged, units = tile(P.A1, asc.float16, image.size), tile(P.B1, asc.float16, 256, 1 << 17)
        asc.data_copy(staged, x_gm, image.size)
        asc.data_copy(units, eye_gm, 256)
        wait_all()
        left, right = tile(P.A2, asc.float16, high * 16), tile(P.B2, asc.float16, 256)
        params = asc.LoadData3DParamsV2(
            pad, 8, 6, 32, 16, m, min(first, k - 16), 0, stride[0], stride[1], size[0], size[1], dilation[0],
            dilation[1], False, 5.0,
        )  # fmt: skip
        asc.load_data(left, staged, params)
        asc.load_data(right, units, asc.LoadData2DParams())
        wait_all()
        product = tile(P.CO1, asc.float32, high * 16)
        asc.mmad(product, left, right, asc.MmadParams(m, 16, 16))
        wait_all()
        asc.fixpipe(c_gm, product, asc.FixpipeParamsV220(16, m, high, 16))

    on_cube(body, image, eye, c)
    start = min(first, k - 16)
    assert np.array_equal(c, expected[:, start : start + 16])


def test_l0b_takes_windows_turned_over() -> None:
    """An image of one column is a matrix as it lies: the usual way to load B."""
    k, n = 48, 32
    b = np.random.default_rng(0).integers(-9, 9, (k, n)).astype(np.float16)
    a = np.ones((16, k), np.float16)
    c = np.zeros((16, n), np.float32)

    def body(a_gm: Any, b_gm: Any, c_gm: Any) -> None:
        a1, b1 = tile(P.A1, asc.float16, 16 * k), tile(P.B1, asc.float16, k * n, 1 << 16)
        asc.data_copy(a1, a_gm, intri_params=asc.Nd2NzParams(1, 16, k, 0, k, 16, 1, 0))
        asc.data_copy(b1, b_gm, intri_params=asc.Nd2NzParams(1, k, n, 0, n, k, 1, 0))
        wait_all()
        a2, b2 = tile(P.A2, asc.float16, 16 * k), tile(P.B2, asc.float16, k * n)
        asc.load_data(a2, a1, asc.LoadData2DParams(0, k // 16, 1))
        asc.load_data(b2, b1, asc.LoadData3DParamsV2((0, 0, 0, 0), k, 1, n, n, k))
        wait_all()
        product = tile(P.CO1, asc.float32, 16 * n)
        asc.mmad(product, a2, b2, asc.MmadParams(16, n, k))
        wait_all()
        asc.fixpipe(c_gm, product, asc.FixpipeParamsV220(n, 16, 16, n))

    on_cube(body, a, b, c)
    assert np.array_equal(c, a.astype(np.int64) @ b.astype(np.int64))


def drained(values: np.ndarray, out: Callable[[Any, Any, Any], None], result: np.ndarray, words: Any = None,
            soc: str = "Ascend910B1") -> None:  # fmt: skip
    """Bring a matrix of integers to L0C, by a product with the unit, and let ``out`` bring it from there."""
    side = len(values)
    integers = values.dtype == np.int8
    dtype, acc = (asc.int8, asc.int32) if integers else (asc.float16, asc.float32)
    width = 32 // dtype.size
    words = np.zeros(4, np.uint64) if words is None else words
    eye = np.eye(side, dtype=values.dtype)
    zz = np.stack([eye[:, at : at + width] for at in range(0, side, width)])  # columns of blocks

    def body(x_gm: Any, words_gm: Any, out_gm: Any) -> None:
        x1, unit1 = tile(P.A1, dtype, side * side), tile(P.B1, dtype, side * side, 1 << 16)
        asc.data_copy(x1, x_gm, intri_params=asc.Nd2NzParams(1, side, side, 0, side, side, 1, 0))
        asc.data_copy(unit1, x_gm[side * side :], side * side)
        words1 = tile(P.C1, asc.uint64, len(words), 1 << 17)
        asc.data_copy(words1, words_gm, len(words))
        wait_all()
        left, right = tile(P.A2, dtype, side * side), tile(P.B2, dtype, side * side)
        if soc == A5:
            asc.load_data(left, x1, asc.LoadData2DParams(0, side * side // (16 * width), 1))
        else:
            for row in range(side // 16):
                load = asc.LoadData2DParams(0, side // width, side // 16)
                asc.load_data(left[row * 16 * side :], x1[row * 16 * width :], load)
        asc.load_data(right, unit1, asc.LoadData2DParams(0, side * side // (16 * width), 1))
        wait_all()
        product = tile(P.CO1, acc, side * side)
        asc.mmad(product, left, right, asc.MmadParams(side, side, side))
        wait_all()
        out(out_gm, product, words1)

    on_cube(body, np.concatenate([values.reshape(-1), zz.reshape(-1)]), words, result, soc=soc)


SIDE = 32
Q = asc.QuantModes


def word(scale: float, offset: int = 0, signed: bool = True, shift: int = 0) -> int:
    bits = int(np.float32(scale).view(np.uint32))
    return bits | (shift and (shift - 1) << 32 | 1 << 36) | (offset & 0x1FF) << 37 | signed << 46


def integers_of(kind: Any) -> np.ndarray:
    return np.random.default_rng(1).integers(-100, 100, (SIDE, SIDE)).astype(kind)


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize(
    ("kind", "mode", "word_of", "result"),
    [
        (np.float16, Q.F322F16, 0, np.float16), (np.float16, Q.F322BF16, 0, asc.bfloat16.numpy),
        (np.int8, Q.DEQF16, word(0.25), np.float16), (np.float16, Q.QF322B8_PRE, word(0.75, 3), np.int8),
        (np.float16, Q.QF322B8_PRE, word(1.5, -7, False), np.uint8), (np.int8, Q.REQ8, word(0.5), np.int8),
        (np.int8, Q.REQ8, word(2.0, 0, True, 3), np.int8),
    ],
)  # fmt: skip
def test_numbers_are_converted_on_their_way_out(kind: Any, mode: Any, word_of: int, result: Any, relu: bool) -> None:
    values = integers_of(kind)
    found = np.zeros((SIDE, SIDE), result)
    params = asc.FixpipeParamsV220(SIDE, SIDE, SIDE, SIDE, mode, word_of, relu_en=relu)
    drained(values, lambda out, product, _: asc.fixpipe(out, product, params), found)
    exact = values.astype(np.float64)
    if mode == Q.REQ8 and word_of >> 36 & 1:
        exact = np.floor(exact / 8)
    if word_of:
        exact = exact * float(np.uint32(word_of & 0xFFFFE000).view(np.float32))
    exact = np.maximum(exact, 0) if relu else exact
    if np.dtype(result).itemsize == 1:
        offset = (word_of >> 37 & 0x1FF) - (512 if word_of >> 45 & 1 else 0)
        low, high = (-128, 127) if word_of >> 46 & 1 else (0, 255)
        exact = (np.rint(exact.clip(-256, 255)) + offset).clip(low, high)
    assert np.array_equal(found.astype(np.float64), exact.astype(result).astype(np.float64))


def test_each_column_may_have_its_own_word() -> None:
    values = integers_of(np.int8)
    scales = 2.0 ** np.random.default_rng(2).integers(-3, 2, SIDE)
    words = np.array([word(scale) for scale in scales], np.uint64)
    found = np.zeros((SIDE, SIDE), np.float16)
    params = asc.FixpipeParamsV220(SIDE, SIDE, SIDE, SIDE, Q.VDEQF16)
    drained(values, lambda out, product, scale: asc.fixpipe(out, product, scale, params), found, words)
    assert np.array_equal(found, values * scales)


def test_bytes_leave_in_blocks_of_32_columns_and_floats_may_in_8() -> None:
    values = integers_of(np.int8)
    found = np.zeros((SIDE, SIDE), np.int8)
    params = asc.FixpipeParamsV220(SIDE, SIDE, SIDE, SIDE, Q.REQ8, word(1.0))
    drained(values, lambda out, product, _: asc.fixpipe(out, product, params, asc.FixpipeConfig.cfg_nz()), found)
    assert np.array_equal(found, values)
    split = np.zeros((SIDE // 8, SIDE, 8), np.float32)
    narrow = asc.FixpipeParamsV220(SIDE, SIDE, SIDE, SIDE, is_channel_split=True)
    floats = integers_of(np.float16)
    drained(floats, lambda out, product, _: asc.fixpipe(out, product, narrow, asc.FixpipeConfig.cfg_nz), split)
    assert np.array_equal(split.transpose(1, 0, 2).reshape(SIDE, SIDE), floats)


def test_950_brings_numbers_out_turned_over() -> None:
    values = integers_of(np.float16)
    found = np.zeros((SIDE, SIDE), np.float32)
    params = asc.FixpipeParamsV220(SIDE, SIDE, SIDE, SIDE)
    turned = asc.FixpipeConfig(asc.CO2Layout.COLUMN_MAJOR)
    drained(values, lambda out, product, _: asc.fixpipe(out, product, params, turned), found, soc=A5)
    assert np.array_equal(found, values.T)
    with pytest.raises(NotImplementedError, match="COLUMN_MAJOR on Ascend910B1"):
        drained(values, lambda out, product, _: asc.fixpipe(out, product, params, turned), found)


@pytest.mark.parametrize(("soc", "unit"), [("Ascend910B1", 256), (A5, 16)])
def test_several_matrices_leave_at_once(soc: str, unit: int) -> None:
    """The upper and the lower half of C, as two matrices: 256 elements apart in each column of blocks."""
    values = integers_of(np.float16)
    found = np.zeros((2, 20, SIDE), np.float32)
    params = asc.FixpipeParamsV220(SIDE, 16, SIDE, SIDE, nd_num=2, src_nd_stride=256 // unit, dst_nd_stride=20 * SIDE)
    drained(values, lambda out, product, _: asc.fixpipe(out, product, params), found, soc=soc)
    assert np.array_equal(found[:, :16].reshape(SIDE, SIDE), values) and not found[:, 16:].any()


def test_data_copy_brings_numbers_out_as_fixpipe_does() -> None:
    values = integers_of(np.int8)
    found = np.zeros((SIDE, SIDE), np.int8)

    def out(target: Any, product: Any, _: Any) -> None:
        asc.set_fix_pipe_pre_quant_flag(word(0.5))
        asc.data_copy(target, product, intri_params=asc.DataCopyCO12DstParams(
            SIDE, SIDE, SIDE, SIDE, Q.REQ8, 0, False, True))  # fmt: skip

    drained(values, out, found)
    assert np.array_equal(found, np.rint(values * 0.5))


def test_what_leaves_may_go_to_l1_and_be_multiplied_again() -> None:
    values = integers_of(np.float16)
    found = np.zeros((SIDE, SIDE), np.float16)

    def out(target: Any, product: Any, _: Any) -> None:
        again = tile(P.A1, asc.float16, SIDE * SIDE, 1 << 18)
        params = asc.FixpipeParamsV220(SIDE, SIDE, SIDE, SIDE, Q.F322F16)
        asc.fixpipe(again, product, params, asc.FixpipeConfig.cfg_nz)
        wait_all()
        asc.data_copy(target, again, SIDE * SIDE)

    drained(values, out, found)
    nz = found.reshape(SIDE // 16, SIDE, 16).transpose(1, 0, 2).reshape(SIDE, SIDE)
    assert np.array_equal(nz, values)


def test_products_are_added_to_global_memory() -> None:
    values = integers_of(np.float16)
    found = np.ones((SIDE, SIDE), np.float32)

    def out(target: Any, product: Any, _: Any) -> None:
        asc.set_atomic_add(asc.float32)
        asc.fixpipe(target, product, asc.FixpipeParamsV220(SIDE, SIDE, SIDE, SIDE))
        asc.set_atomic_none()

    drained(values, out, found)
    assert np.array_equal(found, values.astype(np.float32) + 1)


def test_blocks_are_filled() -> None:
    found = np.zeros(256, np.float16)

    def body(_: Any, __: Any, out: Any) -> None:
        staged = tile(P.A1, asc.float16, 256)
        asc.init_const_value(staged, asc.InitConstValueParams(1, 16, 0, 1.5))
        asc.pipe_barrier(asc.PipeID.PIPE_MTE2)
        asc.init_const_value(staged, asc.InitConstValueParams(3, 2, 3, 7.0))
        wait_all()
        asc.data_copy(out, staged, 256)

    on_cube(body, np.zeros(8, np.float16), np.zeros(8, np.float16), found)
    filled = np.isin(np.arange(256) // 16, [0, 1, 5, 6, 10, 11])
    assert np.array_equal(found, np.where(filled, 7, 1.5))


def test_sparse_weights_stand_at_their_places() -> None:
    m, n, k = 32, 48, 128
    generator = np.random.default_rng(0)
    a = generator.integers(-9, 9, (m, k)).astype(np.int8)
    pairs = np.array([np.sort(generator.choice(4, 2, replace=False)) for _ in range(n * k // 4)]).reshape(n, -1, 2)
    dense = generator.integers(1, 9, pairs.shape).astype(np.int8)
    weights = np.zeros((n, k // 4, 4), np.int64)
    np.put_along_axis(weights, pairs, dense, axis=2)
    codes = (pairs - [0, 1]).reshape(n, k // 8, 4).astype(np.uint8)
    packed = (codes << [0, 2, 4, 6]).sum(axis=2).astype(np.uint8)
    zn = dense.reshape(n, k // 64, 32).transpose(1, 0, 2)
    places = packed.reshape(n, k // 64, 8).transpose(1, 0, 2)
    c = np.zeros((m, n), np.int32)
    count = k // 2 * n // 512

    def body(a_gm: Any, b_gm: Any, c_gm: Any) -> None:
        a1, b1 = tile(P.A1, asc.int8, m * k), tile(P.B1, asc.int8, n * k // 2, 1 << 16)
        idx = tile(P.B1, asc.int8, n * k // 8, 1 << 17)
        asc.data_copy(a1, a_gm, intri_params=asc.Nd2NzParams(1, m, k, 0, k, m, 1, 0))
        asc.data_copy(b1, b_gm, n * k // 2)
        asc.data_copy(idx, b_gm[n * k // 2 :], n * k // 8)
        wait_all()
        a2, b2 = tile(P.A2, asc.int8, m * k), tile(P.B2, asc.int8, n * k // 2)
        for row in range(m // 16):
            asc.load_data(a2[row * 16 * k :], a1[row * 512 :], asc.LoadData2DParams(0, k // 32, m // 16))
        asc.load_data_with_sparse(b2, b1, idx.reinterpret_cast(asc.uint8), asc.LoadData2DParams(0, count))
        wait_all()
        product = tile(P.CO1, asc.int32, m * n)
        asc.mmad_with_sparse(product, a2, b2, asc.MmadParams(m, n, k))
        wait_all()
        asc.fixpipe(c_gm, product, asc.FixpipeParamsV220(n, m, m, n))

    both = np.concatenate([zn.reshape(-1), places.reshape(-1).view(np.int8)])
    on_cube(body, a, both, c)
    assert np.array_equal(c, a.astype(np.int64) @ weights.reshape(n, k).T)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda c, a, b: asc.mmad(a, a, b, asc.MmadParams(16, 16, 16)),
            "mmad: dst: found a tensor in L0A, expected one in L0C",
        ),
        (lambda c, a, b: asc.mmad(c, a, b, asc.MmadParams(5000, 16, 16)), "mmad: m: found 5000, expected 0 to 4095"),
        (
            lambda c, a, b: asc.fixpipe(c, c, asc.FixpipeParamsV220(16, 16, 16, 16)),
            "fixpipe from L0C to L0C on Ascend910B1",
        ),
        (lambda c, a, b: asc.load_data(a, a, asc.LoadData2DParams()), "load_data from L0A to L0A on Ascend910B1"),
        (lambda c, a, b: asc.load_data(a, a, asc.LoadData2DParamsV2(0, 0, 1, 1)), "LoadData2DParamsV2 on Ascend910B1"),
        (
            lambda c, a, b: asc.mmad(c, a, b, asc.MmadParams(16, 16, 16, unit_flag=1)),
            "unit_flag: found 1, expected 0, 2 or 3",
        ),
    ],
)
def test_what_is_no_way_is_refused(call: Callable[..., None], message: str) -> None:
    def body(_: Any, __: Any, ___: Any) -> None:
        call(tile(P.CO1, asc.float32, 256), tile(P.A2, asc.float16, 256), tile(P.B2, asc.float16, 256))

    with pytest.raises((ValueError, NotImplementedError), match=message):
        on_cube(body, *[np.zeros(8, np.float16)] * 3)


def test_hf32_drops_the_end_of_the_mantissa() -> None:
    unit = 2.0**-11  # HF32 keeps 11 bits, 10 on 950
    exact = np.array([1 + unit, 1 + unit / 2, 1 + 3 * unit / 2, -1 - unit / 2 - 2.0**-20, np.inf], np.float32)
    even = to_hf32(exact, bits=12, toward_zero=False)
    zero = to_hf32(exact, bits=12, toward_zero=True)
    assert np.array_equal(even, np.array([1 + unit, 1, 1 + 2 * unit, -1 - unit, np.inf], np.float32))
    assert np.array_equal(zero, np.array([1 + unit, 1, 1 + unit, -1 - unit, np.inf], np.float32))
    side = 16
    found = [np.zeros((side, side), np.float32) for _ in range(2)]
    x = np.full((side, side), 1 + unit / 2, np.float32)

    def body(x_gm: Any, plain: Any, rounded: Any) -> None:
        staged = tile(P.A1, asc.float32, side * side)
        asc.data_copy(staged, x_gm, side * side)
        wait_all()
        left, right = tile(P.A2, asc.float32, side * side), tile(P.B2, asc.float32, side * side)
        asc.load_data(left, staged, asc.LoadData2DParams(0, 2, 1))
        asc.load_data(right, staged, asc.LoadData2DParams(0, 2, 1))
        product = tile(P.CO1, asc.float32, side * side)
        for mode, target in ((False, plain), (True, rounded)):
            wait_all()
            asc.set_hf32_mode(mode)
            asc.mmad(product, left, right, asc.MmadParams(side, side, side))
            wait_all()
            asc.fixpipe(target, product, asc.FixpipeParamsV220(side, side, side, side))

    on_cube(body, x, *found)
    assert np.allclose(found[0], side * (1 + unit / 2) ** 2, rtol=1e-6) and (found[1] == side).all()
