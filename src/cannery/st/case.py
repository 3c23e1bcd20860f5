"""A row of a case file as the runner takes it, whichever format the file has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from math import prod
from pathlib import Path
from typing import Any

from cannery.core import INT64_MAX, DataType, Format, Refusal, Shape, Stage, TensorDesc
from cannery.core.format import OFFERED
from cannery.operator import Operator
from cannery.soc import soc

Number = int | float


class CaseFileError(Refusal, ValueError):
    """A case file that is not well formed. The text is one line: file, row, column, found, expected.

    Attributes:
        file: path as the caller gave it.
        row: number of the data row, from 1; None when the file or its header is at fault.
        line: number of the line the row ends on.
        column: name of the column; empty when a whole row is at fault.
    """

    def __init__(
        self, file: Path | str, row: int | None, line: int | None, column: str, found: object, expected: object
    ) -> None:
        super().__init__(column, found, expected)
        self.args = (file, row, line, column, found, expected)
        self.file = str(file)
        self.row = row
        self.line = line
        self.column = column

    def __str__(self) -> str:
        row = f"row {self.row} (line {self.line})" if self.row is not None else "header" if self.column else ""
        column = f"column {self.column}" if self.column else ""
        facts = f"found {shorten(self.found)}, expected {shorten(self.expected)}"
        return ": ".join(filter(None, (self.file, row, column, facts)))


class CellError(Refusal, ValueError):
    """What is wrong with one cell; the reader of the row adds where it stands."""

    def __init__(self, found: object, expected: object, column: str = "") -> None:
        super().__init__(column, found, expected)
        self.args = (found, expected, column)
        self.column = column


def shorten(text: str, limit: int = 200) -> str:
    """The text in one line of bounded length."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


# What a row may describe, so that a slip of the pen cannot take the machine's memory. A description of a tensor holds
# up to 124 dims, and Python writes no integer of more than 4300 digits: not the elements of much more than 200 dims.
MAX_TENSORS = 1024
MAX_DIMS = 200


# Chips that case files name and nobody can ask for here: a row for these alone is passed over.
OTHER_CHIPS = frozenset({"ascend910", "ascend910a", "ascend910pro", "ascend310", "ascend310b", "ascend610lite"})


class Fill(Enum):
    """How an input gets its data."""

    UNIFORM = "uniform over the closed range, both bounds occur"
    HALF_OPEN = "uniform over [low, high)"
    ONE = "all ones"
    ZERO = "all zeros"


@dataclass(frozen=True)
class Data:
    """Where the elements of an input come from.

    Attributes:
        low, high: bounds of the range; None for the format's own default.
        must_occur: values that have to be among the elements.
        is_custom: the operator's ``customize_inputs`` may replace the data.
        file: read from here instead.
    """

    fill: Fill = Fill.UNIFORM
    low: Number | None = None
    high: Number | None = None
    must_occur: tuple[Number, ...] = ()
    is_custom: bool = True
    file: Path | None = None


@dataclass(frozen=True)
class TensorSpec:
    """A tensor of a row: what describes it, and where its data come from."""

    desc: TensorDesc
    data: Data = Data()
    origin_format: Format = Format.FORMAT_ND

    @property
    def nbytes(self) -> int:
        """Bytes it takes; exact, as Python integers do not wrap."""
        return prod(self.desc.shape) * self.desc.dtype.itemsize

    @property
    def origin_shape(self) -> Shape:
        """The shape before any storage format."""
        return self.desc.origin_shape if self.desc.origin_shape is not None else self.desc.shape


# A tensor, a list of tensors, or an optional input that is absent.
Slot = TensorSpec | tuple[TensorSpec, ...] | None


class Standard(Enum):
    """Whose comparison standard judges the row."""

    TTK = "ttk"
    ATB = "atb"


@dataclass(frozen=True)
class Expectation:
    """What an ATB row expects.

    Attributes:
        stage: where the error comes from; with ``code`` empty, the last stage to run. None: a whole run, compared.
        code: name of the status; empty when none is expected.
    """

    stage: Stage | None = None
    code: str = ""

    def __str__(self) -> str:
        prefix = f"{self.stage.letter}:" if self.stage is not None else ""
        return prefix + (self.code or "NO_ERROR")


