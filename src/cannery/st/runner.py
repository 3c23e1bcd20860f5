"""A row through its stages: plan, inputs, reference, launch, judge. Each has a file of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cannery.core import AtbStatus, OperatorError, Stage, errors_among
from cannery.operator import staged
from cannery.operator.staged import OutputMismatchError
from cannery.settings import Origin, chosen_chip, chosen_quirks, find_setting
from cannery.soc import Soc
from cannery.soc import soc as find_soc
from cannery.st.call import Planned, launch, plan
from cannery.st.case import OTHER_CHIPS, Case, Expectation, Row, shorten
from cannery.st.compare import StandardError, Verdict
from cannery.st.compare.route import standard_name
from cannery.st.data import DataError
from cannery.st.inputs import make_inputs
from cannery.st.invoke import InvokeError
from cannery.st.judge import HookError, judge
from cannery.st.reference import make_reference
from cannery.st.result import FAIL, MALFORMED, PASS, CaseResult, kind_of
from cannery.st.spec import TestSpec, load_spec
from cannery.st.usercode import told, traceback_of

NO_ERROR = AtbStatus.NO_ERROR.name
# What a row that was not run says; the first is the kit's word for a row that is switched off.
SUPPRESSED, UNSUPPORTED_CHIP = "SUPPRESSED", "DYN_UNSUPPORTED"


@dataclass(frozen=True)
class Options:
    """How a campaign runs.

    Attributes:
        engine: how launches are done; None: by the settings where the operator has that engine, else eager.
        soc: chip for every row, whatever the row says; None: by a session or the command line, else the row's own.
        seed: of all input data.
        compare: a standard for every output that may have one.
        plugins: folders of assets that come before the operators' own.
        quirks: reproduce the originals where they are wrong or undefined; None: by the settings.
    """

    engine: str | None = None
    soc: str | Soc | None = None
    seed: int = 0
    compare: str | None = None
    plugins: tuple[Path, ...] = ()
    quirks: bool | None = None


class OptionError(ValueError):
    """An option that fits no row of the campaign."""


def run_cases(rows: Iterable[Row], options: Options = Options()) -> Iterator[CaseResult]:
    """The result of each row, in order, as it comes; that of a refused one says why it is.

    Raises:
        SpecError: the assets of an operator break the TestSpec contract; nothing was run then.
        OptionError: no operator of the cases has the engine.
        UnknownSocError, StandardError: there is no such chip or standard.
    """
    rows = tuple(rows)
    specs = prepare([row for row in rows if isinstance(row, Case)], options)
    return (_run_row(row, options, specs) for row in rows)


def run_case(case: Row, options: Options = Options()) -> CaseResult:
    """The result of one row. A fault of the operator, its golden or its data is in the result.

    Raises:
        SpecError, OptionError, UnknownSocError, StandardError: see ``run_cases``.
    """
    return next(run_cases([case], options))


def prepare(cases: Sequence[Case], options: Options) -> dict[str, TestSpec | None]:
    """What has to be right before anything runs: chip, standard, engine; and the specs of the operators.

    Raises:
        SpecError, OptionError, UnknownSocError, StandardError: see ``run_cases``.
    """
    staged.check_settings()
    chosen_chip(options.soc)
    chosen_quirks(options.quirks)
    if options.compare is not None:
        standard_name(options.compare)
    operators = {case.operator.name: case.operator for case in cases}
    engines = sorted({engine for operator in operators.values() for engine in operator.engines})
    engine = find_setting("engine", options.engine)
    if operators and engine.origin is Origin.ARGUMENT and engine.value not in engines:
        raise OptionError(f"{engine.place}: found {engine.value!r}, expected one of {', '.join(engines)}")
    return {name: load_spec(operator, options.plugins) for name, operator in operators.items()}


def _run_row(row: Row, options: Options, specs: Mapping[str, TestSpec | None]) -> CaseResult:
    if isinstance(row, Case):
        return _run_case(row, options, specs[row.operator.name] or TestSpec("none"))
    return CaseResult(row, MALFORMED, log=str(row.error))


def _run_case(case: Case, options: Options, spec: TestSpec) -> CaseResult:
    chip = choose_soc(case, options)
    if chip is None or not case.is_enabled:
        return _skipped(case)
    base = CaseResult(case, FAIL, soc=chip.name, engine=engine_of(case, options), log="; ".join(case.notes))
    try:
        return _run(case, options, spec, chip, base)
    except OperatorError as error:
        return _refused(base, case.expected, error)
    except KeyboardInterrupt:
        raise
    except BaseException as failure:  # a fault of one operator must not end the campaign, nor must its sys.exit
        return _noted(replace(base, status="EXEC_FAILURE", traceback=traceback_of(failure)), told(failure))


def _skipped(case: Case) -> CaseResult:
    if not case.is_enabled:
        return CaseResult(case, SUPPRESSED, is_skipped=True, log="switched off")
    return CaseResult(case, UNSUPPORTED_CHIP, is_skipped=True, log=f"not for this chip: {', '.join(case.socs)}")


def choose_soc(case: Case, options: Options) -> Soc | None:
    """The chip of a row: that of option, session or command line; else the environment's where the row is for it;
    else the first the row names that the operator has; else the operator's first.

    None when the row rules it out, or names only chips that cannot be asked for.
    """
    definition = case.operator.definition
    barred = {chip.short_name for chip in _chips(name[1:] for name in case.socs if name.startswith("-"))}
    listed = [name for name in case.socs if not name.startswith("-")]
    found = find_setting("chip", options.soc)
    if found.value and (found.origin <= Origin.COMMAND_LINE or not listed or _is_for(listed, found.value)):
        candidates = [found.value]
    elif listed:
        candidates = sorted(_chips(listed), key=lambda chip: chip.short_name not in definition.socs)
    else:
        candidates = [staged.default_soc(definition), *map(find_soc, definition.socs)]
    return next((chip for chip in candidates if chip.short_name not in barred), None)


def _is_for(names: Sequence[str], chip: Soc) -> bool:
    """Whether a row that names chips, or families of them, is for this one."""
    return chip.name.lower() in map(str.lower, names) or chip.short_name.lower() in map(str.lower, names)


def engine_of(case: Case, options: Options) -> str:
    """The engine of a row: the option's, whether the operator has it or not; else by the settings."""
    return options.engine or staged.choose_engine(case.operator, None, "eager")


