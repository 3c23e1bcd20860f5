"""Case files: which there are, which format each has, and their rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeVar

from cannery.operator import Operator, find_operator
from cannery.st.atb import reader as atb_reader
from cannery.st.atb import schema as atb_schema
from cannery.st.case import Case, CaseFile, CaseFileError, CellError, RefusedRow, Row
from cannery.st.ttk import reader as ttk_reader
from cannery.st.ttk import schema as ttk_schema

MAX_COLUMNS = 1000
RESULT_SUFFIX = "_result.csv"
Find = Callable[[str], Operator]
AnyRow = TypeVar("AnyRow", Case, Case | RefusedRow)
_Rows = Iterator[tuple[int, list[str]]]


def find_case_files(paths: Iterable[Path | str]) -> tuple[Path, ...]:
    """The case files among the paths, each once; a folder stands for every .csv below it. Results are not cases.

    Raises:
        CaseFileError: a path does not exist, or none is a case file.
    """
    found: dict[Path, Path] = {}
    for path in map(Path, paths):
        if not path.exists():
            raise CaseFileError(path, None, None, "", "nothing", "a case file or a folder of them")
        for file in sorted(path.rglob("*.csv")) if path.is_dir() else [path]:
            if not file.name.endswith(RESULT_SUFFIX):
                found.setdefault(file.resolve(), file)
    if not found:
        given = ", ".join(map(str, paths)) or "no path"
        raise CaseFileError(given, None, None, "", f"no case file (names in {RESULT_SUFFIX} are results)", "one")
    return tuple(found.values())


def load_cases(path: Path | str, find: Find = find_operator) -> CaseFile:
    """Read a case file of which every row is in order; its header tells the format.

    Args:
        path: a kernel case file of ops-test-kit (commas) or a case file of ATB (bars).
        find: gives the operator of a name; raises ValueError for an unknown one.

    Raises:
        CaseFileError: the file or a row is malformed; one line with file, row, column, found, expected.
    """
    file = read_cases(path, find)
    if file.refused:
        raise file.refused[0].error
    return file


def read_cases(path: Path | str, find: Find = find_operator) -> CaseFile:
    """Read a case file; rows that cannot be read are among those refused, and say why.

    Args:
        path, find: as those of ``load_cases``.

    Raises:
        CaseFileError: the file is malformed, its header is, or there is nothing but a header.
    """
    path = Path(path)
    lines = _lines(path)
    header = next((line for line in lines if line.strip()), "")
    layout = _layout(path, header)
    split = layout.split(path, lines)
    columns = _columns(path, next(split)[1], layout)
    rows = [_row(path, number, line, columns, values, layout, find) for number, (line, values) in enumerate(split, 1)]
    if not rows:
        raise CaseFileError(path, None, None, "", "a header and no row", "at least one row")
    cases = tuple(row for row in rows if isinstance(row, Case))
    return CaseFile(path, columns, cases, tuple(row for row in rows if isinstance(row, RefusedRow)))


def select(rows: Sequence[AnyRow], pattern: str) -> tuple[AnyRow, ...]:
    """The rows whose name contains the pattern, or matches it where it has ``*``, ``?`` or ``[``; case is ignored."""
    wanted = pattern.lower()
    if not any(sign in wanted for sign in "*?["):
        wanted = f"*{wanted}*"
    return tuple(row for row in rows if fnmatchcase(row.name.lower(), wanted))


@dataclass(frozen=True)
class _Layout:
    """A format: columns it cannot do without, those of name and operator, how lines become cells and cells a case."""

    required: tuple[str, ...]
    name: str
    operator: str
    split: Callable[[Path, Sequence[str]], _Rows]
    read_row: Callable[[Path, int, Mapping[str, str], Find], Case]
    misspelled: Callable[[tuple[str, ...]], tuple[str, str] | None]


def _lines(path: Path) -> list[str]:
    try:
        return list(io.StringIO(path.read_text(encoding="utf-8-sig")))
    except UnicodeDecodeError as failure:
        found = f"bytes that are not UTF-8 (at offset {failure.start})"
        raise CaseFileError(path, None, None, "", found, "a text file") from None


def _layout(path: Path, header: str) -> _Layout:
    bars = {name.strip() for name in header.split("|")}
    commas = {name.strip().strip('"') for name in header.split(",")}
    if len(bars) > 1:
        return _ATB
    if "api_name" in commas:
        raise CaseFileError(path, None, None, "api_name", "an ACLNN or E2E case file", "a kernel file, with op_name")
    if commas & set(ttk_schema.COLUMNS):
        return _TTK
    expected = "columns of ops-test-kit (op_name,input_shapes,…) or of ATB (CaseNum|CaseName|OpName|…)"
    raise CaseFileError(path, None, None, "", repr(header.strip()) if header else "an empty file", expected)


def _columns(path: Path, header: list[str], layout: _Layout) -> tuple[str, ...]:
    columns = tuple(name.strip() for name in header)
    if len(columns) > MAX_COLUMNS:
        raise CaseFileError(path, None, None, "", f"{len(columns)} columns", f"at most {MAX_COLUMNS}")
    missing = [name for name in layout.required if name not in columns]
    near = layout.misspelled(columns)
    if near is not None:
        raise CaseFileError(path, None, None, near[0], "an unknown column", f"{near[1]}, by the look of it")
    if missing:
        raise CaseFileError(path, None, None, missing[0], "no such column", "all required columns")
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise CaseFileError(path, None, None, twice, "it twice", "each column once")
    return columns


def _row(
    path: Path, number: int, line: int, columns: tuple[str, ...], values: list[str], layout: _Layout, find: Find
) -> Row:
    cells = dict(zip(columns, values, strict=False))
    try:
        if len(values) != len(columns):
            raise CellError(f"{len(values)} cells", f"{len(columns)}, one a column")
        return layout.read_row(path, number, cells, find)
    except CellError as failure:
        error = CaseFileError(path, number, line, failure.column, failure.found, failure.expected)
    except (ValueError, ArithmeticError, RecursionError, MemoryError) as failure:
        error = CaseFileError(path, number, line, "", f"{type(failure).__name__}: {failure}", "a row that can be read")
    name = cells.get(layout.name, "").strip() or f"row_{number}"
    return RefusedRow(path, number, name, cells.get(layout.operator, "").strip(), cells, error)


def _split_commas(path: Path, lines: Sequence[str]) -> _Rows:
    return _split(path, lines, ",")


def _split_bars(path: Path, lines: Sequence[str]) -> _Rows:
    """All blanks go, as the original strips them."""
    bare = ["".join(line.split()) for line in lines]
    for line, values in _split(path, bare, "|"):
        # A bar at the end of a line closes it.
        closed = len(values) > len(atb_schema.COLUMNS) and not values[-1]
        yield line, values[:-1] if closed else values


def _split(path: Path, lines: Sequence[str], delimiter: str) -> _Rows:
    """Line number and cells of each row that is not blank."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for values in reader:
            if any(value.strip() for value in values):
                yield reader.line_num, values
    except csv.Error as failure:
        raise CaseFileError(
            path, None, None, "", f"line {reader.line_num}: {failure}", "separated cells, quoted in pairs"
        ) from None


_TTK = _Layout(
    ttk_schema.REQUIRED, "testcase_name", "op_name", _split_commas, ttk_reader.read_row, ttk_schema.misspelled
)
_ATB = _Layout(atb_schema.COLUMNS, "CaseName", "OpName", _split_bars, atb_reader.read_row, lambda columns: None)
