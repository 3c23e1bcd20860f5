"""Blocks that are computed in the background, and taken later."""

from typing import Any

import numpy as np
import pytest

from cannery import asc
from cannery.watch import session

from .products import WORKSPACE, P, drawn, kind, kinds_of, near, tensor_of, tiling_of

SIDE = 32


@asc.jit
def taken(
    a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, cache: asc.GlobalAddress,
    workspace: asc.GlobalAddress, tiling: Any, how: asc.ConstExpr[str], waits: asc.ConstExpr[bool],
) -> None:  # fmt: skip
    """C, one block behind the other, plus 1."""
    pipe = asc.TPipe()
    buffer = asc.TBuf(P.VECCALC)
    pipe.init_buffer(buf=buffer, num=SIDE * SIDE * 4)
    matmul = asc.adv.Matmul(kind(a), kind(b), kind(c, P.VECIN))
    asc.adv.register_matmul(pipe, workspace, matmul, tiling)
    if asc.get_block_idx() == 0:
        matmul.set_workspace(tensor_of(cache))
        matmul.set_tensor_a(tensor_of(a))
        matmul.set_tensor_b(tensor_of(b))
        result = tensor_of(c)
        local = buffer.get(c.dtype, SIDE * SIDE)
        with matmul.iterate(sync=False) as count:
            if how == "get":
                matmul.get_tensor_c(local, sync=False)
            elif how == "async":
                matmul.async_get_tensor_c(local)
            else:
                asc.data_copy(local, matmul.get_tensor_c(sync=False), SIDE * SIDE)
            if waits:
                matmul.wait_get_tensor_c()
            asc.adds(local, local, 1.0, count=SIDE * SIDE)
            asc.set_flag(asc.HardEvent.V_MTE3, 0)
            asc.wait_flag(asc.HardEvent.V_MTE3, 0)
            asc.data_copy(result[count * SIDE * SIDE :], local, SIDE * SIDE)
            asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
            asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)
        matmul.end()


def blocks_of(m: int, n: int, how: str, *, waits: bool) -> tuple[Any, Any, set[str]]:
    generator = np.random.default_rng(0)
    a, b = drawn(generator, (m, SIDE), np.float16), drawn(generator, (SIDE, n), np.float16)
    rows, columns = m // SIDE, n // SIDE
    c, cache = (np.zeros((columns, rows, SIDE, SIDE), np.float32) for _ in range(2))
    tiling = tiling_of(m, n, SIDE, (SIDE, SIDE, SIDE))
    with session(check=True) as found:
        taken[1](a, b, c, cache, np.zeros(WORKSPACE, np.uint8), tiling, how, waits)
    return c.transpose(1, 2, 0, 3).reshape(m, n), a.astype(np.float64) @ b.astype(np.float64) + 1, kinds_of(found)


@pytest.mark.parametrize("how", ["get", "async", "address"])
@pytest.mark.parametrize("blocks", [(1, 1), (2, 3), (4, 5)])
def test_every_way_to_take_a_block(how: str, blocks: tuple[int, int]) -> None:
    found, expected, kinds = blocks_of(blocks[0] * SIDE, blocks[1] * SIDE, how, waits=True)
    assert near(found, expected, SIDE)
    assert not kinds


@pytest.mark.parametrize("how", ["get", "async", "address"])
def test_a_block_used_before_it_is_there_is_found(how: str) -> None:
    _, _, kinds = blocks_of(SIDE, 2 * SIDE, how, waits=False)
    assert "RAW" in kinds
