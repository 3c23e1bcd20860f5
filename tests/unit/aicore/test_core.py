"""The core: seeds, and memory while instructions go by."""

import tracemalloc
from typing import Any

import numpy as np

from cannery import asc
from cannery.watch import report, session

CALC = asc.TPosition.VECCALC
N = 64


@asc.jit
def busy(x: asc.GlobalAddress, rounds: asc.ConstExpr[int]) -> None:
    gm = asc.GlobalTensor()
    gm.set_global_buffer(x)
    t = asc.LocalTensor(asc.float32, CALC, 0, N)
    for _ in range(rounds):
        asc.data_copy(t, gm, N)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.adds(t, t, 1.0, N)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(gm, t, N)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)


def peak(rounds: int) -> int:
    x = np.zeros(N, np.float32)
    tracemalloc.start()
    with session(check=True) as found:
        busy[1](x, rounds)
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.findings() == [] and (x == rounds).all()
    return size


def test_memory_does_not_grow_with_instructions() -> None:
    peak(10)
    assert peak(2000) < peak(200) + 100_000


@asc.jit
def racing(x: asc.GlobalAddress, z: asc.GlobalAddress) -> None:
    x_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm.set_global_buffer(z)
    t = asc.LocalTensor(asc.float32, CALC, 0, N)
    for tile in range(4):
        asc.data_copy(t, x_gm[tile * N :], N)
        asc.adds(t, t, 1.0, N)
        asc.data_copy(z_gm[tile * N :], t, N)


def outcome(seed: int) -> tuple[bytes, Any]:
    x, z = np.arange(4 * N, dtype=np.float32), np.zeros(4 * N, np.float32)
    with session(check=True, seed=seed) as found:
        racing[2](x, z)
    return z.tobytes(), report.as_json(found)


def test_one_seed_one_outcome() -> None:
    assert all(outcome(seed) == outcome(seed) for seed in (0, 1, 7))


def test_seeds_draw_different_orders() -> None:
    assert len({outcome(seed)[0] for seed in range(12)}) > 1


def test_checks_change_nothing_about_the_data() -> None:
    for seed in (0, 3):
        x, z = np.arange(4 * N, dtype=np.float32), np.zeros(4 * N, np.float32)
        with session(seed=seed):
            racing[2](x, z)
        assert z.tobytes() == outcome(seed)[0]