def _chips(names: Iterable[str]) -> list[Soc]:
    return [find_soc(name) for name in names if name.lower() not in OTHER_CHIPS]


def _run(case: Case, options: Options, spec: TestSpec, chip: Soc, base: CaseResult) -> CaseResult:
    planned = plan(case, chip, options.quirks)
    expected = case.expected
    base = replace(base, tiling=planned.tiling, actual=NO_ERROR, log="; ".join((*planned.notes, *case.notes)))
    if expected.stage is not None and expected.stage is not Stage.LAUNCH:
        return _noted(base, f"expected {expected}, found {NO_ERROR}") if expected.code else replace(base, status=PASS)
    if base.engine not in case.operator.engines:
        reason = f"no engine {base.engine!r}: {', '.join(case.operator.engines)}"
        return _noted(replace(base, status="UNSUPPORTED"), reason)
    try:
        return _launch(case, options, spec, planned, base)
    except (DataError, InvokeError, HookError, StandardError) as failure:
        raised = traceback_of(failure.__cause__) if failure.__cause__ is not None else ""
        return _noted(replace(base, status=_STATUS_OF[type(failure)], traceback=raised), failure)


def _launch(case: Case, options: Options, spec: TestSpec, planned: Planned, base: CaseResult) -> CaseResult:
    context = planned.call.context
    is_compared = case.expected == Expectation()
    inputs = make_inputs(case, spec, context, options.seed)
    base = replace(base, output_bytes=inputs.output_bytes)
    # Before the launch: an engine at fault may write where it should read.
    reference = make_reference(case, spec, context, inputs, options.compare) if is_compared else None
    outputs = launch(case, planned, inputs, base.engine)
    base = replace(base, findings=outputs.findings)
    faults = errors_among(outputs.findings)
    if faults:
        status = f"FINDING:{kind_of(faults[0])}"
        return _noted(replace(base, status=status), f"{len(faults)} findings, the first: {faults[0]}")
    if reference is None:
        is_awaited = bool(case.expected.code)
        return _noted(base, f"expected {case.expected}, found {NO_ERROR}") if is_awaited else replace(base, status=PASS)
    return _judged(base, judge(case, spec, context, outputs, reference))


def _refused(base: CaseResult, expected: Expectation, error: OperatorError) -> CaseResult:
    """The result of a row whose call the contract refused."""
    actual = f"{error.stage.letter}:{error.code.name}"
    base = replace(base, actual=actual)
    if expected.code and actual == str(expected):
        return replace(base, status=PASS)
    if isinstance(error, OutputMismatchError) and not expected.code:
        # What the row declares is wrong, not the operator.
        return _noted(base, error)
    wanted = f"expected {expected}, found {actual}: " if expected != Expectation() else ""
    return _noted(replace(base, status=actual), f"{wanted}{error}")


def _noted(result: CaseResult, reason: object) -> CaseResult:
    return replace(result, log="; ".join(filter(None, (shorten(str(reason), 400), result.log))))


def _judged(base: CaseResult, verdicts: tuple[Verdict, ...]) -> CaseResult:
    base = replace(base, verdicts=verdicts)
    faults = [
        f"output {index} ({verdict.standard}): {verdict.error_info or 'differs'}"
        for index, verdict in enumerate(verdicts)
        if not verdict.passed
    ]
    return _noted(replace(base, status=FAIL), "; ".join(faults)) if faults else replace(base, status=PASS)


_STATUS_OF = {
    DataError: "INPUT_FAILURE",
    InvokeError: "GOLDEN_FAILURE",
    HookError: "COMPARE_FAILURE",
    StandardError: "TOLERANCE_INVALID",
}
