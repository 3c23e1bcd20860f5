"""Batches of products, in every layout."""

from typing import Any

import numpy as np
import pytest

from cannery import asc
from cannery.watch import session

from .products import WORKSPACE, P, drawn, kind, kinds_of, near, tensor_of, tiling_of

L = asc.LayoutMode


@asc.jit
def batch(
    a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, bias: asc.GlobalAddress,
    workspace: asc.GlobalAddress, tiling: Any, types: asc.ConstExpr[Any], numbers: asc.ConstExpr[Any],
    turned: asc.ConstExpr[bool],
) -> None:  # fmt: skip
    pipe = asc.TPipe()
    matmul = asc.adv.Matmul(*types(a, b, c, bias))
    asc.adv.register_matmul(pipe, workspace, matmul, tiling)
    if asc.get_block_idx() == 0:
        matmul.set_tensor_a(tensor_of(a))
        matmul.set_tensor_b(tensor_of(b), turned)
        if tiling.is_bias:
            matmul.set_bias(tensor_of(bias))
        matmul.iterate_batch(tensor_of(c), numbers[0], numbers[1], False)
        matmul.end()


def launch(a: Any, b: Any, c: Any, bias: Any, tiling: Any, types: Any, numbers: Any, *, turned: bool = False) -> None:
    with session(check=True) as found:
        batch[1](a, b, c, bias, np.zeros(WORKSPACE, np.uint8), tiling, types, numbers, turned)
    assert not kinds_of(found)


@pytest.mark.parametrize("numbers", [(3, 3), (4, 2), (1, 3)])
@pytest.mark.parametrize("has_bias", [0, 1])
def test_matrices_one_behind_the_other(numbers: tuple[int, int], has_bias: int) -> None:
    def types(a: Any, b: Any, c: Any, bias: Any) -> tuple[Any, ...]:
        return kind(a, layout=L.NORMAL), kind(b, layout=L.NORMAL), kind(c, layout=L.NORMAL), kind(bias)

    m, n, k, many = 32, 48, 64, max(numbers)
    generator = np.random.default_rng(0)
    a, b = drawn(generator, (numbers[0], m, k), np.float16), drawn(generator, (numbers[1], k, n), np.float16)
    bias, c = drawn(generator, (many, n), np.float32), np.zeros((many, m, n), np.float32)
    launch(a, b, c, bias, tiling_of(m, n, k, (16, 48, 32), is_bias=has_bias), types, numbers)
    wide = [np.repeat(x.astype(np.float64), many // len(x), axis=0) for x in (a, b)]
    assert near(c, wide[0] @ wide[1] + has_bias * bias[:, None], k)


@pytest.mark.parametrize("layout", [L.BSNGD, L.SBNGD])
def test_heads_side_by_side(layout: Any) -> None:
    """Q · Kᵀ of one sequence: A is [B, S1, N, G, D] or [S1, B, N, G, D], C is [B, N, G, S1, S2]."""

    def types(a: Any, b: Any, c: Any, bias: Any) -> tuple[Any, ...]:
        return kind(a, layout=layout), kind(b, layout=layout, is_trans=True), kind(c, layout=L.BNGS1S2), kind(bias)

    rows, columns, heads, depth = 32, 48, 3, 64
    generator = np.random.default_rng(0)
    q, k = (drawn(generator, (length, heads, depth), np.float16) for length in (rows, columns))
    c = np.zeros((heads, rows, columns), np.float32)
    dims = {
        f"{operand}_layout_info_{name}": size
        for operand, names, sizes in (
            ("a", ("b", "s", "n", "g", "d"), (1, rows, heads, 1, depth)),
            ("b", ("b", "s", "n", "g", "d"), (1, columns, heads, 1, depth)),
            ("c", ("b", "s1", "n", "g", "s2"), (1, rows, heads, 1, columns)),
        )
        for name, size in zip(names, sizes, strict=True)
    }  # fmt: skip
    tiling = tiling_of(rows, columns, depth, (32, 48, 64), **dims)
    launch(q, k, c, np.zeros(columns, np.float32), tiling, types, (heads, heads), turned=True)
    assert near(c, np.einsum("snd,tnd->nst", q.astype(np.float64), k.astype(np.float64)), depth)


def test_numbers_that_are_no_multiples_are_refused() -> None:
    def types(a: Any, b: Any, c: Any, bias: Any) -> tuple[Any, ...]:
        return kind(a, layout=L.NORMAL), kind(b, layout=L.NORMAL), kind(c, layout=L.NORMAL), kind(bias)

    x, c = np.zeros((3, 32, 32), np.float16), np.zeros((3, 32, 32), np.float32)
    with pytest.raises(ValueError, match="found batch_a 3 and batch_b 2, expected multiples"):
        launch(x, x, c, c[0, 0], tiling_of(32, 32, 32, (32, 32, 32)), types, (3, 2))


def test_a_type_without_a_layout_is_refused() -> None:
    def types(a: Any, b: Any, c: Any, bias: Any) -> tuple[Any, ...]:
        return kind(a), kind(b), kind(c, P.GM), kind(bias)

    x, c = np.zeros((2, 32, 32), np.float16), np.zeros((2, 32, 32), np.float32)
    with pytest.raises(ValueError, match=r"LayoutMode\.NONE, expected a layout of batches"):
        launch(x, x, c, c[0, 0], tiling_of(32, 32, 32, (32, 32, 32)), types, (2, 2))


@asc.jit
def rounds(
    a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, cache: asc.GlobalAddress,
    workspace: asc.GlobalAddress, tiling: Any, how: asc.ConstExpr[str],
) -> None:  # fmt: skip
    """Three batches of two products, taken one batch at a time, or all at once."""
    pipe = asc.TPipe()
    buffer = asc.TBuf(P.VECCALC)
    pipe.init_buffer(buf=buffer, num=2 * 32 * 32 * 4)
    types = [kind(x, layout=L.NORMAL) for x in (a, b, c)]
    matmul = asc.adv.Matmul(*types, matmul_config=asc.adv.get_normal_config(batch_loop=True))
    asc.adv.register_matmul(pipe, workspace, matmul, tiling)
    if asc.get_block_idx() == 0:
        matmul.set_workspace(tensor_of(cache))
        matmul.set_tensor_a(tensor_of(a))
        matmul.set_tensor_b(tensor_of(b))
        matmul.iterate_n_batch(3, 2, 2, False, sync=how == "at once")
        result, local = tensor_of(c), buffer.get(c.dtype, 2 * 32 * 32)
        for at in range(3):
            if how == "copied":
                matmul.get_batch_tensor_c(local, 2, 2)
            else:
                found = tensor_of(cache)[at * 2 * 32 * 32 :] if how == "at once" else matmul.get_batch_tensor_c(2, 2)
                asc.data_copy(local, found, 2 * 32 * 32)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
            asc.data_copy(result[at * 2 * 32 * 32 :], local, 2 * 32 * 32)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)


@pytest.mark.parametrize("how", ["at once", "copied", "address"])
def test_several_batches_one_behind_the_other(how: str) -> None:
    generator = np.random.default_rng(0)
    a, b = (drawn(generator, (6, 32, 32), np.float16) for _ in range(2))
    c, cache = (np.zeros((6, 32, 32), np.float32) for _ in range(2))
    with session(check=True) as found:
        rounds[1](a, b, c, cache, np.zeros(WORKSPACE, np.uint8), tiling_of(32, 32, 32, (32, 32, 32)), how)
    assert near(c, a.astype(np.float64) @ b.astype(np.float64), 32)
    assert not kinds_of(found)
