"""Runners: types, pool, change detection, tiling caches; the counters show the work saved."""

import gc
from typing import Any

import pytest
import torch

from cannery import OperatorError, atb, find_operator
from cannery.atb.counters import Counters, Tally
from cannery.atb.kernel_cache import GLOBAL_COUNT, LOCAL_COUNT, capacity, forget_global_caches
from cannery.atb.ops_runner import OpsRunner
from cannery.atb.params import param_classes
from cannery.atb.pool import SLOT_COUNT
from cannery.operator import staged

from .conftest import LIMIT, Unpad, param


def test_a_type_of_runner_is_registered_once_and_numbers_are_not_wasted() -> None:
    register = atb.RunnerTypeRegister()
    assert [register.register(name) for name in ("A", "A", "B")] == [True, False, True]
    assert [register.index(name) for name in ("A", "B", "C")] == [0, 1, -1]
    assert len(atb.RunnerTypeRegister.default()) == len(param_classes())


def test_setup_of_an_equal_call_replays_the_last_one(unpad: Unpad) -> None:
    for _ in range(5):
        unpad.run()
    assert unpad.context.counters == Counters(constructed=1, rebuilt=1, replayed=4, tilings=1)


def test_a_runner_given_back_is_taken_again_warm(unpad: Unpad) -> None:
    for _ in range(5):
        operation = atb.CreateOperation(param())
        operation.Setup(unpad.pack, unpad.context)
        atb.DestroyOperation(operation)
    assert unpad.context.counters == Counters(constructed=1, reused=4, rebuilt=1, replayed=4, tilings=1)


def test_without_reuse_the_same_work_is_done_again(unpad: Unpad) -> None:
    held = [atb.CreateOperation(param()) for _ in range(5)]
    for operation in held:
        operation.Setup(unpad.pack, unpad.context)
    found = unpad.context.counters
    assert (found.constructed, found.rebuilt, found.replayed) == (5, 5, 0)


def test_an_operation_that_is_forgotten_gives_its_runner_back(unpad: Unpad) -> None:
    atb.CreateOperation(param()).Setup(unpad.pack, unpad.context)
    gc.collect()
    atb.CreateOperation(param()).Setup(unpad.pack, unpad.context)
    assert unpad.context.counters.reused == 1


def test_another_parameter_rebuilds_and_an_equal_one_does_not(unpad: Unpad) -> None:
    unpad.run()
    for lengths in ([3, 5], [4, 4], [4, 4]):
        atb.UpdateOperationParam(unpad.operation, param(lengths))
        unpad.run()
    found = unpad.context.counters
    assert (found.params_changed, found.rebuilt, found.replayed) == (1, 2, 2)


def test_other_descriptors_rebuild(unpad: Unpad) -> None:
    unpad.run()
    x = torch.zeros(2, LIMIT, 6).half()
    pack = atb.VariantPack([atb.Tensor.of(x)], [atb.Tensor.of(torch.zeros(8, 6).half())])
    unpad.operation.Setup(pack, unpad.context)
    assert (unpad.context.counters.rebuilt, unpad.context.counters.tilings) == (2, 2)


def test_a_setup_that_fails_is_not_replayed(unpad: Unpad) -> None:
    unpad.run()
    bad = atb.VariantPack(unpad.pack.inTensors, [atb.Tensor.of(torch.zeros(9, 4).half())])
    with pytest.raises(OperatorError, match="output"):
        unpad.operation.Setup(bad, unpad.context)
    unpad.run()
    assert unpad.context.counters.rebuilt == 2


def test_a_pool_has_64_slots_and_what_comes_after_has_no_pool(unpad: Unpad) -> None:
    held = [atb.CreateOperation(param()) for _ in range(SLOT_COUNT + 2)]
    for operation in held:
        operation.Setup(unpad.pack, unpad.context)
    found = unpad.context.counters
    assert (found.constructed, found.unpooled) == (SLOT_COUNT, 2)
    assert unpad.context.pool(find_operator("UnpadWithHiddenState")).used == SLOT_COUNT
    for operation in held:
        atb.DestroyOperation(operation)
    assert unpad.context.pool(find_operator("UnpadWithHiddenState")).used == 0


