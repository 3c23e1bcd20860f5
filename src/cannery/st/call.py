"""The staged call of a row: the stages that need no data, then the launch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from cannery.core import Stage, Tensor, TensorDesc
from cannery.operator import CallContext, TilingResult, staged
from cannery.soc import Soc
from cannery.st.case import Case
from cannery.st.inputs import Inputs


@dataclass(frozen=True)
class Planned:
    """How far the stages without data came.

    Attributes:
        context: the call; its outputs are inferred when inference was reached.
        tiling: None where the row ends before it.
        notes: what of the row was passed over.
    """

    context: CallContext
    tiling: TilingResult | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outputs:
    """What a launch gave: the outputs, and the findings of a checked engine."""

    tensors: tuple[Tensor, ...]
    findings: tuple[Any, ...] = ()


def plan(case: Case, chip: Soc, quirks: bool) -> Planned:
    """The stages that need no data, up to the one the row wants to end with.

    Raises:
        OperatorError: a stage refuses the call.
    """
    operator, last = case.operator, _last_stage(case)
    inputs = [None if spec is None else spec.desc for spec in case.tensors]
    told = None if case.outputs is None else [spec.desc for spec in case.outputs]
    context = staged.bind(operator, inputs, case.attrs, soc=chip, quirks=quirks, buffers=told or ())
    staged.check(operator, context)
    if last is Stage.CHECK:
        return Planned(context)
    context = staged.infer_shape(operator, context)
    if last is Stage.INFER_SHAPE:
        return Planned(context)
    tiled = context if told is None else _with_outputs(context, told)
    tiling = staged.tiling(operator, tiled)
    launched = _sized(context, tiled)
    pairs = zip(tiled.outputs, launched.outputs, strict=True)
    notes = tuple(f"the row says {row}, {ours} is inferred and taken" for row, ours in pairs if row != ours)
    return Planned(launched, tiling, notes)


def launch(case: Case, planned: Planned, inputs: Inputs, engine: str) -> Outputs:
    """Compute into the buffers of the inputs.

    Raises:
        OperatorError: the engine refuses the call.
    """
    assert planned.tiling is not None, case.name
    tensors, buffers = inputs.tensors, inputs.buffers
    return Outputs(buffers, staged.launch(case.operator, planned.context, planned.tiling, tensors, buffers, engine))


def _last_stage(case: Case) -> Stage | None:
    """The stage to end with; a row that waits for an error goes on, to tell which one it meets instead."""
    return None if case.expected.code else case.expected.stage


def _with_outputs(context: CallContext, outputs: Sequence[TensorDesc]) -> CallContext:
    params = context.definition.outputs
    if len(outputs) != len(params):
        code = context.definition.contract.arity_code
        raise context.error(Stage.TILING, "outputs", f"{len(outputs)} tensors", len(params), code)
    return context.with_outputs(outputs)


def _sized(inferred: CallContext, given: CallContext) -> CallContext:
    """The row's outputs, but no smaller or larger than those inferred: engines write what was inferred."""
    pairs = zip(inferred.outputs, given.outputs, strict=True)
    return given.with_outputs([told if prod(told.shape) == prod(ours.shape) else ours for ours, told in pairs])
