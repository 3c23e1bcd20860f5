"""Matmul objects against numpy: shapes, layouts, types, and every way to get C."""

from typing import Any

import numpy as np
import pytest

from cannery import asc
from cannery.watch import session

from .products import (
    NZ,
    WORKSPACE,
    P,
    drawn,
    everything,
    kind,
    kinds_of,
    mixed,
    near,
    on_cube,
    plain,
    run,
    staged,
    tensor_of,
    tiling_of,
    to_ub,
    up,
)  # fmt: skip

SINGLE = {"half": np.float16, "float": np.float32, "byte": np.int8}
SHAPES = [
    ((32, 32, 32), (32, 32, 32)), ((64, 96, 128), (32, 32, 32)), ((50, 70, 90), (32, 32, 64)),
    ((17, 100, 40), (16, 48, 32)), ((1, 33, 65), (16, 16, 32)), ((128, 128, 200), (64, 128, 64)),
]  # fmt: skip


@pytest.mark.parametrize("of", ["half", "float", "byte"])
@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize(("shape", "base"), SHAPES)
def test_all_shapes_and_types(of: str, turned: tuple[bool, bool], shape: Any, base: Any) -> None:
    def types(a: Any, b: Any, c: Any, bias: Any) -> tuple[Any, ...]:
        return kind(a, is_trans=turned[0]), kind(b, is_trans=turned[1]), kind(c), kind(bias)

    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        matmul.set_tensor_a(a, turned[0])
        matmul.set_tensor_b(b, turned[1])
        matmul.set_bias(bias)
        matmul.iterate_all(c)

    found, expected, kinds = run(act, shape, base, of=SINGLE[of], types=types, transposed=turned, is_bias=1)
    assert not kinds
    assert np.array_equal(found, expected) if of == "byte" else near(found, expected, shape[2])


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("kernel", [on_cube, mixed])
def test_both_kinds_of_kernel_give_the_same(kernel: Any, seed: int) -> None:
    found, expected, kinds = run(everything, (80, 96, 64), (32, 32, 32), kernel=kernel, seed=seed)
    assert near(found, expected, 64)
    assert not kinds


