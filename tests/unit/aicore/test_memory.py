"""Address spaces: poison, and local memories used by one core after another."""

import numpy as np
import pytest

from cannery.aicore.memory import Arena, Pool, poison
from cannery.soc import soc


def test_fresh_memory_is_nan_and_minus_1() -> None:
    arena = Arena("UB", 1024)
    for dtype in (np.float16, np.float32, np.float64):
        assert np.isnan(arena.array(np.dtype(dtype), 0, 8)).all()
    for integer in (np.int8, np.int16, np.int32, np.int64):
        assert (arena.array(np.dtype(integer), 0, 8) == -1).all()


@pytest.mark.parametrize(("start", "stop"), [(0, 16), (3, 13), (5, 6), (2, 4), (7, 7)])
def test_poison_is_in_phase_with_address_0(start: int, stop: int) -> None:
    whole, part = np.zeros(16, np.uint8), np.zeros(16, np.uint8)
    poison(whole)
    poison(part, start, stop)
    np.testing.assert_array_equal(part[start:stop], whole[start:stop])
    assert not part[:start].any() and not part[stop:].any()


def test_a_local_memory_is_fresh_again_for_the_next_core() -> None:
    pool = Pool(soc("Ascend910B1"), precise=False)
    first = pool.take("UB")
    first.typed(np.dtype(np.float32))[:8] = 1.0
    pool.give([first])
    assert pool.take("L1") is not first
    again = pool.take("UB")
    assert again is first
    assert np.isnan(again.array(np.dtype(np.float32), 0, 8)).all()


def test_the_most_bytes_in_use_are_kept() -> None:
    pool = Pool(soc("Ascend910B1"), precise=False)
    for name, stop in (("UB", 64), ("UB", 32), ("L1", 96)):
        pool.note(name, stop)
    assert pool.used == {"UB": 64, "L1": 96}
