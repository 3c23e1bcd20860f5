"""The staged call every face ends in: check → infer_shape → tiling → launch.

``prepare`` runs the stages that need no data; a face that stops between two of them goes on with ``advance``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from cannery.core import Stage, Tensor, TensorDesc, own_precision
from cannery.operator.attributes import bind_attributes
from cannery.operator.context import CallContext, Operator, TilingResult
from cannery.operator.definition import OperatorDefinition
from cannery.operator.registry import all_operators
from cannery.settings import (
    Found,
    Origin,
    SettingError,
    Settings,
    chosen_chip,
    chosen_quirks,
    current_settings,
    find_setting,
)
from cannery.soc import Soc
from cannery.soc import soc as find_soc

UNTILED: Final = TilingResult(key=0, block_dim=0)
"""The tiling of a call that did not come so far."""


@dataclass(frozen=True)
class Prepared:
    """A call without its data, and how far it came.

    Attributes:
        stage: the last stage it passed; None when it is only bound.
        tiling: ``UNTILED`` before tiling.
    """

    operator: Operator
    context: CallContext
    stage: Stage | None = None
    tiling: TilingResult = UNTILED


def default_soc(definition: OperatorDefinition) -> Soc:
    """The chip of a call that names none: the operator's first."""
    return find_soc(definition.default_soc or definition.socs[0])


def chip_of(definition: OperatorDefinition, soc: str | Soc | None = None) -> Soc:
    """The chip of a call: the one given, else by the settings, else the operator's first.

    Raises:
        UnknownSocError: there is no such chip.
    """
    return chosen_chip(soc) or default_soc(definition)


def bind(
    operator: Operator,
    inputs: Sequence[TensorDesc | None],
    attrs: Mapping[str, Any] | None = None,
    *,
    soc: str | Soc | None = None,
    quirks: bool | None = None,
    buffers: Sequence[TensorDesc | None] | None = None,
) -> CallContext:
    """A call without its data: attributes converted, chip and mode by the settings where they are not given.

    ``buffers`` describes the outputs the caller gave.

    Raises:
        OperatorError: an attribute is unknown, missing or of another type.
        UnknownSocError, SettingError: there is no such chip; ``quirks`` is no bool.
    """
    chip, faithful = chip_of(operator.definition, soc), chosen_quirks(quirks)
    values = bind_attributes(operator.definition, attrs)
    given = None if buffers is None else tuple(buffers)
    return CallContext(operator.definition, tuple(inputs), values, chip, faithful, buffers=given)


def prepare(
    operator: Operator,
    inputs: Sequence[TensorDesc | None],
    attrs: Mapping[str, Any] | None = None,
    *,
    soc: str | Soc | None = None,
    quirks: bool | None = None,
    buffers: Sequence[TensorDesc | None] | None = None,
    until: Stage = Stage.TILING,
) -> Prepared:
    """Bind a call and take it through its stages, ``until`` included. The arguments are those of ``bind``.

    Raises:
        OperatorError: a stage refuses the call.
        UnknownSocError: there is no such chip.
    """
    context = bind(operator, inputs, attrs, soc=soc, quirks=quirks, buffers=buffers)
    return advance(Prepared(operator, context), until)


def advance(call: Prepared, until: Stage = Stage.TILING) -> Prepared:
    """The call after the stages it has not passed yet, ``until`` included.

    Raises:
        OperatorError: a stage refuses the call.
    """
    first = 0 if call.stage is None else _ORDER.index(call.stage) + 1
    for stage in _ORDER[first : _ORDER.index(until) + 1]:
        call = replace(_STEPS[stage](call), stage=stage)
    return call


def launch(
    call: Prepared, inputs: Sequence[Tensor | None], outputs: Sequence[Tensor], engine: str = "eager"
) -> tuple[Any, ...]:
    """Last stage: compute into the output buffers with an engine. Returns the findings, if the engine makes any."""
    import torch

    with torch.no_grad(), own_precision(outputs[0].torch.device if outputs else torch.device("cpu")):
        found = call.operator.engines[engine](call.context, call.tiling, tuple(inputs), tuple(outputs))
    return tuple(found or ())


