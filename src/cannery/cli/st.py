"""``cannery st``: system tests from case files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cannery.cli.console import visible
from cannery.cli.ending import ended_as_by_the_keyboard
from cannery.cli.options import setting
from cannery.cli.places import check_apart
from cannery.settings import process_scope

if TYPE_CHECKING:
    from rich.table import Table

    from cannery.st import CaseFile, CaseResult, Options, PartialResults
    from cannery.st.case import Row

# Beyond so many rows the table has a line a file; the rows that failed are listed in any case.
MAX_TABLE_ROWS = 200
FAILED, MALFORMED = 1, 2
NO_ERROR, NOT_RUN = "NO_ERROR", "NOT_RUN"


def st(
    files: list[Path] = typer.Argument(
        ..., metavar="FILE...", help="Case files of ops-test-kit or ATB, or folders of them.", show_default=False
    ),
    engine: str | None = setting("engine", "E", "How launches are done; default: eager."),
    soc: str | None = setting("chip", "NAME", "Chip for every row; default: the row's own."),
    pattern: str = typer.Option("", "-k", metavar="PATTERN", help="Only rows whose name contains or matches this."),
    output: Path | None = typer.Option(
        None,
        "-o",
        "--output",
        metavar="FILE",
        help="Result file (.csv), or a folder; default: <stem>_result.csv here, of several files in st_results.",
    ),
    junit: Path | None = typer.Option(None, "--junit", metavar="FILE", help="Also write a JUnit XML report."),
    seed: int = typer.Option(0, "--seed", metavar="N", help="Seed of all input data."),
    plugin: list[Path] = typer.Option(
        [], "--plugin", metavar="DIR", help="A folder whose assets/*.py come before the operators' own goldens."
    ),
    compare: str | None = typer.Option(
        None, "--compare", metavar="STANDARD", help="Accuracy standard for outputs that are not integers."
    ),
    verbose: bool = typer.Option(
        False, "-v", "--verbose", help="Show the traceback of what an operator, a golden or a hook raised."
    ),
    quirks: bool | None = setting("quirks"),
) -> None:
    """Run system tests from case files. Exit code 1 when a row fails, 2 when a file or a row is malformed."""
    from cannery.st import Options, find_case_files, plan_results, read_cases

    paths = find_case_files(files)
    targets = plan_results(paths, output)
    loaded = [read_cases(path) for path in paths]
    if not any(file.cases for file in loaded):
        raise loaded[0].refused[0].error
    read = [*paths, *(path for file in loaded for case in file.cases for path in case.files)]
    check_apart([*(("-o", target) for target in targets), ("--junit", junit)], read)
    options = Options(engine, seed=seed, compare=compare, plugins=tuple(plugin))
    campaign = _Campaign(loaded, targets, junit)
    try:
        # A scope, not options of the rows: what goldens call has the same chip.
        with process_scope(soc=soc, quirks=quirks), ended_as_by_the_keyboard():
            campaign.run(pattern, options)
    finally:
        failure = campaign.write()
        campaign.show(verbose, failure)
    if failure is not None:
        raise failure
    if any(result.is_malformed for result in campaign.results):
        raise typer.Exit(MALFORMED)
    if any(result.has_failed for result in campaign.results):
        raise typer.Exit(FAILED)


class _Campaign:
    """Results as they come; whatever ends the run, those there are get written, and the others marked as not run."""

    def __init__(self, files: Sequence[CaseFile], targets: Sequence[Path], junit: Path | None) -> None:
        from cannery.st.places import check_writable

        if junit is not None:
            check_writable(junit)
        self.files = files
        self.targets = targets
        self.junit = junit
        self.results: list[CaseResult] = []
        self._chosen: tuple[Row, ...] = ()
        self._partial: PartialResults | None = None

    def run(self, pattern: str, options: Options) -> None:
        """Run the selected rows."""
        from cannery.st import OptionError, PartialResults, run_cases, select, tables

        rows = [row for file in self.files for row in file.rows]
        chosen = select(rows, pattern) if pattern else tuple(rows)
        if pattern and not chosen:
            raise OptionError(f"-k: found no row whose name fits {pattern!r}, expected at least one")
        results = run_cases(chosen, options)
        self._chosen = tuple(chosen)
        self._partial = PartialResults(tables(self._places, self._paths))
        for result in _with_progress(results, len(chosen)):
            self.results.append(result)
            self._partial.add(result)

    @property
    def _paths(self) -> list[Path]:
        return [file.path for file in self.files]

    @property
    def _places(self) -> list[tuple[Path, Sequence[str]]]:
        return [(target, file.columns) for target, file in zip(self.targets, self.files, strict=True)]

    def write(self) -> OSError | None:
        """Write results and report, once the run has begun; why they could not be written."""
        from cannery.st import CaseResult, junit_xml, write_atomically, write_results

        if self._partial is None:
            return None
        self.results += map(CaseResult.not_run, self._chosen[len(self.results) :])
        try:
            write_results(self._places, self.results, self._paths)
            if self.junit is not None:
                write_atomically(self.junit, junit_xml(self._paths, self.results))
        except OSError as failure:
            return failure
        self._partial.discard()
        return None

    def show(self, is_verbose: bool, failure: OSError | None) -> None:
        """Print what happened; nothing when the run has not begun."""
        from cannery.cli.console import print_blocks

        if self._partial is None:
            return
        is_long = len(self.results) > MAX_TABLE_ROWS
        table = _table_of_files(self.files, self.results) if is_long else _table_of_rows(self.results)
        lines = [*_failures(self.results, is_verbose), _summary(self.results, self.targets, self.junit, failure)]
        print_blocks([table, "", *lines])
        for result in self.results:
            if result.is_malformed:
                typer.echo(f"cannery: {result.log}", err=True)


def _with_progress(results: Iterator[CaseResult], total: int) -> Iterator[CaseResult]:
    """The results, with a bar on the terminal while they come."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from cannery.cli.console import console

    screen = console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task("", total=total)
        for result in results:
            progress.update(task, advance=1, description=visible(result.case.name))
            yield result


