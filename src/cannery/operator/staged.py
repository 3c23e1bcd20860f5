"""The staged call every face ends in: check → infer_shape → tiling → launch.

``prepare`` runs the stages that need no data; a face that stops between two of them goes on with ``advance``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from cannery.core import OperatorError, Stage, Tensor, TensorDesc, own_precision
from cannery.operator.attributes import bind_attributes
from cannery.operator.context import CallContext, Operator, TilingResult
from cannery.operator.definition import OperatorDefinition
from cannery.operator.findings import tell_errors
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


class OutputMismatchError(OperatorError):
    """An output that the caller describes has another shape or data type than is inferred."""


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
        ValueError: ``until`` is no stage before the launch.
    """
    if until not in _ORDER:
        raise ValueError(f"until: found {until!r}, expected one of {', '.join(map(str, _ORDER))}")
    first = 0 if call.stage is None else _ORDER.index(call.stage) + 1
    context, tiling = call.context, call.tiling
    steps = _STEPS[first : _ORDER.index(until) + 1]
    for step in steps:
        context, tiling = step(call.operator, context)
    return Prepared(call.operator, context, until, tiling) if steps else call


def launch(
    call: Prepared,
    inputs: Sequence[Tensor | None],
    outputs: Sequence[Tensor],
    engine: str = "eager",
    on_error: str = "warn",
) -> tuple[Any, ...]:
    """Last stage: compute into the output buffers with an engine. Returns the findings, if the engine makes any.

    Args:
        on_error: what errors among the findings do: warn (``FindingWarning``), raise (``FindingError``), ignore.

    Raises:
        OperatorError: the engine refuses the values it finds.
        FindingError: it found errors, and ``on_error`` says raise.
    """
    import torch

    with torch.no_grad(), own_precision(outputs[0].torch.device if outputs else torch.device("cpu")):
        found: Any = call.operator.engines[engine](call.context, call.tiling, tuple(inputs), tuple(outputs))
    if found is None:
        return ()
    if not _are_findings(found):
        expected = "None or a list of findings: results are written into the outputs"
        raise _unexpected(call.context, Stage.LAUNCH, found, expected)
    findings = tuple(found)
    tell_errors(f"{call.operator.name} on {engine}", findings, on_error)
    return findings


def _are_findings(found: object) -> bool:
    """Whether this can be a list of findings: tensors and arrays, which have a data type, are none."""
    return isinstance(found, (tuple, list)) and not any(hasattr(each, "dtype") for each in found)


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


_Step = tuple[CallContext, TilingResult]


def _check(operator: Operator, context: CallContext) -> _Step:
    """First stage: the number of inputs where this framework counts early, the chip, the operator's own rules."""
    _check_arity(context, Stage.CHECK)
    definition = context.definition
    if definition.aicore is not None:
        _check_soc(context, definition.aicore.socs)
    check: Callable[[CallContext], object] = operator.check
    returned = check(context)
    if returned is not None:
        raise _unexpected(context, Stage.CHECK, returned, "None: check raises what it refuses")
    # Without a registration that names chips, the operator's own rules of them come first.
    _check_soc(context, definition.socs)
    return context, UNTILED


def _infer_shape(operator: Operator, context: CallContext) -> _Step:
    """Second stage: the context with inferred output descriptors."""
    _check_arity(context, Stage.INFER_SHAPE)
    outputs, count = operator.infer_shape(context), len(context.definition.outputs)
    if not (_is_tensors(outputs) and len(outputs) == count):
        raise _unexpected(context, Stage.INFER_SHAPE, outputs, f"a tuple of {count} TensorDesc, one an output")
    return context.with_outputs(outputs), UNTILED


def _tile(operator: Operator, inferred: CallContext) -> _Step:
    """Third stage: how the work is split, from descriptors alone; the caller's buffers are the outputs now."""
    context = _with_buffers(inferred)
    tiling = operator.tiling(context)
    if not isinstance(tiling, TilingResult):
        raise _unexpected(context, Stage.TILING, tiling, "a TilingResult")
    if context is not inferred:
        hold_outputs(context, inferred.outputs)
    return context, tiling


_ORDER = Stage.CHECK, Stage.INFER_SHAPE, Stage.TILING
_STEPS = _check, _infer_shape, _tile


def hold_outputs(context: CallContext, inferred: Sequence[TensorDesc]) -> None:
    """Refuse output buffers that are not what is inferred, once the operator's own rules have passed them.

    Definitions that say ``keeps_buffers`` judge alone, and so do the originals whose code ``quirks`` reproduces.

    Raises:
        OutputMismatchError: naming the output.
    """
    definition = context.definition
    if definition.keeps_buffers or (context.quirks and definition.quirks):
        return
    for param, given, due in zip(definition.outputs, context.outputs, inferred, strict=True):
        if (given.dtype, given.shape) != (due.dtype, due.shape):
            code = definition.contract.codes[Stage.TILING]
            facts = (param.name, _plain(given), f"{_plain(due)}, as inferred", code)
            raise OutputMismatchError(Stage.TILING, definition.name, *facts)


def _plain(desc: TensorDesc) -> str:
    return f"{desc.dtype.short} {desc.shape}"


def _is_tensors(values: object) -> TypeGuard[Sequence[TensorDesc]]:
    return isinstance(values, (tuple, list)) and all(isinstance(value, TensorDesc) for value in values)


def _unexpected(context: CallContext, stage: Stage, value: object, expected: str) -> OperatorError:
    """The error for what a stage's function gave back, as a failure of that stage."""
    kind = "None" if value is None else f"{type(value).__name__} {value!r}"
    return context.error(stage, f"what {stage.value} returns", kind, expected)


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
    if len(context.inputs) > len(params):
        code = context.definition.contract.arity_code
        raise context.error(stage, "inputs", f"{len(context.inputs)} tensors", f"at most {len(params)}", code)
    missing = [p.name for i, p in enumerate(params) if not p.optional and context.inputs[i : i + 1] in ((), (None,))]
    if missing:
        raise context.absent(missing[0])


def _check_soc(context: CallContext, socs: Sequence[str]) -> None:
    if context.soc.short_name not in socs:
        code = context.definition.contract.soc_code
        raise context.error(Stage.CHECK, "soc", _named_by(context.soc), f"a chip of {', '.join(socs)}", code)


def _named_by(chip: Soc) -> str:
    """A chip and, where neither the call nor its block names it, the place that does."""
    found = find_setting("chip")
    is_far = Origin.SESSION < found.origin < Origin.DEFAULT
    return f"{chip.name} (by {found.place})" if is_far and found.value == chip else chip.name
