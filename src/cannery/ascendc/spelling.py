"""How findings speak to a kernel in Ascend C."""

from __future__ import annotations

import linecache
import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from cannery.aicore.instruction import Site
from cannery.isa.op import SCALAR
from cannery.isa.table import ROWS, TABLE

_NAMES: Final = MappingProxyType(
    {
        **{op.name: op.page for op in ROWS if op.form == "lanewise"},
        "compare_scalar": "Compares", "ib_set": "IBSet", "ib_wait": "IBWait", "set_atomic_none": "DisableDmaAtomic",
        "deque": "DeQue", "enque": "EnQue", "init_buffer": "InitBuffer",
    }
)  # fmt: skip
_METHODS: Final = frozenset({"GetValue", "SetValue"})
_LINES: Final = 8
_LONGEST: Final = 40
_OFFSET: Final = re.compile(r"\s*\[[^\[\]]*\]$")


@dataclass(frozen=True)
class Cpp:
    """Ascend C's words."""

    def name(self, op: str) -> str:
        """``DataCopy``."""
        return _NAMES.get(op) or "".join(part[:1].upper() + part[1:] for part in op.split("_"))

    def function(self, op: str) -> str:
        """``AscendC::DataCopy``."""
        return f"AscendC::{self.name(op)}"

    def set_flag(self, event: str, identity: object) -> str:
        """``SetFlag<HardEvent::MTE2_V>(0)``."""
        return f"SetFlag<HardEvent::{event}>({identity})"

    def wait_flag(self, event: str, identity: object) -> str:
        """``WaitFlag<HardEvent::MTE2_V>(0)``."""
        return f"WaitFlag<HardEvent::{event}>({identity})"

    def barrier(self, pipe: str) -> str:
        """``PipeBarrier<PIPE_V>()``."""
        return f"PipeBarrier<PIPE_{pipe}>()"

    def operand(self, site: Site, op: str, *, write: bool, place: int) -> str:
        """The argument of the call, without its offset."""
        name = self.name(op)
        text = "".join(linecache.getline(site.file, site.line + step) for step in range(_LINES))
        if name in _METHODS:
            found = re.search(rf"([\w\]\[.>\-]+?)(?:\.|->){name}\b", text)
            return _short(found[1]) if found else ""
        found = re.search(rf"\b{name}\s*(?:<[^;()]*?>)?\s*\(", text)
        arguments = [] if found is None else _arguments(text[found.end() :])
        at = _place(op, write, place)
        return _short(arguments[at]) if 0 <= at < len(arguments) else ""

    def loop_variable(self, site: Site) -> str:
        """A compiled program has no loop variables: the number of the execution of a line stands in their place."""
        del site
        return "execution"


def _place(op: str, write: bool, place: int) -> int:
    """The number of the argument."""
    row = TABLE.get(op)
    if row is None or (write and place > 0):
        return -1
    if write:
        return 0
    operands = [number for number, name in enumerate(row.operands) if name != SCALAR]
    return operands[1 + place] if 0 <= place < len(operands) - 1 else 0


def _arguments(text: str) -> list[str]:
    """The arguments of a call, from behind its opening parenthesis on."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0:
            break
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _short(text: str) -> str:
    """The tensor without its offset."""
    before, now = "", " ".join(text.split())
    while now != before:
        before, now = now, _OFFSET.sub("", now)
    return now if len(now) <= _LONGEST else f"{now[: _LONGEST - 1]}…"
