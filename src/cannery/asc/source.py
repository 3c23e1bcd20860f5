"""What a program calls the operands of a call, and its loop variables: read from its source for a finding."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from cannery.aicore.instruction import Site
from cannery.isa.op import SCALAR
from cannery.isa.table import TABLE

_LONGEST: Final = 40
_METHODS: Final = frozenset({"get_value", "set_value"})
_LOOKED_UP: Final = frozenset({"src", "src0"})
_TEMPORARY: Final = ("shared_tmp_buffer", "temp_buffer")
"""What a temporary buffer is called, in the basic and in the advanced API."""
_READS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "select": ("src0", "src1", "sel_mask"),
        "gather": ("src_offset",),
        "set_cmp_mask": ("src",),
        "gatherb": ("offset",),
        "bilinear_interpolation": ("src0_offset", "src1"),
    }
)
"""The sources of operations that do not read all their operands in the order of a call."""


def operand(site: Site, op: str, *, write: bool, place: int) -> str:
    """What the call at a line calls an operand, "" where that cannot be told."""
    call = _call(site, op)
    if call is None:
        return ""
    if op in _METHODS:
        node = call.func.value if isinstance(call.func, ast.Attribute) else None
    else:
        node = _argument(call, op, _name(op, write, place))
    return "" if node is None else _short(node)


def loop_variable(site: Site) -> str:
    """The variable of the loop at a line, "" where there is none."""
    for node in ast.walk(_tree(site.file)):
        if isinstance(node, ast.For) and node.lineno == site.line and isinstance(node.target, ast.Name):
            return node.target.id
    return ""


def _name(op: str, write: bool, place: int) -> str:
    """The operand's name in the table of instructions."""
    row = TABLE.get(op)
    if row is None:
        return ""
    tensors = row.tensors
    if write:
        return tensors[place] if place < row.targets else _TEMPORARY["." in op]
    if place < 0:
        return next((name for name in tensors if name in _LOOKED_UP), "")
    reads = _READS.get(op, tensors[row.targets :])
    return reads[place] if place < len(reads) else tensors[0]


def _argument(call: ast.Call, op: str, name: str) -> ast.expr | None:
    keyword = next((word.value for word in call.keywords if word.arg == name), None)
    if keyword is not None or op not in TABLE:
        return keyword
    operands = TABLE[op].operands
    if op == "mmad" and name == "bias" and len(call.args) + len(call.keywords) <= len(operands):
        name = "dst"  # without a bias the third source is what C holds
    at = operands.index(name) if name in operands and name != SCALAR else len(call.args)
    return call.args[at] if at < len(call.args) else None


def _call(site: Site, op: str) -> ast.Call | None:
    """The innermost call of an operation on a line."""
    found = [
        node
        for node in ast.walk(_tree(site.file))
        if isinstance(node, ast.Call)
        and node.lineno <= site.line <= (node.end_lineno or node.lineno)
        and _called(node) == op.rpartition(".")[2]
    ]
    return max(found, key=lambda node: (node.lineno, node.col_offset), default=None)


def _called(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _short(node: ast.expr) -> str:
    """The tensor without its offset."""
    while isinstance(node, ast.Subscript):
        node = node.value
    text = ast.unparse(node)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _tree(file: str) -> ast.AST:
    return _parsed("".join(linecache.getlines(file)))


@lru_cache(maxsize=32)
def _parsed(text: str) -> ast.AST:
    try:
        return ast.parse(text)
    except SyntaxError:
        return ast.Module([], [])
