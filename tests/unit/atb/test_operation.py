"""Operations step by step: what each step checks, in which order, and what it leaves."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch

from cannery import OperatorError, Shape, atb
from cannery.atb.types import byte_size
from cannery.runtime import RuntimeFault, Stream, process

from .conftest import HIDDEN, LIMIT, Unpad, param


def fault(call: Any) -> tuple[str, str, str]:
    with pytest.raises(OperatorError) as caught:
        call()
    return caught.value.stage.letter, caught.value.parameter, caught.value.code.name


PARAM = "ERROR_INVALID_PARAM"


def test_setup_and_execute_move_the_rows_when_the_stream_is_synchronised(unpad: Unpad) -> None:
    size = unpad.operation.Setup(unpad.pack, unpad.context)
    assert (size, unpad.operation.Execute(unpad.pack, None, size, unpad.context)) == (0, 0)
    assert unpad.out.isnan().all()
    unpad.stream.synchronize()
    assert torch.equal(unpad.out, unpad.expected)


def test_names_and_numbers(unpad: Unpad) -> None:
    operation = unpad.operation
    assert operation.GetName() == "UnpadWithHiddenStateOperation"
    assert (operation.GetInputNum(), operation.GetOutputNum()) == (1, 1)
    assert [desc.shape for desc in operation.InferShape([unpad.pack.inTensors[0].desc])] == [Shape((8, HIDDEN))]


def test_an_operation_is_made_of_a_parameter_only() -> None:
    assert fault(lambda: atb.CreateOperation(None)) == ("C", "param", PARAM)
    assert fault(lambda: atb.CreateOperation({"qSeqLen": [1]})) == ("C", "param", PARAM)
    assert fault(lambda: atb.CreateOperation(param(["1"]))) == ("C", "qSeqLen", PARAM)  # type: ignore[list-item]
    assert fault(lambda: atb.CreateOperation(param(), soc="Ascend310P")) == ("C", "soc", PARAM)


def test_the_chip_is_the_environments_when_the_call_names_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANNERY_SOC", "Ascend950")
    assert fault(lambda: atb.CreateOperation(param())) == ("C", "soc", PARAM)
    atb.CreateOperation(param(), soc="Ascend910B")


def test_reserved_bytes_are_checked_at_creation_and_not_at_an_update(unpad: Unpad) -> None:
    assert fault(lambda: atb.CreateOperation(param(rsv=[1]))) == ("C", "rsv", PARAM)
    assert atb.UpdateOperationParam(unpad.operation, param([2, 5], rsv=[1])) == 0
    assert unpad.operation.param == param([2, 5])


def test_a_clone_is_a_copy(unpad: Unpad) -> None:
    copy = atb.CloneOperationParam(unpad.operation, atb.UnpadWithHiddenStateParam)
    assert copy == param()
    copy.qSeqLen[0] = 1
    assert unpad.operation.param == param()


def test_what_cannot_be_cloned_or_updated_is_refused(unpad: Unpad) -> None:
    other, graph = atb.PadWithHiddenStateParam, atb.GraphParam("g", 1, 1, 0, [atb.Node(unpad.operation, [0], [1])])
    assert fault(lambda: atb.CloneOperationParam(None, other)) == ("C", "operation", PARAM)
    wrongs: tuple[Any, ...] = (other, None, param())
    for wrong in wrongs:
        assert fault(partial(atb.CloneOperationParam, unpad.operation, wrong)) == ("C", "param", PARAM)
    assert fault(lambda: atb.UpdateOperationParam(None, param())) == ("C", "operation", PARAM)
    assert fault(lambda: atb.UpdateOperationParam(unpad.operation, None)) == ("C", "param", PARAM)
    assert fault(lambda: atb.UpdateOperationParam(unpad.operation, other([1]))) == ("C", "param", PARAM)
    assert fault(lambda: atb.UpdateOperationParam(unpad.operation, param([9]))) == ("C", "qSeqLen[0]", PARAM)
    assert fault(lambda: atb.UpdateOperationParam(atb.CreateOperation(graph), param())) == ("C", "operation", PARAM)
    fixed = atb.CreateOperation(atb.RmsNormBackwardParam())
    assert fault(lambda: atb.UpdateOperationParam(fixed, atb.RmsNormBackwardParam())) == ("C", "operation", PARAM)
    assert fault(lambda: atb.CloneOperationParam(fixed, atb.RmsNormBackwardParam)) == ("C", "operation", PARAM)


def test_an_update_with_an_equal_parameter_changes_nothing(unpad: Unpad) -> None:
    unpad.operation.Setup(unpad.pack, unpad.context)
    atb.UpdateOperationParam(unpad.operation, param())
    assert unpad.operation.Execute(unpad.pack, None, 0, unpad.context) == 0


def test_an_update_drops_the_runner_so_setup_has_to_come_first(unpad: Unpad) -> None:
    unpad.operation.Setup(unpad.pack, unpad.context)
    atb.UpdateOperationParam(unpad.operation, param([4, 4]))
    execute = lambda: unpad.operation.Execute(unpad.pack, None, 0, unpad.context)  # noqa: E731
    assert fault(execute) == ("E", "runner", "ERROR_OPERATION_NULL_RUNNER")
    assert torch.equal(unpad.run(), torch.cat([unpad.x[0, :4], unpad.x[1, :4]]))


def test_setup_wants_a_living_context_before_it_looks_at_tensors(unpad: Unpad) -> None:
    nothing = atb.VariantPack()
    assert fault(lambda: unpad.operation.Setup(nothing, None)) == ("S", "context", PARAM)
    assert fault(lambda: unpad.operation.Setup(nothing, object())) == ("S", "context", PARAM)
    atb.DestroyContext(unpad.context)
    assert fault(lambda: unpad.operation.Setup(nothing, unpad.context)) == ("S", "context", PARAM)


def test_setup_counts_inputs_and_outputs_with_the_same_code(unpad: Unpad) -> None:
    for inputs, outputs in (([], unpad.pack.outTensors), (unpad.pack.inTensors, []), (unpad.pack.inTensors * 2, [])):
        pack = atb.VariantPack(inputs, outputs)
        expected = "ERROR_INVALID_IN_TENSOR_NUM"
        assert fault(lambda pack=pack: unpad.operation.Setup(pack, unpad.context))[2] == expected


EXECUTE = [
    ("Setup", lambda u: setattr(u.operation, "_state", None)),
    ("stream", lambda u: u.context.SetExecuteStream(None)),
    ("workspaceSize", lambda u: None),
    ("outTensors", lambda u: u.pack.outTensors.clear()),
    ("inTensors[0]", lambda u: u.pack.inTensors.__setitem__(0, replace(u.pack.inTensors[0], dataSize=2))),
    ("outTensors[0]", lambda u: u.pack.outTensors.__setitem__(0, replace(u.pack.outTensors[0], deviceData=None))),
]


@pytest.mark.parametrize(("culprit", "spoil"), EXECUTE)
def test_execute_checks_what_setup_left(unpad: Unpad, culprit: str, spoil: Any) -> None:
    unpad.operation.Setup(unpad.pack, unpad.context)
    spoil(unpad)
    size = -1 if culprit == "workspaceSize" else 0
    assert fault(lambda: unpad.operation.Execute(unpad.pack, None, size, unpad.context)) == ("E", culprit, PARAM)
    unpad.stream.synchronize()
    assert unpad.out.isnan().all()


def test_execute_wants_the_context_of_setup(unpad: Unpad) -> None:
    unpad.operation.Setup(unpad.pack, unpad.context)
    other = atb.CreateContext()
    assert fault(lambda: unpad.operation.Execute(unpad.pack, None, 0, other)) == ("E", "stream", PARAM)
    other.SetExecuteStream(unpad.stream)
    assert fault(lambda: unpad.operation.Execute(unpad.pack, None, 0, other)) == ("E", "context", PARAM)
    assert fault(lambda: unpad.operation.Execute(unpad.pack, None, 0, None)) == ("E", "context", PARAM)
    for null in (None, 0):
        execute = partial(unpad.operation.Execute, unpad.pack, null, 8, unpad.context)
        assert fault(execute) == ("E", "workspace", PARAM)


def test_a_setup_that_fails_takes_back_the_one_before(unpad: Unpad) -> None:
    unpad.operation.Setup(unpad.pack, unpad.context)
    fault(lambda: unpad.operation.Setup(atb.VariantPack(), unpad.context))
    assert fault(lambda: unpad.operation.Execute(unpad.pack, None, 0, unpad.context)) == ("E", "Setup", PARAM)


def test_execute_without_tensors_takes_those_of_setup_and_other_tensors_of_the_same_size(unpad: Unpad) -> None:
    unpad.operation.Setup(unpad.pack, unpad.context)
    unpad.operation.Execute(atb.VariantPack(), None, 0, unpad.context)
    out = torch.zeros(HIDDEN, 8).half()
    other = atb.VariantPack(unpad.pack.inTensors, [atb.Tensor.of(out)])
    unpad.operation.Execute(other, None, 0, unpad.context)
    unpad.stream.synchronize()
    assert torch.equal(unpad.out, unpad.expected)
    assert torch.equal(out.view(8, HIDDEN), unpad.expected)


def test_the_phases_can_run_apart(unpad: Unpad) -> None:
    unpad.operation.Setup(unpad.pack, unpad.context)
    execute = lambda: unpad.operation.Execute(unpad.pack, None, 0, unpad.context)  # noqa: E731
    try:
        unpad.context.SetExecuteType(atb.ExecuteType.EXECUTE_LAUNCH)
        assert fault(execute) == ("E", "phase", PARAM)
        unpad.context.SetExecuteType(atb.ExecuteType.EXECUTE_PRELAUNCH)
        execute()
        unpad.stream.synchronize()
        assert unpad.out.isnan().all()
        unpad.context.SetExecuteType(atb.ExecuteType.EXECUTE_LAUNCH)
        execute()
    finally:
        unpad.context.SetExecuteType(atb.ExecuteType.EXECUTE_NORMAL)
    unpad.stream.synchronize()
    assert torch.equal(unpad.out, unpad.expected)


def test_a_setup_between_the_phases_drops_what_was_prepared(unpad: Unpad) -> None:
    unpad.operation.Setup(unpad.pack, unpad.context)
    execute = lambda: unpad.operation.Execute(unpad.pack, None, 0, unpad.context)  # noqa: E731
    try:
        unpad.context.SetExecuteType(atb.ExecuteType.EXECUTE_PRELAUNCH)
        execute()
        atb.UpdateOperationParam(unpad.operation, param([5, 3]))
        unpad.operation.Setup(unpad.pack, unpad.context)
        unpad.context.SetExecuteType(atb.ExecuteType.EXECUTE_LAUNCH)
        assert fault(execute) == ("E", "phase", PARAM)
    finally:
        unpad.context.SetExecuteType(atb.ExecuteType.EXECUTE_NORMAL)
    unpad.stream.synchronize()
    assert unpad.out.isnan().all()


def test_a_captured_operation_takes_the_same_descriptors_only(unpad: Unpad) -> None:
    unpad.context.SetLaunchMode(atb.LaunchMode.GRAPH_LAUNCH_MODE)
    unpad.run()
    assert torch.equal(unpad.run(), unpad.expected)
    wider = torch.zeros(2, LIMIT, 2 * HIDDEN).half()
    pack = atb.VariantPack([atb.Tensor.of(wider)], [atb.Tensor.of(torch.zeros(8, 2 * HIDDEN).half())])
    found = fault(lambda: unpad.operation.Setup(pack, unpad.context))
    assert found == ("S", "tensors", "ERROR_INVALID_TENSOR_DIM")
    unpad.context.SetLaunchMode(atb.LaunchMode.KERNEL_LAUNCH_MODE)
    assert unpad.operation.Setup(pack, unpad.context) == 0


def test_an_operation_runs_on_the_stream_of_its_id(unpad: Unpad) -> None:
    second = Stream()
    unpad.context.SetExecuteStreams([unpad.stream, second])
    atb.SetExecuteStreamId(unpad.operation, 1)
    assert atb.GetExecuteStreamId(unpad.operation) == 1
    unpad.run()
    assert unpad.out.isnan().all()
    assert second.pending == 1
    second.synchronize()
    assert torch.equal(unpad.out, unpad.expected)
    atb.SetExecuteStreamId(unpad.operation, 2)
    assert fault(lambda: unpad.operation.Execute(unpad.pack, None, 0, unpad.context)) == ("E", "stream", PARAM)
    assert fault(lambda: atb.SetExecuteStreamId(None, 0)) == ("C", "operation", PARAM)


def test_with_quirks_a_tiling_that_failed_is_found_at_execute(unpad: Unpad) -> None:
    operation = atb.CreateOperation(atb.PadWithHiddenStateParam([1], 2), quirks=True)
    x, out = torch.zeros(1, 4097).half(), torch.zeros(1, 2, 4097).half()
    pack = atb.VariantPack([atb.Tensor.of(x)], [atb.Tensor.of(out)])
    size = operation.Setup(pack, unpad.context)
    assert fault(lambda: operation.Execute(pack, None, size, unpad.context)) == ("E", "tiling", PARAM)


def test_what_the_engine_refuses_comes_out_when_the_stream_is_synchronised(unpad: Unpad) -> None:
    operation = atb.CreateOperation(atb.PadWithHiddenStateParam([1, 3], 4))
    memory = torch.zeros(2, 4, 8).half()
    pack = atb.VariantPack([atb.Tensor.of(memory[0])], [atb.Tensor.of(memory)])
    operation.Setup(pack, unpad.context)
    operation.Execute(pack, None, 0, unpad.context)
    with pytest.raises(RuntimeFault, match="PadWithHiddenState: output: found memory that x occupies") as caught:
        unpad.stream.synchronize()
    assert isinstance(caught.value.__cause__, OperatorError)


def test_tensors_may_be_addresses_of_device_memory(unpad: Unpad) -> None:
    memory = process().memory
    sizes = [byte_size(tensor.desc) for tensor in (*unpad.pack.inTensors, *unpad.pack.outTensors)]
    x, out = (memory.malloc(0, size, 0) for size in sizes)
    memory.view("x", x, sizes[0]).copy_(unpad.x.view(-1).view(torch.uint8))
    descs = [unpad.pack.inTensors[0].desc, unpad.pack.outTensors[0].desc]
    pack = atb.VariantPack([atb.Tensor(descs[0], x)], [atb.Tensor(descs[1], hostData=out)])
    unpad.operation.Setup(pack, unpad.context)
    unpad.operation.Execute(pack, None, 0, unpad.context)
    unpad.stream.synchronize()
    assert torch.equal(memory.view("out", out, sizes[1]).view(torch.float16).view(8, HIDDEN), unpad.expected)
    memory.free(x)
    late = lambda: unpad.operation.Execute(pack, None, 0, unpad.context)  # noqa: E731
    assert fault(late) == ("E", "x", "ERROR_RT_FAIL")
    memory.free(out)


def test_the_end_of_no_operation_is_fine() -> None:
    assert atb.DestroyOperation(None) == 0
