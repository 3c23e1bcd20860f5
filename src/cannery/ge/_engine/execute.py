"""A run of a compiled graph: everything is checked and allocated first, then launched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from cannery.core import GeStatus, OperatorError, Tensor, TensorDesc, trimmed
from cannery.ge._engine.compile import Plan, Step, infer
from cannery.ge._engine.model import NodeModel, invalid
from cannery.ge.error import GeError
from cannery.operator import staged
from cannery.operator.staged import Prepared
from cannery.operator.tensors import allocate

FILL = 0
"""What GE's output memory is seen to hold before a launch."""

_Values = dict[str, tuple[Tensor, ...]]


@dataclass(frozen=True)
class Call:
    """A step that is ready to launch."""

    step: Step
    prepared: Prepared
    inputs: tuple[Tensor | None, ...]
    outputs: tuple[Tensor, ...]


@dataclass
class Run:
    """A run that is ready: ``launch`` computes into ``outputs``, which exist already."""

    plan: Plan
    calls: list[Call]
    outputs: list[Tensor]
    copies: list[tuple[Tensor, Tensor]] = field(default_factory=list)

    def launch(self) -> None:
        """Compute. Memory between two nodes is given back after its last use.

        Raises:
            GeError: GE_CLI_SESS_RUN_FAILED: an operator refuses the values it finds.
        """
        self.calls.reverse()
        while self.calls:
            call = self.calls.pop()
            engine = staged.choose_engine(call.step.operator, None)
            try:
                staged.launch(call.prepared, call.inputs, call.outputs, engine)
            except OperatorError as refusal:
                raise _run_failed(refusal, call.step) from refusal
        for copy, original in self.copies:
            copy.torch.copy_(original.torch)


class Tilings:
    """The prepared calls of the last run, step by step: a run with the same descriptors takes them over."""

    def __init__(self, plan: Plan) -> None:
        self._last: list[Prepared | None] = [None] * len(plan.steps)

    def find(self, index: int, descs: tuple[TensorDesc | None, ...]) -> Prepared | None:
        """That of a step, when its inputs are described as they were."""
        last = self._last[index]
        return last if last is not None and last.context.inputs == descs else None

    def keep(self, index: int, call: Prepared) -> None:
        """Remember it."""
        self._last[index] = call


def prepare(plan: Plan, inputs: Sequence[Tensor], tilings: Tilings) -> Run:
    """Check a run's inputs, infer what was unknown, tile and allocate, from descriptors alone.

    Raises:
        GeError: GRAPH_PARAM_INVALID: inputs that are not what the data nodes declare; GE_CLI_SESS_RUN_FAILED: an
            operator refuses the call.
    """
    _check_inputs(plan, inputs)
    values: _Values = {node.name: (tensor,) for node, tensor in zip(plan.inputs, inputs, strict=True)}
    values.update({node.name: (_value(node),) for node in plan.constants})
    fed = set(values)
    calls = []
    for index, (step, done) in enumerate(zip(plan.steps, plan.last_use, strict=True)):
        call = _prepare_step(plan, index, step, values, tilings)
        calls.append(call)
        values[step.node.name] = call.outputs
        for node in done:
            del values[node.name]
    run = Run(plan, calls, [])
    for number, source in enumerate(plan.outputs):
        tensor = values[source.node.name][source.port]
        is_shared = source.node.name in fed or source in plan.outputs[:number]
        run.outputs.append(_own(run, tensor) if is_shared else tensor)
    return run


def _own(run: Run, tensor: Tensor) -> Tensor:
    """A copy, made after the launches, so that an output shares memory with no input and no other output."""
    copy = Tensor(torch.zeros_like(tensor.torch, memory_format=torch.contiguous_format), tensor.format)
    run.copies.append((copy, tensor))
    return copy


def _prepare_step(plan: Plan, index: int, step: Step, values: _Values, tilings: Tilings) -> Call:
    given = [None if source is None else values[source.node.name][source.port] for source in step.inputs]
    inputs = trimmed(given)
    descs = tuple(None if tensor is None else tensor.desc for tensor in inputs)
    try:
        found = tilings.find(index, descs)
        if found is None:
            found = staged.advance(_inferred(plan, step, descs))
            tilings.keep(index, found)
        outputs = allocate(found.context, (None,) * len(step.operator.definition.outputs), None, FILL)
    except OperatorError as refusal:
        raise _run_failed(refusal, step) from refusal
    return Call(step, found, inputs, outputs)


def _inferred(plan: Plan, step: Step, descs: tuple[TensorDesc | None, ...]) -> Prepared:
    if step.call is not None and step.call.context.inputs == descs:
        return step.call
    return infer(step.operator, step.node, descs, plan.machine)


def _check_inputs(plan: Plan, inputs: Sequence[Tensor]) -> None:
    if len(inputs) != len(plan.inputs):
        raise invalid(f"inputs: found {len(inputs)} tensors, expected one of each of {len(plan.inputs)} data nodes")
    for node, declared, tensor in zip(plan.inputs, plan.input_descs, inputs, strict=True):
        if not _matches(declared, tensor.desc):
            raise invalid(f"input {node.name}: found {tensor.desc}, expected {declared}, which the data node declares")


def _matches(declared: TensorDesc, given: TensorDesc) -> bool:
    if (declared.dtype, declared.format) != (given.dtype, given.format):
        return False
    if declared.shape.is_unknown_rank:
        return True
    is_same_rank = declared.shape.rank == given.shape.rank
    return is_same_rank and all(want in (-1, dim) for want, dim in zip(declared.shape, given.shape, strict=True))


def _value(node: NodeModel) -> Tensor:
    assert node.value is not None, node.name
    return node.value


def _run_failed(refusal: OperatorError, step: Step) -> GeError:
    return GeError.of(refusal, GeStatus.GE_CLI_SESS_RUN_FAILED, step.node.name)
