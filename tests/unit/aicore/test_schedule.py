"""The schedule of cores: in turn, handing over when one waits."""

import pytest

from cannery.aicore.schedule import Schedule


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
