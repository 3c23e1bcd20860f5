"""What goes wrong around a Matmul object is found at the user's line; the twin without the fault is silent."""

from typing import Any

import numpy as np
import pytest

from cannery import asc
from cannery.aicore import DeadlockError
from cannery.watch import session

from .products import (
    WORKSPACE,
    P,
    everything,
    kind,
    kinds_of,
    mixed,
    on_cube,
    run,
    staged,
    tiling_of,
    to_ub,
)

BASE = (32, 32, 32)
SHAPE = (64, 32, 64)


def from_ub(a: Any, b: Any, c: Any, bias: Any) -> tuple[Any, ...]:
    return kind(a, P.VECIN), kind(b), kind(c), kind(bias)


@pytest.mark.parametrize("too_early", [True, False])
def test_a_in_ub_overwritten_while_it_is_copied(too_early: bool) -> None:
    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        local = staged(a, 64 * 64)
        matmul.set_tensor_a(local)
        matmul.set_tensor_b(b)
        if too_early:
            asc.duplicate(local, 0.0, 64 * 64)
        matmul.iterate_all(c)
        if not too_early:
            asc.duplicate(local, 0.0, 64 * 64)
        matmul.end()

    _, _, kinds = run(act, SHAPE, BASE, kernel=mixed, types=from_ub)
    assert kinds == ({"WAR"} if too_early else set())


@pytest.mark.parametrize("too_early", [True, False])
def test_c_in_global_memory_read_before_the_end(too_early: bool) -> None:
    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        matmul.set_tensor_a(a)
        matmul.set_tensor_b(b)
        matmul.iterate_all(c, sync=False, wait_iterate_all=True)
        if too_early:
            staged(c, 64 * 32)
        matmul.wait_iterate_all()
        if not too_early:
            staged(c, 64 * 32)

    _, _, kinds = run(act, SHAPE, BASE, kernel=mixed)
    assert kinds == ({"CROSS_CORE"} if too_early else set())


@pytest.mark.parametrize("too_early", [True, False])
def test_a_in_global_memory_overwritten_before_the_end(too_early: bool) -> None:
    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        zeros = staged(b, 64 * 32)
        matmul.set_tensor_a(a)
        matmul.set_tensor_b(b)
        matmul.iterate_all(c, sync=False, wait_iterate_all=True)
        if not too_early:
            matmul.wait_iterate_all()
        asc.data_copy(a, zeros, 64 * 32)
        if too_early:
            matmul.wait_iterate_all()

    _, _, kinds = run(act, SHAPE, BASE, kernel=mixed)
    assert kinds == ({"CROSS_CORE"} if too_early else set())


@pytest.mark.parametrize("waits", [True, False])
def test_a_background_job_that_nobody_waits_for(waits: bool) -> None:
    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        matmul.set_tensor_a(a)
        matmul.set_tensor_b(b)
        matmul.iterate_all(c, sync=False, wait_iterate_all=True)
        if waits:
            matmul.wait_iterate_all()

    _, _, kinds = run(act, SHAPE, BASE, kernel=mixed)
    assert kinds == (set() if waits else {"UNPAIRED_FLAG"})


def test_a_wait_for_what_nobody_tells_is_a_deadlock() -> None:
    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        matmul.set_tensor_a(a)
        matmul.set_tensor_b(b)
        matmul.iterate_all(c, sync=False)
        matmul.wait_iterate_all()

    with pytest.raises(DeadlockError, match=r"matmul\.wait_iterate_all"):
        run(act, SHAPE, BASE, kernel=mixed)


def test_a_workspace_that_is_too_small() -> None:
    _, _, kinds = run(everything, SHAPE, BASE, kernel=mixed, workspace=1 << 16)
    assert kinds == {"OOB"}
    _, _, kinds = run(everything, SHAPE, BASE, kernel=mixed, workspace=1 << 20)
    assert not kinds


@pytest.mark.parametrize("size", [1 << 20, 2 << 20])
def test_what_goes_to_ub_needs_a_larger_workspace(size: int) -> None:
    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        matmul.set_tensor_a(a)
        matmul.set_tensor_b(b)
        local = staged(c, 32 * 32)
        for _ in matmul.iterate():
            matmul.get_tensor_c(local, en_sequential_write=True)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        matmul.end()

    _, _, kinds = run(act, SHAPE, BASE, kernel=mixed, types=to_ub, workspace=size)
    assert kinds == (set() if size > 1 << 20 else {"OOB"})


@pytest.mark.parametrize("base", [(256, 256, 128), (128, 256, 64)])
def test_blocks_that_are_too_large_for_l0(base: tuple[int, int, int]) -> None:
    _, _, kinds = run(everything, (256, 256, 128), base)
    assert kinds == ({"UB_OVERFLOW"} if base[0] == 256 else set())


def test_a_part_that_is_larger_than_the_arrays() -> None:
    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        matmul.set_single_shape(128, 32, 64)
        everything(matmul, a, b, c, bias)

    _, _, kinds = run(act, SHAPE, BASE)
    assert kinds == {"OOB"}


def test_a_block_that_is_not_there_where_it_is_added_to() -> None:
    def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
        matmul.set_tensor_a(a)
        matmul.set_tensor_b(b)
        for _ in matmul.iterate(en_partial_sum=True):
            matmul.get_tensor_c(c)

    _, _, kinds = run(act, (32, 32, 32), BASE)
    assert kinds == {"UNINITIALIZED"}


@pytest.mark.parametrize("cores", [1, 2])
def test_cores_that_compute_the_same_part_race(cores: int) -> None:
    a, b, c = np.ones((32, 32), np.float16), np.ones((32, 32), np.float16), np.zeros((32, 32), np.float32)

    def types(a: Any, b: Any, c: Any, bias: Any) -> tuple[Any, ...]:
        return kind(a), kind(b), kind(c)

    with session(check=True) as found:
        on_cube[cores](a, b, c, c, np.zeros(WORKSPACE, np.uint8), tiling_of(32, 32, 32, BASE), types, everything)
    assert kinds_of(found) == ({"CROSS_CORE"} if cores > 1 else set())