@dataclass(frozen=True)
class Case:
    """One row.

    Attributes:
        file, row: where it stands; rows count from 1.
        cells: the row's own cells, which the result repeats.
        inputs: one entry an input, in definition order.
        outputs: None when they are to be inferred.
        attrs: what the operator is given.
        socs: short or full names of chips the row is for; those after ``-`` are ruled out.
        output_fill: what output memory holds beforehand.
        inplace: for each output the index of the input whose data it holds beforehand, or None.
        tolerances: (rtol, ptol) of each output, None where the standard's own apply.
        golden_files, third_party_files: outputs read instead of computed.
        notes: what the reader passed over.
    """

    file: Path
    row: int
    name: str
    operator: Operator
    cells: Mapping[str, str]
    standard: Standard
    inputs: tuple[Slot, ...]
    outputs: tuple[TensorSpec, ...] | None
    attrs: Mapping[str, Any]
    socs: tuple[str, ...] = ()
    output_fill: int = 0
    inplace: tuple[int | None, ...] = ()
    expected: Expectation = Expectation()
    tolerances: tuple[tuple[float, float] | None, ...] = ()
    absolute: tuple[float, ...] = ()
    golden_files: tuple[Path | None, ...] = ()
    third_party_files: tuple[Path | None, ...] = ()
    is_enabled: bool = True
    notes: tuple[str, ...] = ()

    @property
    def operator_name(self) -> str:
        """CANN's type of the operator."""
        return self.operator.name

    @property
    def tensors(self) -> tuple[TensorSpec | None, ...]:
        """The inputs with lists of tensors laid flat, as the operator takes them."""
        flat: list[TensorSpec | None] = []
        for slot in self.inputs:
            flat.extend(slot if isinstance(slot, tuple) else (slot,))
        return tuple(flat)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the row's data are read from."""
        drawn = (spec.data.file for spec in self.tensors if spec is not None)
        return tuple(path for path in (*drawn, *self.golden_files, *self.third_party_files) if path is not None)

    @property
    def input_bytes(self) -> int:
        """Bytes of all inputs."""
        return sum(spec.nbytes for spec in self.tensors if spec is not None)

    @property
    def has_float(self) -> bool:
        """Whether an input is of a floating type."""
        return any(spec is not None and spec.desc.dtype.is_floating for spec in self.tensors)


@dataclass(frozen=True)
class RefusedRow:
    """A row that cannot be read; the other rows of its file run.

    Attributes:
        file, row, name, cells: as those of a case.
        operator_name: what the row calls it.
        error: what is wrong.
    """

    file: Path
    row: int
    name: str
    operator_name: str
    cells: Mapping[str, str]
    error: CaseFileError

    @property
    def input_bytes(self) -> int:
        """Nothing is known of its inputs."""
        return 0


Row = Case | RefusedRow


@dataclass(frozen=True)
class CaseFile:
    """A file read: its columns in order, the cases, and the rows that are none."""

    path: Path
    columns: tuple[str, ...]
    cases: tuple[Case, ...]
    refused: tuple[RefusedRow, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """Cases and refused rows as they stand."""
        return tuple(sorted((*self.cases, *self.refused), key=lambda row: row.row))


def check_chip(name: object) -> None:
    """Refuse a cell that names no chip.

    Raises:
        CellError: nobody knows it.
    """
    if isinstance(name, str) and name.lower() in OTHER_CHIPS:
        return
    try:
        soc(name)  # type: ignore[arg-type]
    except ValueError as failure:
        raise CellError(repr(name), f"a known chip ({failure})") from None


def make_shape(dims: Iterable[int]) -> Shape:
    """The shape of those dims, each at least 0.

    Raises:
        CellError: too many, or one that int64 does not hold.
    """
    dims = tuple(dims)
    if len(dims) > MAX_DIMS:
        raise CellError(f"{len(dims)} dims", f"at most {MAX_DIMS}")
    if any(dim > INT64_MAX for dim in dims):
        raise CellError("a dim of 2**63 or more", "dims that fit int64")
    return Shape(dims)


def check_count(count: int) -> int:
    """A number of tensors.

    Raises:
        CellError: more than a row may have.
    """
    if count > MAX_TENSORS:
        raise CellError(f"{count} tensors", f"at most {MAX_TENSORS}")
    return count


def data_type(value: object) -> DataType:
    """The data type of a cell.

    Raises:
        CellError: there is none of that name.
    """
    try:
        return DataType.of(value)
    except (ValueError, TypeError):
        raise CellError(repr(value), "a data type such as float16, bfloat16 or int32") from None


def memory_format(value: object) -> Format:
    """The format of a cell.

    Raises:
        CellError: there is none of that name.
    """
    try:
        return Format.of(value)
    except ValueError:
        raise CellError(repr(value), f"a format: {', '.join(item.short for item in OFFERED)}") from None
