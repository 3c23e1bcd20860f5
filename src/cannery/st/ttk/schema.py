"""Columns of a kernel case file, their defaults, and how their cells are read.

Source: hicann/ops-test-kit `docs/Test_Case_Generation.md` @446fd490,
`docs/Operator_Test_Guides/Kernel_Case_Writing.md`, `testcase_op.py` @157e09c1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from cannery.st.case import CellError
from cannery.st.ttk.literals import parse_literal


@dataclass(frozen=True)
class Column:
    """A column: what an empty cell or an absent column stands for, and how a cell is read."""

    default: Any
    read: Callable[[str], Any]
    is_required: bool = False


def _text(cell: str) -> str:
    """Text as it stands; quotes around it are Python's."""
    if cell[:1] in "'\"" and cell[-1:] == cell[:1]:
        return str(_literal(cell))
    return cell


def _literal(cell: str) -> Any:
    try:
        return parse_literal(cell)
    except ValueError as failure:
        raise CellError(f"{cell!r}, {failure}", "a Python literal") from None


def _tuple(cell: str) -> tuple[Any, ...]:
    """A tuple; a list counts as one, and a single word or number is a tuple of one."""
    value = _literal(cell)
    if isinstance(value, (list, tuple)):
        return tuple(value)
    if value is None:
        return ()
    if isinstance(value, (dict, set)):
        raise CellError(cell, "a tuple")
    return (value,)


def _dict(cell: str) -> dict[str, Any]:
    value = _literal(cell)
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise CellError(cell, "a dict from attribute name to value, such as {'axis': 0}")
    return value


def _flag(cell: str) -> bool:
    words = {"true": True, "1": True, "false": False, "0": False}
    if cell.lower() not in words:
        raise CellError(cell, "True or False")
    return words[cell.lower()]


COLUMNS: Mapping[str, Column] = MappingProxyType(
    {
        "testcase_name": Column("", _text),
        "network_name": Column(None, _text),
        "op_name": Column(None, _text, is_required=True),
        "input_shapes": Column((), _tuple, is_required=True),
        "input_dtypes": Column((), _tuple, is_required=True),
        "input_formats": Column(("ND",), _tuple),
        "input_ori_shapes": Column((), _tuple),
        "input_ori_formats": Column((), _tuple),
        "output_shapes": Column(None, _tuple, is_required=True),
        "output_dtypes": Column(None, _tuple, is_required=True),
        "output_formats": Column((), _tuple),
        "output_ori_shapes": Column((), _tuple),
        "output_ori_formats": Column((), _tuple),
        "attributes": Column({}, _dict),
        **{f"attributes{number}": Column({}, _dict) for number in range(1, 10)},
        "output_inplace_indexes": Column((), _tuple),
        "output_shape_unknown_indexes": Column((), _tuple),
        "input_data_ranges": Column(((None, None),), _tuple),
        "precision_tolerances": Column((), _tuple),
        "absolute_precision": Column(1e-8, _literal),
        "is_enabled": Column(True, _flag),
        "remark": Column(None, _text),
        "soc_series": Column((), _tuple),
        "priority": Column(0, _literal),
        "dump_file_prefix": Column(None, _text),
        "manual_input_binaries": Column((), _tuple),
        "manual_golden_binaries": Column((), _tuple),
        "manual_xpu_binaries": Column((), _tuple),
        "dyn_input_shapes": Column((), _tuple),
    }
)
REQUIRED = tuple(name for name, column in COLUMNS.items() if column.is_required)


def misspelled(header: tuple[str, ...]) -> tuple[str, str] | None:
    """An unknown column that looks like a known, absent one, and that one. Other unknown columns are fine."""
    absent = [name for name in COLUMNS if name not in header]
    for name in header:
        near = get_close_matches(name, absent, n=1, cutoff=0.85) if name not in COLUMNS else []
        if near:
            return name, near[0]
    return None


def read_cells(cells: Mapping[str, str]) -> dict[str, Any]:
    """Values of all known columns.

    Raises:
        CellError: a cell cannot be read, or a required one is empty; it names the column.
    """
    return {name: _read(name, column, cells.get(name, "").strip()) for name, column in COLUMNS.items()}


def _read(name: str, column: Column, cell: str) -> Any:
    if cell in ("", "None"):
        if column.default is None and column.is_required:
            raise CellError("nothing", "a value, as this column is required", name)
        return column.default
    try:
        return column.read(cell)
    except CellError as failure:
        raise CellError(failure.found, failure.expected, name) from None