def _table_of_rows(results: Sequence[CaseResult]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("row", justify="right")
    table.add_column("case", overflow="fold")
    for title in ("operator", "chip", "status", "precision %", "error met"):
        table.add_column(title, overflow="fold")
    for result in results:
        status = Text(result.status, style=_style(result))
        case = result.case
        words = (Text(case.operator_name), result.soc, status, result.precision, _error(result))
        table.add_row(str(case.row), Text(visible(case.name)), *words)
    return table


def _table_of_files(files: Sequence[CaseFile], results: Sequence[CaseResult]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("file", overflow="fold")
    for title in ("rows", "passed", "failed", "skipped"):
        table.add_column(title, justify="right")
    for file in files:
        own = [result for result in results if result.case.file == file.path]
        table.add_row(str(file.path), str(len(own)), *map(str, _counts(own)))
    return table


def _error(result: CaseResult) -> str:
    """The error that a row met, awaited or not."""
    return "" if result.actual == NO_ERROR else result.actual


def _style(result: CaseResult) -> str:
    return "green" if result.has_passed else "yellow" if result.is_skipped else "bold red"


def _counts(results: Sequence[CaseResult]) -> tuple[int, int, int]:
    passed = sum(result.has_passed for result in results)
    skipped = sum(result.is_skipped for result in results)
    return passed, len(results) - passed - skipped, skipped


def _failures(results: Sequence[CaseResult], is_verbose: bool) -> list[str]:
    return [_failure(result, is_verbose) for result in results if result.has_failed and not result.is_malformed]


def _failure(result: CaseResult, is_verbose: bool) -> str:
    case = result.case
    line = f"{case.file}: row {case.row}: {case.name}: {result.status}: {result.log}"
    return visible(f"{line}\n{result.traceback.rstrip()}" if is_verbose and result.traceback else line)


def _summary(
    results: Sequence[CaseResult], targets: Sequence[Path], junit: Path | None, failure: OSError | None
) -> str:
    passed, failed, skipped = _counts(results)
    counts = f"{passed} passed, {failed} failed, {skipped} skipped"
    not_run = sum(result.status == NOT_RUN for result in results)
    if not_run:
        counts += f"; ended early: {not_run} of them not run"
    if failure is not None:
        return f"{counts}; not written: {failure.filename}: {failure.strerror}"
    places = [*dict.fromkeys(map(str, targets)), *([str(junit)] if junit else [])]
    return f"{counts}; written: {', '.join(places)}"
