"""Columns of an ATB case file and how their cells are read.

Source: ascend-transformer-boost `tests/framework/python/CsvOpsTestTool` and its guide @ddcc8b6.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from cannery.core import AclnnStatus, AtbStatus, Format, GeStatus, Shape, Stage
from cannery.st.case import CellError, Data, Expectation, Fill, Number, check_count, make_shape, memory_format

COLUMNS = (
    "CaseNum",
    "CaseName",
    "OpName",
    "OpParam",
    "InNum",
    "InDType",
    "InFormat",
    "InShape",
    "OutNum",
    "OutDType",
    "OutFormat",
    "OutShape",
    "DataGenType",
    "DataGenRange",
    "InTensorFile",
    "OutTensorFile",
    "TestType",
    "TestLevel",
    "FromModel",
    "SocVersion",
    "ExpectedError",
)
# What pandas, by which the original reads, takes as an empty cell.
NOTHING = frozenset({"nan", "NaN", "-nan", "-NaN", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "null", "NULL", "None"})
TEST_TYPES = ("Function", "Performance", "Generalization")
# Beyond so many digits Python refuses to read or write an integer; int64 has 19.
MAX_DIGITS = 20
# An empty DataGenType or DataGenRange.
DEFAULT_RANGE = (-5, 5)

_STAGES: Mapping[str, Stage] = MappingProxyType({stage.letter: stage for stage in Stage})
_CODES = frozenset({*AtbStatus.__members__, *GeStatus.__members__, *AclnnStatus.__members__})
_NO_ERROR = AtbStatus.NO_ERROR.name
_FILLS: Mapping[str, tuple[Fill, bool]] = MappingProxyType(
    {
        "one": (Fill.ONE, False),
        "zero": (Fill.ZERO, False),
        "random": (Fill.HALF_OPEN, False),
        "customize": (Fill.HALF_OPEN, True),
    }
)
T = TypeVar("T")


def read_number(cell: str) -> int:
    """A count; an empty cell is 0."""
    if not cell:
        return 0
    if not cell.isdecimal():
        raise CellError(repr(cell), "a number of tensors")
    return check_count(_integer(cell))


def read_param(cell: str) -> dict[str, Any]:
    """OpParam: a JSON object; an empty cell is an empty one."""
    if not cell:
        return {}
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError) as failure:
        raise CellError(f"{cell!r} ({failure})", "a JSON object") from None
    if not isinstance(value, dict):
        raise CellError(repr(cell), "a JSON object")
    return value


def without_words_for_nothing(cells: Mapping[str, str]) -> dict[str, str]:
    """The cells, those empty that the original's reader takes as empty."""
    return {column: "" if cell in NOTHING else cell for column, cell in cells.items()}


def read_list(cell: str, count: int, read: Callable[[str], T], *, may_be_more: bool = False) -> tuple[T, ...]:
    """Entries between semicolons, one a tensor; a single one holds for all of them."""
    entries = cell.removesuffix(";").split(";") if cell and count else []
    if may_be_more:
        entries = entries[:count]
    if len(entries) == 1:
        entries = entries * count
    if len(entries) != count:
        raise CellError(f"{len(entries)} entries", f"{count}, one a tensor")
    return tuple(read(entry) for entry in entries)


def read_shape(cell: str) -> Shape:
    """Dims between commas."""
    dims = cell.split(",")
    if not all(dim.isdecimal() for dim in dims):
        raise CellError(repr(cell), "dims between commas, such as 2,4096,4096")
    return make_shape(map(_integer, dims))


def _integer(digits: str) -> int:
    """The number; one of more digits than any limit here has as the first beyond int64."""
    return int(digits) if len(digits) <= MAX_DIGITS else 10**MAX_DIGITS


def read_input_format(cell: str) -> Format:
    """The format of an input; the original's harness silently makes ND of NCHW."""
    layout = memory_format(cell)
    return Format.FORMAT_ND if layout is Format.FORMAT_NCHW else layout


def read_range(cell: str) -> tuple[Number, Number]:
    """Two bounds between a comma; nan and inf are among them."""
    try:
        low, high = (_bound(bound) for bound in cell.split(","))
    except ValueError:
        raise CellError(repr(cell), "two bounds, such as -5,5") from None
    if low > high:
        raise CellError(repr(cell), "a lower bound that is not above the upper one")
    return low, high


def _bound(text: str) -> Number:
    value = float(text)
    return int(value) if value.is_integer() else value


def read_fill(cell: str) -> tuple[Fill, bool]:
    """DataGenType: how an input is filled, and whether the operator's own data may replace it."""
    if cell not in _FILLS:
        raise CellError(repr(cell), f"one of {', '.join(_FILLS)}")
    return _FILLS[cell]


def read_data(fill: tuple[Fill, bool], bounds: tuple[Number, Number]) -> Data:
    """How an input is filled."""
    return Data(fill[0], bounds[0], bounds[1], is_custom=fill[1])


def read_test_type(cell: str) -> str:
    """TestType; an empty cell is Function."""
    name = cell.capitalize() or TEST_TYPES[0]
    if name not in TEST_TYPES:
        raise CellError(repr(cell), f"one of {', '.join(TEST_TYPES)}")
    return name


def read_expectation(cell: str) -> Expectation:
    """ExpectedError: ``NO_ERROR``, ``stage:NAME``, or ``stage:NO_ERROR``, which ends the run after that stage."""
    letter, colon, name = cell.rpartition(":")
    if not cell or cell == _NO_ERROR:
        return Expectation()
    if not colon or letter not in _STAGES or name not in _CODES:
        wanted = f"{_NO_ERROR}, or one of {', '.join(_STAGES)}, a colon and the name of a status"
        raise CellError(repr(cell), wanted)
    return Expectation(_STAGES[letter], "" if name == _NO_ERROR else name)
