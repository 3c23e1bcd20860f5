"""The two phases of an operator: check, infer and tile now; run when the stream gets there.

Source: hicann/opbase @aa3cd74, `src/nnopbase/composite_op/aclnn_engine/op_executor.cpp` and
`src/nnopbase/individual_op/**`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from cannery.aclnn.executor import INNER_NULLPTR, INVALID, NULLPTR, Buffer, Executor, Slot, find_executor
from cannery.aclnn.naming import aclnn_operators, phase_one, phase_two, visible
from cannery.aclnn.object_calls import find
from cannery.aclnn.objects import AclArray, AclTensor
from cannery.aclnn.planning import Planner, Request, planner, torch_is_deterministic
from cannery.core import AclnnStatus, TensorDesc
from cannery.operator import Attribute, AttrType, Operator, OperatorDefinition, TensorParam
from cannery.operator.staged import default_soc
from cannery.runtime import Call, Process, RuntimeFault
from cannery.runtime.stream import Stream
from cannery.settings import chosen_quirks

RUNTIME_ERROR = AclnnStatus.ACLNN_ERR_RUNTIME_ERROR
DETERMINISTIC = 0


@dataclass(frozen=True)
class Arguments:
    """The arguments of phase 1, sorted: handles of inputs, attributes, handles of outputs."""

    inputs: tuple[int, ...]
    attributes: tuple[Any, ...]
    outputs: tuple[int, ...]

    @classmethod
    def of(cls, definition: OperatorDefinition, values: tuple[Any, ...]) -> Arguments:
        """Sort what stands in a row."""
        first, last = len(definition.inputs), len(values) - len(definition.outputs)
        return cls(values[:first], values[first:last], values[last:])


def two_phase_calls() -> dict[str, Call]:
    """Both functions of every operator with the face, by C name."""
    calls = (call for name, operator in aclnn_operators().items() for call in calls_of(name, operator))
    return {call.name: call for call in calls}


@cache
def calls_of(name: str, operator: Operator) -> tuple[Call, Call]:
    """Phase 1 and phase 2 of an operator."""

    planned = planner(operator, tuple(attr.name for attr in visible(operator.definition)))

    def prepare(process: Process, *values: Any) -> tuple[int, int]:
        executor = plan(process, operator, planned, Arguments.of(operator.definition, values))
        return executor.workspace_size, process.handles.add(executor)

    def run(process: Process, workspace: int, size: int, executor: int, stream: int) -> None:
        submit(process, operator, workspace, size, executor, stream)

    # A wrapper generated from an AI-core registration has one answer to every null pointer; those written by hand have
    # another one to a null that only the framework dereferences.
    null_code = NULLPTR if operator.definition.aicore else INNER_NULLPTR
    return (
        Call(phase_one(name, operator.definition), "", prepare, null_code=null_code),
        Call(phase_two(name), "", run),
    )


def plan(process: Process, operator: Operator, planned: Planner, arguments: Arguments) -> Executor:
    """Phase 1. It never looks at device memory.

    Raises:
        RuntimeFault: the status of the first check that fails.
    """
    definition = operator.definition
    inputs = _slots(process, definition.inputs, arguments.inputs)
    outputs = _slots(process, definition.outputs, arguments.outputs)
    attributes = _attributes(process, definition, arguments.attributes)
    chip, device = _machine(process, definition)
    _check_outputs(outputs)
    request = Request(_descs(inputs), attributes, _descs(outputs), chip, chosen_quirks(), _is_deterministic(process))
    return Executor(planned(request), inputs, tuple(slot for slot in outputs if slot is not None), device)


def submit(process: Process, operator: Operator, workspace: int, size: int, handle: int, stream: int) -> None:
    """Phase 2: use the executor up, and put the call at the end of the stream.

    Raises:
        RuntimeFault: PARAM_NULLPTR, PARAM_INVALID, INNER_NULLPTR or RUNTIME_ERROR.
    """
    executor = find_executor(process, handle, NULLPTR)
    if executor.operator is not operator:
        found = f"one of {executor.operator.name}"
        raise RuntimeFault(INVALID, "executor", found, f"one of aclnn{operator.name}GetWorkspaceSize")
    if not executor.is_repeatable:
        process.handles.remove(handle)
    _check_workspace(executor, workspace, size)
    buffers = [None if slot is None else _buffer(slot) for slot in executor.slots]
    queue = _stream(process, stream, executor)
    queue.submit(lambda: executor.launch(process, buffers, workspace))


def _descs(slots: Sequence[Slot | None]) -> tuple[TensorDesc | None, ...]:
    return tuple(None if slot is None else slot.view.desc for slot in slots)


def _is_deterministic(process: Process) -> bool:
    level = process.context.options.get(DETERMINISTIC, process.options.get(DETERMINISTIC, 0))
    return level > 0 or torch_is_deterministic()


def _check_outputs(slots: Sequence[Slot | None]) -> None:
    for slot in slots:
        if slot is not None and not slot.view.is_injective:
            raise RuntimeFault(INVALID, slot.name, "a stride of 0", "an output whose elements do not share memory")


def _slots(process: Process, params: Sequence[TensorParam], handles: Sequence[int]) -> tuple[Slot | None, ...]:
    return tuple(_slot(process, param.name, handle) for param, handle in zip(params, handles, strict=True))


def _slot(process: Process, name: str, handle: int) -> Slot | None:
    if not handle:
        return None
    tensor = find(process, handle, AclTensor, name)
    return Slot(name, tensor, tensor.view(name))


def _attributes(process: Process, definition: OperatorDefinition, given: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(
        _attribute(process, definition, attr, value) for attr, value in zip(visible(definition), given, strict=True)
    )


def _attribute(process: Process, definition: OperatorDefinition, attribute: Attribute, value: Any) -> Any:
    if attribute.type is AttrType.LIST_INT:
        return find(process, value, AclArray, attribute.name).values if value else None
    if value is None and definition.aicore:
        raise RuntimeFault(NULLPTR, attribute.name, "null", "a string")
    return value


def _machine(process: Process, definition: OperatorDefinition) -> Any:
    """The chip as this thread may use it, and its device."""
    try:
        process.require_initialized()
        return process.chip(default_soc(definition)), process.context.device
    except RuntimeFault as fault:
        raise RuntimeFault(RUNTIME_ERROR, *fault.facts) from fault


def _stream(process: Process, handle: int, executor: Executor) -> Stream:
    try:
        stream = process.stream(handle)
    except RuntimeFault as fault:
        raise RuntimeFault(RUNTIME_ERROR, *fault.facts) from fault
    if process.context.device is not executor.device:
        found, expected = (
            f"one of device {process.context.device.number}",
            f"device {executor.device.number}, as phase 1",
        )
        raise RuntimeFault(RUNTIME_ERROR, "stream", found, expected)
    return stream


def _check_workspace(executor: Executor, workspace: int, size: int) -> None:
    if workspace == 0 and size:
        raise RuntimeFault(NULLPTR, "workspace", f"null with workspaceSize {size}", f"{size} bytes of device memory")
    if size < executor.workspace_size:
        expected = f"at least {executor.workspace_size}, as phase 1 said"
        raise RuntimeFault(INVALID, "workspaceSize", size, expected)


def _buffer(slot: Slot) -> Buffer:
    if not slot.tensor.is_alive:
        raise RuntimeFault(INVALID, slot.name, "a tensor that was destroyed", "one that lives until phase 2 returns")
    if slot.view.size and not slot.tensor.address:
        raise RuntimeFault(NULLPTR, slot.name, "a tensor without an address", "tensorData, or an address set later")
    return Buffer(slot.name, slot.view, slot.tensor.address)