def blocks_by_count(matmul: Any, c: Any, shape: tuple[int, int], base: tuple[int, int], places: list[Any]) -> None:
    queue = asc.TQue(P.VECOUT, 1)
    asc.get_tpipe_ptr().init_buffer(que=queue, num=2, len=base[0] * base[1] * 4)
    for count in matmul.iterate():
        local = queue.alloc_tensor(c.dtype)
        matmul.get_tensor_c(local, en_sequential_write=True)
        asc.adds(local, local, 1.0, count=base[0] * base[1])
        queue.enque(local)
        local = queue.deque(c.dtype)
        row, column = places[int(count)]
        params = asc.DataCopyParams(base[0], base[1] * 4 // 32, 0, (shape[1] - base[1]) * 4 // 32)
        asc.data_copy(c[row * base[0] * shape[1] + column * base[1] :], local, repeat_params=params)
        queue.free_tensor(local)


DOWN = [(r, c) for c in range(3) for r in range(2)]
ALONG = [(r, c) for r in range(2) for c in range(3)]
IN_PAIRS = [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (1, 2)]


@pytest.mark.parametrize(("fields", "places"), [({}, DOWN), ({"iterate_order": 1}, ALONG), ({"step_n": 2}, IN_PAIRS)])
def test_blocks_come_to_ub_in_the_order_of_the_tiling(fields: dict[str, int], places: Any) -> None:
    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        matmul.set_tensor_a(a)
        matmul.set_tensor_b(b)
        blocks_by_count(matmul, c, (64, 96), (32, 32), places)
        matmul.end()

    tiling = tiling_of(64, 96, 64, (32, 32, 32))
    for name, value in fields.items():
        setattr(tiling, name, value)
    generator = np.random.default_rng(0)
    a, b = drawn(generator, (64, 64), np.float16), drawn(generator, (64, 96), np.float16)
    c, bias = np.zeros((64, 96), np.float32), np.zeros(96, np.float32)
    with session(check=True) as found:
        mixed[1](a, b, c, bias, np.zeros(WORKSPACE, np.uint8), tiling, to_ub, act)
    assert near(c, a.astype(np.float64) @ b.astype(np.float64) + 1, 64)
    assert not kinds_of(found)


def test_operands_may_lie_in_ub() -> None:
    def types(a: Any, b: Any, c: Any, bias: Any) -> tuple[Any, ...]:
        return kind(a, P.VECIN), kind(b, P.VECIN), kind(c), kind(bias, P.VECIN)

    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        near_by = [staged(tensor, count) for tensor, count in ((a, 32 * 64), (b, 64 * 48), (bias, 48))]
        matmul.set_tensor_a(near_by[0])
        matmul.set_tensor_b(near_by[1])
        matmul.set_bias(near_by[2])
        matmul.iterate_all(c)
        matmul.end()

    found, expected, kinds = run(act, (32, 48, 64), (16, 48, 32), kernel=mixed, types=types, is_bias=1)
    assert near(found, expected, 64)
    assert not kinds


def test_a_bias_of_half_is_added_in_float32() -> None:
    def types(a: Any, b: Any, c: Any, bias: Any) -> tuple[Any, ...]:
        return kind(a), kind(b), kind(c), kind(a)

    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        matmul.set_tensor_a(a)
        matmul.set_tensor_b(b)
        matmul.set_bias(a)
        matmul.iterate_all(c)

    a, b = (np.random.default_rng(at).uniform(-4, 4, (32, 32)).astype(np.float16) for at in (1, 2))
    c = np.zeros((32, 32), np.float32)
    tiling = tiling_of(32, 32, 32, (32, 32, 32), is_bias=1)
    with session(check=True) as found:
        on_cube[1](a, b, c, np.zeros(32, np.float32), np.zeros(WORKSPACE, np.uint8), tiling, types, act)
    assert near(c, a.astype(np.float64) @ b.astype(np.float64) + a[0].astype(np.float64), 32)
    assert not kinds_of(found)


def as_nz(matrix: Any, width: int) -> Any:
    rows, columns = matrix.shape
    padded = np.zeros((up(rows, 16), up(columns, width)), matrix.dtype)
    padded[:rows, :columns] = matrix
    return np.ascontiguousarray(padded.reshape(len(padded), -1, width).swapaxes(0, 1))


def test_operands_and_results_may_be_nz() -> None:
    def types(a: Any, b: Any, c: Any, bias: Any) -> tuple[Any, ...]:
        return kind(a, format=NZ), kind(b, format=NZ), kind(c, format=NZ), kind(bias)

    generator = np.random.default_rng(0)
    a, b = drawn(generator, (64, 96), np.float16), drawn(generator, (96, 80), np.float16)
    c = np.zeros((5, 64, 16), np.float32)
    with session(check=True) as found:
        on_cube[1](
            as_nz(a, 16), as_nz(b, 16), c, np.zeros(80, np.float32), np.zeros(WORKSPACE, np.uint8),
            tiling_of(64, 80, 96, (32, 48, 32)), types, everything,
        )  # fmt: skip
    assert near(c.swapaxes(0, 1).reshape(64, 80), a.astype(np.float64) @ b.astype(np.float64), 96)
    assert not kinds_of(found)


def scale_word(scale: float) -> int:
    return int(np.float32(scale).view(np.uint32) & np.uint32(0xFFFFE000))


@pytest.mark.parametrize("out", [np.float16, np.int8])
@pytest.mark.parametrize("by_vector", [True, False])
def test_quantisation_by_one_word_or_one_a_column(out: Any, by_vector: bool) -> None:
    scales = np.array([0.5, 0.25, 0.125, 1.0] * 12, np.float32)
    signed = 1 << 46
    words = np.array([scale_word(scale) | signed for scale in scales], np.uint64)

    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        matmul.set_tensor_a(a)
        matmul.set_tensor_b(b)
        if by_vector:
            matmul.set_quant_vector(bias)
        else:
            matmul.set_quant_scalar(scale_word(0.5) | signed)
        matmul.iterate_all(c)

    generator = np.random.default_rng(0)
    a, b = drawn(generator, (32, 64), np.int8), drawn(generator, (64, 48), np.int8)
    c = np.zeros((32, 48), out)

    def types(a: Any, b: Any, c: Any, bias: Any) -> tuple[Any, ...]:
        return kind(a), kind(b), kind(c)

    with session(check=True) as found:
        on_cube[1](
            a, b, c, words, np.zeros(WORKSPACE, np.uint8), tiling_of(32, 48, 64, (16, 32, 32)), types, act
        )  # fmt: skip
    scaled = (a.astype(np.int64) @ b.astype(np.int64)) * (scales if by_vector else np.float32(0.5))
    expected = scaled.astype(np.float16) if out is np.float16 else np.rint(scaled.clip(-256, 255)).clip(-128, 127)
    assert np.array_equal(c, expected)
    assert not kinds_of(found)


def test_without_a_word_a_type_that_needs_one_is_refused() -> None:
    with pytest.raises(ValueError, match="expected set_quant_scalar or set_quant_vector before"):
        run(everything, (32, 32, 32), (32, 32, 32), of=np.int8, out=np.float16, types=lambda a, b, c, bias: (
            kind(a), kind(b), kind(c),
        ))  # fmt: skip


def test_parts_and_tails_have_the_pitches_of_the_whole() -> None:
    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        matmul.set_tail(20, 24)
        matmul.set_tensor_a(a[16 * 64 :])
        matmul.set_tensor_b(b[48:])
        matmul.iterate_all(c[16 * 80 + 48 :])

    found, expected, kinds = run(act, (40, 80, 64), (32, 32, 32))
    assert near(found[16:36, 48:72], expected[16:36, 48:72], 64)
    found[16:36, 48:72] = 0
    assert not found.any()
    assert not kinds


def test_atomic_adds_to_what_is_there() -> None:
    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        for _ in range(2):
            matmul.set_tensor_a(a)
            matmul.set_tensor_b(b)
            matmul.iterate_all(c, en_atomic=1)

    found, expected, _ = run(act, (32, 32, 32), (32, 32, 32))
    assert near(found, 2 * expected, 64)


def test_partial_sums_add_up_in_l0c() -> None:
    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        matmul.set_single_shape(32, 32, 32)
        for part in range(2):
            matmul.set_tensor_a(a[part * 32 :])
            matmul.set_tensor_b(b[part * 32 * 32 :])
            for _ in matmul.iterate(en_partial_sum=part > 0):
                pass
        matmul.get_tensor_c(c)

    found, expected, kinds = run(act, (32, 32, 64), (32, 32, 32))
    assert near(found, expected, 64)
    assert not kinds


def test_two_objects_share_the_cube() -> None:
    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        second = asc.adv.Matmul(matmul.machine.types.a, matmul.machine.types.b, matmul.machine.types.c)
        asc.adv.register_matmul(asc.get_tpipe_ptr(), tensor_of(c.get_phy_addr()), second, matmul._tiling)
        for one, rows in ((matmul, 0), (second, 32)):
            one.set_single_shape(32, 64, 64)
            one.set_tensor_a(a[rows * 64 :])
            one.set_tensor_b(b)
            one.iterate_all(c[rows * 64 :])
            one.end()

    found, expected, kinds = run(act, (64, 64, 64), (32, 32, 32))
    assert near(found, expected, 64)
    assert not kinds


def test_an_operand_may_be_a_number() -> None:
    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        matmul.set_tensor_a(2.0)
        matmul.set_tensor_b(b)
        matmul.iterate_all(c)

    a, b = np.zeros((1, 64), np.float16), np.random.default_rng(0).uniform(-4, 4, (64, 48)).astype(np.float16)
    c = np.zeros((1, 48), np.float32)
    with session(check=True) as found:
        on_cube[1](a, b, c, c[0], np.zeros(WORKSPACE, np.uint8), tiling_of(1, 48, 64, (16, 48, 32)), plain, act)
    assert near(c[0], 2 * b.astype(np.float64).sum(0), 64)
    assert not kinds_of(found)


def test_float32_may_leave_in_narrower_blocks() -> None:
    @asc.jit(matmul_cube_only=True)
    def kernel(
        a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, workspace: asc.GlobalAddress, tiling: Any
    ) -> None:
        config = asc.adv.MatmulConfig(is_enable_channel_split=True)
        matmul = asc.adv.Matmul(kind(a), kind(b), kind(c, format=NZ), matmul_config=config)
        asc.adv.register_matmul(asc.TPipe(), workspace, matmul, tiling)
        everything(matmul, tensor_of(a), tensor_of(b), tensor_of(c), None)

    generator = np.random.default_rng(0)
    a, b = drawn(generator, (64, 32), np.float16), drawn(generator, (32, 48), np.float16)
    c = np.zeros((6, 64, 8), np.float32)
    with session(check=True) as found:
        kernel[1](a, b, c, np.zeros(WORKSPACE, np.uint8), tiling_of(64, 48, 32, (32, 16, 32)))
    assert near(c.swapaxes(0, 1).reshape(64, 48), a.astype(np.float64) @ b.astype(np.float64), 32)
    assert not kinds_of(found)


def test_hf32_drops_the_end_of_the_inputs() -> None:
    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        matmul.set_hf32(True)
        everything(matmul, a, b, c, bias)

    found, expected, _ = run(act, (32, 32, 32), (32, 32, 32), of=np.float32)
    assert not near(found, expected, 32)
    assert np.abs(found - expected).max() <= 32 * 16 * 2.0**-10


@pytest.mark.parametrize("option", ["intra_block_part_sum", "is_partial_output", "enable_mix_dual_master"])
def test_configurations_that_compute_something_else_are_refused(option: str) -> None:
    @asc.jit(matmul_cube_only=True)
    def kernel(a: asc.GlobalAddress, workspace: asc.GlobalAddress) -> None:
        matmul = asc.adv.Matmul(kind(a), kind(a), kind(a), matmul_config=asc.adv.MatmulConfig(**{option: True}))
        asc.adv.register_matmul(asc.TPipe(), workspace, matmul)

    with pytest.raises(NotImplementedError, match=f"MatmulConfig with {option} on Ascend910B1 is not simulated"):
        kernel[1](np.zeros(16, np.float16), np.zeros(16, np.uint8))


def test_another_template_gives_the_same() -> None:
    shape = asc.adv.MatmulShapeParams(basic_m=16, basic_n=32, basic_k=16)
    configs = [
        asc.adv.get_mdl_config(), asc.adv.get_special_mdl_config(), asc.adv.get_ib_share_norm_config(),
        asc.adv.get_basic_config(16, 16, 16), asc.adv.get_special_basic_config(16, 32, 16, 64, 64, 32, 1, 1),
        asc.adv.get_mm_config(asc.MatmulConfigMode.CONFIG_MDL, shape, asc.adv.MatmulFuncParams(iterate_order=1)),
    ]  # fmt: skip
    for config in configs:

        def types(a: Any, b: Any, c: Any, bias: Any, config: Any = config) -> tuple[Any, ...]:
            return kind(a), kind(b), kind(c), kind(bias), config

        found, expected, kinds = run(everything, (64, 64, 32), (32, 32, 32), types=types)
        assert near(found, expected, 32)
        assert not kinds
