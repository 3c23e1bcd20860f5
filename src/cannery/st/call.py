"""The staged call of a row: the stages that need no data, then the launch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

from cannery.core import Stage, Tensor
from cannery.operator import CallContext, TilingResult, staged
from cannery.operator.staged import Prepared
from cannery.soc import Soc
from cannery.st.case import Case
from cannery.st.inputs import Inputs


@dataclass(frozen=True)
class Planned:
    """How far the stages without data came.

    Attributes:
        call: the call; its outputs are inferred when inference was reached.
        notes: what of the row was passed over.
    """

    call: Prepared
    notes: tuple[str, ...] = ()

    @property
    def tiling(self) -> TilingResult | None:
        """How the work was split; None where the row ends before tiling."""
        return self.call.tiling if self.call.stage is Stage.TILING else None


@dataclass(frozen=True)
class Outputs:
    """What a launch gave: the outputs, and the findings of a checked engine."""

    tensors: tuple[Tensor, ...]
    findings: tuple[Any, ...] = ()


def plan(case: Case, chip: Soc, quirks: bool | None) -> Planned:
    """The stages that need no data, up to the one the row wants to end with.

    Raises:
        OperatorError: a stage refuses the call.
    """
    last = _last_stage(case)
    inputs = [None if spec is None else spec.desc for spec in case.tensors]
    told = None if case.outputs is None else [spec.desc for spec in case.outputs]
    first = Stage.CHECK if last is Stage.CHECK else Stage.INFER_SHAPE
    call = staged.prepare(case.operator, inputs, case.attrs, soc=chip, quirks=quirks, buffers=told, until=first)
    if last is first:
        return Planned(call)
    tiled = staged.advance(call)
    launched = _sized(call.context, tiled.context)
    pairs = zip(tiled.context.outputs, launched.outputs, strict=True)
    notes = tuple(f"the row says {row}, {ours} is inferred and taken" for row, ours in pairs if row != ours)
    return Planned(replace(tiled, context=launched), notes)


def launch(case: Case, planned: Planned, inputs: Inputs, engine: str) -> Outputs:
    """Compute into the buffers of the inputs.

    Raises:
        OperatorError: the engine refuses the call.
    """
    assert planned.tiling is not None, case.name
    return Outputs(inputs.buffers, staged.launch(planned.call, inputs.tensors, inputs.buffers, engine, "ignore"))


def _last_stage(case: Case) -> Stage | None:
    """The stage to end with; a row that waits for an error goes on, to tell which one it meets instead."""
    return None if case.expected.code else case.expected.stage


def _sized(inferred: CallContext, given: CallContext) -> CallContext:
    """The row's outputs, but no smaller or larger than those inferred: engines write what was inferred."""
    pairs = zip(inferred.outputs, given.outputs, strict=True)
    return given.with_outputs([told if prod(told.shape) == prod(ours.shape) else ours for ours, told in pairs])
