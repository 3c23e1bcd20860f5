"""Waits that do not say of which mode they are, and turns that are passed on ahead."""

import numpy as np
import pytest

from cannery import asc
from cannery.aicore import DeadlockError
from cannery.aicore.pipes import MTE3
from cannery.asc.context import here, running
from cannery.asc.runtime import config

FLAG = 3


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_a_wait_without_a_mode_takes_that_of_the_sets(mode: int) -> None:
    passed: list[int] = []

    @asc.jit(kernel_type=config.KernelType.MIX_AIC_1_2)
    def kernel() -> None:
        core = running()
        if mode != 2 or core.kind == "aic":
            core.peers.set_flag(core, FLAG, mode, MTE3, here())
        if core.kind == "aiv":
            core.peers.wait_flag(core, FLAG, None, here())
            passed.append(core.sub_block)

    kernel[1]()
    assert sorted(passed) == [0, 1]


def test_a_wait_that_nobody_answers_is_a_deadlock() -> None:
    @asc.jit
    def kernel() -> None:
        running().peers.wait_flag(running(), FLAG, None, here())

    with pytest.raises(DeadlockError):
        kernel[1]()


def test_turns_that_are_passed_on_ahead_are_all_kept() -> None:
    order: list[tuple[int, int]] = []

    @asc.jit
    def kernel(address: asc.GlobalAddress) -> None:
        flags = asc.GlobalTensor()
        flags.set_global_buffer(address)
        room = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 256)
        for turn in range(3):
            asc.wait_pre_block(flags, room)
            order.append((turn, int(asc.get_block_idx())))
            asc.notify_next_block(flags, room)

    kernel[4](np.zeros(64, np.int32))
    assert sorted(order) == [(turn, block) for turn in range(3) for block in range(4)]
    for turn in range(3):
        assert [block for when, block in order if when == turn] == [0, 1, 2, 3]
