"""The core: seeds, memory while instructions go by, poison, the schedule of cores."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

from cannery import asc
from cannery.aicore.memory import Arena, poison
from cannery.aicore.schedule import Schedule
from cannery.watch import report, session

CALC = asc.TPosition.VECCALC
N = 64


def test_fresh_memory_is_nan_and_large() -> None:
    arena = Arena("UB", 1024)
    for dtype in (np.float16, np.float32, np.float64):
        assert np.isnan(arena.array(np.dtype(dtype), 0, 8)).all()
    assert (arena.array(np.dtype(np.int32), 0, 8) == np.iinfo(np.int32).max).all()


@pytest.mark.parametrize(("start", "stop"), [(0, 16), (3, 13), (5, 6), (2, 4), (7, 7)])
def test_poison_is_in_phase_with_address_0(start: int, stop: int) -> None:
    whole, part = np.zeros(16, np.uint8), np.zeros(16, np.uint8)
    poison(whole)
    poison(part, start, stop)
    np.testing.assert_array_equal(part[start:stop], whole[start:stop])
    assert not part[:start].any() and not part[stop:].any()


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


def test_cores_run_in_turn_and_meet() -> None:
    seen: list[str] = []
    arrived: set[int] = set()

    def body(index: int) -> None:
        seen.append(f"begin {index}")
        arrived.add(index)
        schedule.block(index, lambda: len(arrived) == 3, lambda: RuntimeError("never"))
        seen.append(f"end {index}")

    schedule = Schedule([0, 1, 2], body, 3)
    schedule.run()
    assert seen[:3] == ["begin 0", "begin 1", "begin 2"]
    assert sorted(seen[3:]) == ["end 0", "end 1", "end 2"]


def test_a_failing_core_unwinds_the_waiting_ones() -> None:
    seen: list[str] = []

    def body(index: int) -> None:
        if index == 2:
            raise KeyError("mine")
        try:
            schedule.block(index, bool, lambda: RuntimeError("never"))
        finally:
            seen.append(f"unwound {index}")

    schedule = Schedule([0, 1, 2, 3], body, 4)
    with pytest.raises(KeyError, match="mine"):
        schedule.run()
    assert sorted(seen) == ["unwound 0", "unwound 1"]


def test_nobody_left_to_wait_for_is_the_waiting_cores_own_error() -> None:
    def body(index: int) -> None:
        schedule.block(index, bool, lambda: RuntimeError(f"core {index} waits for nothing"))

    schedule = Schedule([0, 1], body, 2)
    with pytest.raises(RuntimeError, match="core 0 waits"):
        schedule.run()
