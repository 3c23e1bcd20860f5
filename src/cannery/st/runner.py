"""A row through the stages: check, infer shape, tiling, launch, golden, comparison."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

from cannery.core import AtbStatus, OperatorError, Stage, TensorDesc
from cannery.operator import CallContext, TilingResult, staged
from cannery.soc import Soc
from cannery.soc import soc as find_soc
from cannery.st import judge
from cannery.st.case import OTHER_CHIPS, Case, Expectation, shorten
from cannery.st.compare import StandardError, Verdict
from cannery.st.compare.route import standard_name
from cannery.st.data import DataError
from cannery.st.invoke import InvokeError
from cannery.st.reference import Reference, judge_outputs, make_buffers, make_inputs
from cannery.st.result import FAIL, PASS, CaseResult, is_error, kind_of
from cannery.st.spec import TestSpec, load_spec

NO_ERROR = AtbStatus.NO_ERROR.name
# What a row that was not run says; the first is the kit's word for a row that is switched off.
SUPPRESSED, UNSUPPORTED_CHIP = "SUPPRESSED", "DYN_UNSUPPORTED"
_ORDER = tuple(Stage)


@dataclass(frozen=True)
class Options:
    """How a campaign runs.

    Attributes:
        engine: how launches are done.
        soc: chip for every row, whatever the row says; None for the row's own.
        seed: of all input data.
        compare: a standard for every output that may have one.
        plugins: folders of assets that come before the operators' own.
        quirks: reproduce the originals where they are wrong or undefined.
    """

    engine: str = "eager"
    soc: str | Soc | None = None
    seed: int = 0
    compare: str | None = None
    plugins: tuple[Path, ...] = ()
    quirks: bool = False


class OptionError(ValueError):
    """An option that fits no row of the campaign."""


@dataclass(frozen=True)
class _Walk:
    """How far the stages came."""

    context: CallContext
    tiling: TilingResult | None = None
    notes: tuple[str, ...] = ()


def run_cases(cases: Iterable[Case], options: Options = Options()) -> Iterator[CaseResult]:
    """The result of each case, in order, as it comes.

    Raises:
        SpecError: the assets of an operator break the TestSpec contract; nothing was run then.
        OptionError: no operator of the cases has the engine.
        UnknownSocError, StandardError: there is no such chip or standard.
    """
    cases = tuple(cases)
    specs = prepare(cases, options)
    return (_run_case(case, options, specs[case.operator.name] or TestSpec("none")) for case in cases)


def run_case(case: Case, options: Options = Options()) -> CaseResult:
    """The result of one case. A fault of the operator, its golden or its data is in the result.

    Raises:
        SpecError, OptionError, UnknownSocError, StandardError: see ``run_cases``.
    """
    return next(run_cases([case], options))


def prepare(cases: Sequence[Case], options: Options) -> dict[str, TestSpec | None]:
    """What has to be right before anything runs: chip, standard, engine; and the specs of the operators.

    Raises:
        SpecError, OptionError, UnknownSocError, StandardError: see ``run_cases``.
    """
    if options.soc is not None:
        find_soc(options.soc)
    if options.compare is not None:
        standard_name(options.compare)
    operators = {case.operator.name: case.operator for case in cases}
    engines = sorted({engine for operator in operators.values() for engine in operator.engines})
    if operators and options.engine not in engines:
        raise OptionError(f"engine: found {options.engine!r}, expected one of {', '.join(engines)}")
    return {name: load_spec(operator, options.plugins) for name, operator in operators.items()}


def _run_case(case: Case, options: Options, spec: TestSpec) -> CaseResult:
    chip = choose_soc(case, options)
    if chip is None or not case.is_enabled:
        return _skipped(case)
    base = CaseResult(case, FAIL, soc=chip.name, engine=options.engine, log="; ".join(case.notes))
    try:
        return _run(case, options, spec, chip, base)
    except OperatorError as error:
        return _refused(base, error)
    except Exception as failure:  # a fault of one operator must not end the campaign
        return _noted(replace(base, status="EXEC_FAILURE"), f"{type(failure).__name__}: {failure}")


def _skipped(case: Case) -> CaseResult:
    if not case.is_enabled:
        return CaseResult(case, SUPPRESSED, is_skipped=True, log="switched off")
    return CaseResult(case, UNSUPPORTED_CHIP, is_skipped=True, log=f"not for this chip: {', '.join(case.socs)}")


def choose_soc(case: Case, options: Options) -> Soc | None:
    """The chip of a row: the option's, else the first the row names that the operator has, else the operator's first.

    None when the row rules it out, or names only chips that cannot be asked for.
    """
    definition = case.operator.definition
    barred = {chip.short_name for chip in _chips(name[1:] for name in case.socs if name.startswith("-"))}
    listed = [name for name in case.socs if not name.startswith("-")]
    if options.soc is not None:
        candidates = [find_soc(options.soc)]
    elif listed:
        candidates = sorted(_chips(listed), key=lambda chip: chip.short_name not in definition.socs)
    else:
        candidates = [staged.default_soc(definition), *map(find_soc, definition.socs)]
    return next((chip for chip in candidates if chip.short_name not in barred), None)


def _chips(names: Iterable[str]) -> list[Soc]:
    return [find_soc(name) for name in names if name.lower() not in OTHER_CHIPS]


def _run(case: Case, options: Options, spec: TestSpec, chip: Soc, base: CaseResult) -> CaseResult:
    walk = _walk(case, options, chip)
    expected = case.expected
    base = replace(base, tiling=walk.tiling, actual=NO_ERROR, log="; ".join((*walk.notes, *case.notes)))
    if expected.stage is not None and expected.stage is not Stage.LAUNCH:
        return _noted(base, f"expected {expected}, found {NO_ERROR}") if expected.code else replace(base, status=PASS)
    assert walk.tiling is not None
    try:
        _check_memory(case, walk.context)
        return _launch(case, options, spec, walk.context, walk.tiling, base)
    except (DataError, InvokeError, judge.HookError, StandardError) as failure:
        return _noted(replace(base, status=_STATUS_OF[type(failure)]), failure)


def _refused(base: CaseResult, error: OperatorError) -> CaseResult:
    """The result of a row whose call the contract refused."""
    actual, expected = f"{error.stage.letter}:{error.code.name}", base.case.expected
    base = replace(base, actual=actual)
    if expected.code and actual == str(expected):
        return replace(base, status=PASS)
    wanted = f"expected {expected}, found {actual}: " if base.case.expected != Expectation() else ""
    return _noted(replace(base, status=actual), f"{wanted}{error}")


def _noted(result: CaseResult, reason: object) -> CaseResult:
    return replace(result, log="; ".join(filter(None, (shorten(str(reason), 400), result.log))))


def _walk(case: Case, options: Options, chip: Soc) -> _Walk:
    """The stages that need no data, up to the one the row wants to end with.

    Raises:
        OperatorError: a stage refuses the call.
    """
    operator, last = case.operator, _last_stage(case.expected)
    inputs = [None if spec is None else spec.desc for spec in case.tensors]
    outputs = None if case.outputs is None else [spec.desc for spec in case.outputs]
    context = staged.bind(
        operator, inputs, case.attrs, soc=chip, quirks=options.quirks, buffers=outputs or ()
    )  # fmt: skip
    staged.check(operator, context)
    if last is Stage.CHECK:
        return _Walk(context)
    context = staged.infer_shape(operator, context)
    if last is Stage.INFER_SHAPE:
        return _Walk(context)
    tiled = context if outputs is None else _with_outputs(context, outputs)
    result = staged.tiling(operator, tiled)
    launched = _sized(context, tiled)
    pairs = zip(tiled.outputs, launched.outputs, strict=True)
    notes = tuple(f"the row says {told}, {ours} is inferred and taken" for told, ours in pairs if told != ours)
    return _Walk(launched, result, notes)


def _last_stage(expected: Expectation) -> Stage | None:
    """The stage to end with; a row that waits for an error goes on, to tell which one it meets instead."""
    return None if expected.code else expected.stage


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


def _check_memory(case: Case, context: CallContext) -> None:
    """A row that cannot fit is refused before it takes the machine down."""
    outputs = sum(prod(desc.shape) * desc.dtype.itemsize for desc in context.outputs)
    present = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if case.input_bytes + outputs > present:
        raise DataError(
            f"found {case.input_bytes + outputs} bytes of tensors, expected at most {present}, this machine's memory"
        )


def _launch(
    case: Case, options: Options, spec: TestSpec, context: CallContext, tiling: TilingResult, base: CaseResult
) -> CaseResult:
    if options.engine not in case.operator.engines:
        return _noted(
            replace(base, status="UNSUPPORTED"), f"no engine {options.engine!r}: {', '.join(case.operator.engines)}"
        )
    inputs = make_inputs(case, options.seed, spec, context)
    buffers = make_buffers(case, context, inputs)
    base = replace(base, output_bytes=sum(buffer.torch.nbytes for buffer in buffers))
    is_compared = case.expected == Expectation()
    reference = Reference.make(case, options.compare, spec, context, inputs) if is_compared else None
    findings = staged.launch(case.operator, context, tiling, inputs, buffers, options.engine)
    base = replace(base, findings=findings)
    faults = [finding for finding in findings if is_error(finding)]
    if faults:
        status = f"FINDING:{kind_of(faults[0])}"
        return _noted(replace(base, status=status), f"{len(faults)} findings, the first: {faults[0]}")
    if reference is None:
        is_awaited = bool(case.expected.code)
        return _noted(base, f"expected {case.expected}, found {NO_ERROR}") if is_awaited else replace(base, status=PASS)
    return _judged(base, judge_outputs(case, spec, context, buffers, reference))


def _judged(base: CaseResult, verdicts: Sequence[Verdict]) -> CaseResult:
    base = replace(base, verdicts=tuple(verdicts))
    faults = [
        f"output {index} ({verdict.standard}): {verdict.error_info or 'differs'}"
        for index, verdict in enumerate(verdicts)
        if not verdict.passed
    ]
    return _noted(replace(base, status=FAIL), "; ".join(faults)) if faults else replace(base, status=PASS)


_STATUS_OF = {
    DataError: "INPUT_FAILURE",
    InvokeError: "GOLDEN_FAILURE",
    judge.HookError: "COMPARE_FAILURE",
    StandardError: "TOLERANCE_INVALID",
}