def check_engine(operator: Operator, engine: str) -> None:
    """Refuse an engine that the operator has not.

    Raises:
        ValueError: naming the engines there are.
    """
    if engine not in operator.engines:
        raise ValueError(f"{operator.name}: engine: found {engine!r}, expected one of {', '.join(operator.engines)}")


def choose_engine(operator: Operator, engine: str | None, *usual: str) -> str:
    """The engine of a call: the one given; that of the settings where the operator has it; a usual one; its first.

    Raises:
        ValueError: the operator has not the one given; or the settings name one that no operator has.
    """
    wanted = find_setting("engine", engine)
    if wanted.origin is Origin.ARGUMENT:
        check_engine(operator, wanted.value)
    elif wanted.value and wanted.value not in operator.engines:
        _check_known(wanted)
    return next(name for name in (wanted.value, *usual, *operator.engines) if name in operator.engines)


def check_settings() -> Settings:
    """All settings, the engine held against those that operators have.

    Raises:
        SettingError, UnknownSocError: one of them cannot be.
    """
    found = current_settings()
    if found.engine:
        _check_known(find_setting("engine"))
    return found


def _check_known(wanted: Found) -> None:
    known = sorted({name for operator in all_operators().values() for name in operator.engines})
    if wanted.value not in known:
        raise SettingError(f"{wanted.place}: found {wanted.value!r}, expected one of {', '.join(known)}")


def _check(call: Prepared) -> Prepared:
    """First stage: the number of inputs where this framework counts early, the chip, the operator's own rules."""
    _check_arity(call.context, Stage.CHECK)
    _check_soc(call.context)
    call.operator.check(call.context)
    return call


def _infer_shape(call: Prepared) -> Prepared:
    """Second stage: the context with inferred output descriptors."""
    _check_arity(call.context, Stage.INFER_SHAPE)
    return replace(call, context=call.context.with_outputs(call.operator.infer_shape(call.context)))


def _tile(call: Prepared) -> Prepared:
    """Third stage: how the work is split, from descriptors alone; the caller's buffers are the outputs now."""
    context = _with_buffers(call.context)
    return replace(call, context=context, tiling=call.operator.tiling(context))


_STEPS = MappingProxyType({Stage.CHECK: _check, Stage.INFER_SHAPE: _infer_shape, Stage.TILING: _tile})
_ORDER = tuple(_STEPS)


def _with_buffers(context: CallContext) -> CallContext:
    if context.buffers is None:
        return context
    if len(context.buffers) != len(context.outputs):
        raise context.miscounted(f"{len(context.buffers)} tensors")
    pairs = zip(context.buffers, context.outputs, strict=True)
    return context.with_outputs([inferred if buffer is None else buffer for buffer, inferred in pairs])


def _check_arity(context: CallContext, stage: Stage) -> None:
    """The number of inputs, at the stage that counts them."""
    if stage is not context.definition.contract.arity_stage:
        return
    params = context.definition.inputs
    code = context.definition.contract.arity_code
    needed = sum(1 for param in params if not param.optional)
    if len(context.inputs) > len(params):
        raise context.error(stage, "inputs", f"{len(context.inputs)} tensors", f"at most {len(params)}", code)
    missing = [p.name for i, p in enumerate(params) if not p.optional and context.inputs[i : i + 1] in ((), (None,))]
    if missing:
        raise context.error(stage, missing[0], "nothing", f"a tensor ({needed} inputs are required)", code)


def _check_soc(context: CallContext) -> None:
    aicore = context.definition.aicore
    if aicore is None or context.soc.short_name in aicore.socs:
        return
    code = context.definition.contract.soc_code
    raise context.error(Stage.CHECK, "soc", context.soc.name, f"a chip of {', '.join(aicore.socs)}", code)
