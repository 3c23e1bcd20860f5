"""What a row gave, and the result file that says so."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cannery.operator import TilingResult
from cannery.operator.definition import snake_case
from cannery.st.case import Row
from cannery.st.compare import Verdict
from cannery.st.places import write_atomically

PASS, FAIL = "PASS", "FAIL"
# What is said of a row that a run did not come to.
NOT_RUN = "NOT_RUN"
# What is said of a row that cannot be read.
MALFORMED = "CASE_INVALID"
# The kernel runs in one mode here; the columns of the other two say so in the kit's words.
CONST_OFF, BINARY_OFF = "CST_OFF", "BIN_OFF"
# Columns of the kit's kernel result, in its order, then ours. Times stay empty: a host's clock says nothing of a
# device, and the same run has to give the same bytes. Source: hicann/ops-test-kit `profiling_structure.py` @202675b6.
COLUMNS = (
    *("dyn_kernel_name", "cst_kernel_name", "bin_kernel_name"),
    *("dyn_block_dim", "cst_block_dim", "bin_block_dim"),
    *("dyn_perf_us", "cst_perf_us", "bin_perf_us"),
    *("dyn_compile_s", "cst_compile_s", "bin_compile_s"),
    *("dyn_precision", "cst_precision", "bin_precision"),
    *("dyn_oob_result", "cst_oob_result", "bin_oob_result"),
    *("dyn_tiling_time_us", "bin_tiling_time_us"),
    *("dyn_tiling_key", "bin_tiling_key"),
    *("dyn_tiling_data", "bin_tiling_data"),
    *("perf_status", "precision_status", "memory_oob_status"),
    *("dyn_workspaces", "cst_workspaces", "bin_workspaces"),
    *("data_input_size_b", "data_output_size_b", "soc", "xpu_metrics", "precision_metrics"),
    *("engine", "actual_error", "log"),
)
CASE_FILE = "case_file"
# How a cell begins that a spreadsheet calculates, and those of them that are numbers or lists of numbers.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBERS = re.compile(r"[-+](?:[\d.,;:eE\s]|[-+](?=[\d.in])|inf|nan)*")


@dataclass(frozen=True)
class CaseResult:
    """What a row gave.

    Attributes:
        status: PASS, FAIL, a word of the kit for what went wrong, or ``stage:STATUS`` of an unexpected refusal.
        is_skipped: the row was not for this run; it counts neither way.
        actual: the error in ATB's spelling, NO_ERROR without one; empty when the row did not run.
        log: why it failed, or what was passed over, in one line.
        traceback: of what an operator, a golden or a hook raised; empty when none did.
        findings: of a checked engine.
    """

    case: Row
    status: str
    is_skipped: bool = False
    soc: str = ""
    engine: str = ""
    actual: str = ""
    log: str = ""
    traceback: str = ""
    tiling: TilingResult | None = None
    verdicts: tuple[Verdict, ...] = ()
    findings: tuple[Any, ...] = ()
    output_bytes: int = 0

    @classmethod
    def not_run(cls, case: Row) -> CaseResult:
        """That of a row which a run that was ended did not come to."""
        return cls(case, NOT_RUN, is_skipped=True, log="the run was ended before this row")

    @property
    def has_passed(self) -> bool:
        """Whether the row is in order."""
        return self.status == PASS

    @property
    def has_failed(self) -> bool:
        """Whether the row speaks against the operator."""
        return not self.has_passed and not self.is_skipped

    @property
    def is_malformed(self) -> bool:
        """Whether the row could not be read."""
        return self.status == MALFORMED

    @property
    def precision(self) -> str:
        """Share of elements in order in percent, one number an output."""
        return ", ".join(_percent(verdict.precision) for verdict in self.verdicts)


def result_cells(result: CaseResult) -> dict[str, str]:
    """The row's own cells and the result's, by column."""
    tiling = result.tiling
    cells = dict.fromkeys(COLUMNS, "")
    cells.update(
        dyn_kernel_name=snake_case(result.case.operator_name) if tiling else "",
        dyn_block_dim=str(tiling.block_dim) if tiling else "",
        dyn_precision=result.precision or ("" if result.has_passed else result.status),
        cst_precision=CONST_OFF,
        bin_precision=BINARY_OFF,
        dyn_oob_result=_findings(result, "OOB"),
        dyn_tiling_key=str(tiling.key) if tiling else "",
        dyn_tiling_data=tiling.data.hex() if tiling else "",
        precision_status=result.status,
        memory_oob_status=_oob_status(result),
        dyn_workspaces=str(tiling.workspaces) if tiling else "",
        data_input_size_b=str(result.case.input_bytes),
        data_output_size_b=str(result.output_bytes),
        soc=result.soc,
        precision_metrics=_metrics(result.verdicts),
        engine=result.engine,
        actual_error=result.actual,
        log=result.log,
    )
    return {**result.case.cells, **cells}


@dataclass(frozen=True)
class Table:
    """A result file: rows of the case files that go there, under the columns of those files and ours."""

    path: Path
    columns: tuple[str, ...]
    sources: tuple[Path, ...]

    def takes(self, result: CaseResult) -> bool:
        """Whether a row goes there."""
        return result.case.file in self.sources

    def text(self, results: Iterable[CaseResult], has_header: bool = True) -> str:
        """What the file holds."""
        text = io.StringIO()
        writer = csv.DictWriter(text, self.columns, restval="", lineterminator="\n", extrasaction="ignore")
        if has_header:
            writer.writeheader()
        for result in results:
            cells = {**result_cells(result), CASE_FILE: str(result.case.file)}
            writer.writerow({name: inert(cell) for name, cell in cells.items()})
        return text.getvalue()


def tables(targets: Sequence[tuple[Path, Sequence[str]]], files: Sequence[Path]) -> list[Table]:
    """The result file of each place, of the case files in order with their places and columns."""
    return [_table(target, targets, files) for target in dict.fromkeys(path for path, _ in targets)]


def _table(target: Path, targets: Sequence[tuple[Path, Sequence[str]]], files: Sequence[Path]) -> Table:
    sources = tuple(file for file, (path, _) in zip(files, targets, strict=True) if path == target)
    own = dict.fromkeys(name for path, columns in targets if path == target for name in columns)
    lead = (CASE_FILE,) if len(sources) > 1 else ()
    return Table(target, (*lead, *(name for name in own if name not in COLUMNS), *COLUMNS), sources)


def write_results(
    targets: Sequence[tuple[Path, Sequence[str]]], results: Sequence[CaseResult], files: Sequence[Path]
) -> None:
    """Write each target whole."""
    for table in tables(targets, files):
        write_atomically(table.path, table.text(filter(table.takes, results)))


def inert(cell: str) -> str:
    """A cell that a spreadsheet shows and does not calculate: what would be a formula gets an apostrophe in front.

    Numbers and lists of them stay as they are, whatever their sign.
    """
    return f"'{cell}" if cell.startswith(FORMULA) and not _NUMBERS.fullmatch(cell) else cell


def _percent(value: Any) -> str:
    return f"{math.floor(value * 10000) / 10000:g}" if isinstance(value, float) and math.isfinite(value) else str(value)


def _metrics(verdicts: Sequence[Verdict]) -> str:
    if not verdicts:
        return ""
    rows = [{"standard": verdict.standard, **_plain(verdict.metrics)} for verdict in verdicts]
    return json.dumps(rows, default=str)


def _plain(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """JSON has no Infinity and no NaN."""
    finite = {
        key: value if not isinstance(value, float) or math.isfinite(value) else str(value)
        for key, value in metrics.items()
    }
    return {str(key): value for key, value in finite.items()}


def _findings(result: CaseResult, kind: str) -> str:
    return "; ".join(str(finding) for finding in result.findings if kind_of(finding) == kind)


def kind_of(finding: Any) -> str:
    """The kind of a finding, e.g. RAW."""
    kind = getattr(finding, "kind", type(finding).__name__)
    return str(getattr(kind, "value", kind))


def _oob_status(result: CaseResult) -> str:
    """Only a checked engine can tell; without findings of it nothing is claimed."""
    return FAIL if any(kind_of(finding) == "OOB" for finding in result.findings) else ""