def test_an_operation_without_a_pool_makes_its_runner_each_time(unpad: Unpad) -> None:
    tensors = [torch.ones(2, 3), torch.ones(2, 3), torch.ones(2), torch.ones(3)]
    outputs = [torch.zeros(2, 3), torch.zeros(3)]
    pack = atb.VariantPack([atb.Tensor.of(t) for t in tensors], [atb.Tensor.of(t) for t in outputs])
    for _ in range(2):
        atb.CreateOperation(atb.RmsNormBackwardParam()).Setup(pack, unpad.context)
    assert (unpad.context.counters.unpooled, unpad.context.counters.constructed) == (2, 0)


def test_a_new_context_finds_the_tiling_in_the_threads_cache(unpad: Unpad) -> None:
    unpad.run()
    context = atb.CreateContext()
    atb.CreateOperation(param()).Setup(unpad.pack, context)
    assert (context.counters.tilings, context.counters.global_hits) == (0, 1)


@pytest.mark.parametrize(("size", "hits"), [("1", 0), ("2", 2), ("0", 0), ("nonsense", 0), ("5000", 2)])
def test_the_runners_cache_holds_as_many_tilings_as_the_environment_says(
    unpad: Unpad, monkeypatch: pytest.MonkeyPatch, size: str, hits: int
) -> None:
    monkeypatch.setenv(LOCAL_COUNT, size)
    forget_global_caches()
    for lengths in ([3, 5], [4, 4], [3, 5], [4, 4]):
        atb.UpdateOperationParam(unpad.operation, param(lengths))
        unpad.run()
    assert unpad.context.counters.local_hits == hits


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 1),
        ("0", 1),
        ("-3", 1),
        ("7", 7),
        ("0000000007", 7),
        ("1024", 1024),
        ("1025", 1024),
        ("9" * 5000, 1024),
        ("x", 1),
        ("1e3", 1),
        ("\u0667", 1),
    ],
)
def test_capacities_are_clamped(text: str, expected: int) -> None:
    assert capacity(GLOBAL_COUNT, {GLOBAL_COUNT: text}) == expected
    assert capacity(LOCAL_COUNT, {}) == 1


def test_another_way_of_launching_is_a_miss(unpad: Unpad) -> None:
    unpad.run()
    unpad.context.SetLaunchMode(atb.LaunchMode.GRAPH_LAUNCH_MODE)
    atb.CreateOperation(param()).Setup(unpad.pack, unpad.context)
    assert (unpad.context.counters.tilings, unpad.context.counters.global_hits) == (2, 0)


def test_a_runner_that_is_not_registered_is_an_exception_that_setup_does_not_expect(unpad: Unpad) -> None:
    context = atb.Context(runner_types=atb.RunnerTypeRegister())
    with pytest.raises(OperatorError, match="LookupError: UnpadWithHiddenStateOpsRunner") as caught:
        unpad.operation.Setup(unpad.pack, context)
    assert caught.value.code.name == "ERROR_OUT_OF_HOST_MEMORY"
    with pytest.raises(OperatorError, match="ERROR_INVALID_IN_TENSOR_NUM"):
        unpad.operation.Setup(atb.VariantPack(), context)


def test_a_kernel_graph_has_one_node_with_all_tensors_and_its_sizes() -> None:
    operator = find_operator("PadWithHiddenState")
    x, out = torch.zeros(8, 4).half(), torch.zeros(2, LIMIT, 4).half()
    bound = staged.bind(operator, [atb.Tensor.of(x).desc], {"qSeqLen": [3, 5], "maxSeqLen": LIMIT})
    call = bound.with_outputs([atb.Tensor.of(out).desc])
    plan = OpsRunner(operator, bound, Tally()).setup(call, True)
    (node,) = plan.graph.nodes
    assert (node.operation, node.in_tensors, node.out_tensors) == ("PadWithHiddenStateOperation", (0,), (1,))
    assert plan.graph.internal_tensors == ()
    kernel: Any = plan.kernels[0]
    assert (kernel.name, kernel.tiling_size(plan.calls[0].tiling)) == ("PadWithHiddenStateKernel", 1184)
    assert (plan.tiling_size, plan.workspace_size) == (1536, 0)
    assert kernel.can_support(call)
    assert not kernel.can_support(bound)
