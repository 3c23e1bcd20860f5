"""Which of pyasc's names run here, and on which chip: the page that ``python -m cannery.asc.census FILE`` writes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from cannery import asc
from cannery.aicore.pipes import PIPES
from cannery.asc import adv, lists
from cannery.asc.unsimulated import Unsimulated
from cannery.core.published import published
from cannery.isa.op import DAV_2201, DAV_3510, Op, Signature
from cannery.isa.table import TABLE

ARCHS: Final = (DAV_2201, DAV_3510)
_OWNERS: Final = MappingProxyType({"asc": asc, "asc.adv": adv})
_WIDTH: Final = 112
_LISTS: Final = ", ".join(f"dav-{arch}" for arch in lists.ARCHS)
_ON_SOME_CHIPS: Final = MappingProxyType({"asc.ListTensorDesc": f" ({_LISTS})"})
_HEAD: Final = """\
# Names of pyasc on the virtual AI core

Written by `python -m cannery.asc.census docs/asc.md` from the table of instructions and from the names that
hicann/pyasc @cecba26a publishes.

"""
_LEGEND: Final = """\
Element types: `i`, `u`, `f` and bits, `bf` for bfloat16; `f16 f32` all operands have one of them; `i8 < f16` the
destination has the first, the sources have the others. In brackets: only in the form with a count. A dash: the chip has
no such instruction, and a call is refused by name.

| name | pipe | dav-2201 (A2, A3) | dav-3510 (950) |
|---|---|---|---|
"""


def page() -> str:
    """The text of the page; the same names and tables give the same text."""
    names = dict(_names())
    simulated = [name for name, value in names.items() if not isinstance(value, Unsimulated)]
    rows = [op for op in TABLE.values() if _published(op)]
    nowhere = [op.name for op in rows if all(_is_absent(op, arch) for arch in ARCHS)]
    others = [name for name in simulated if name.removeprefix("asc.") not in TABLE]
    missing = [name for name in names if name not in simulated]
    count = len(simulated) - len(nowhere)
    return (
        f"{_HEAD}{count} of {len(names)} names run. {len(nowhere)} belong to older chips and are refused by name; "
        f"{len(missing)} are\nnot simulated and say so when they are called.\n\n## Instructions\n\n{_LEGEND}"
        f"{''.join(map(_row, rows))}\n## Other names that run\n\n{_listed(others)}\n"
        f"## Not simulated\n\n{_listed(missing)}"
    )


def _names() -> Iterator[tuple[str, Any]]:
    for owner, module in _OWNERS.items():
        for name in sorted(published("cannery.asc").names[owner]):
            yield f"{owner}.{name}", getattr(module, name)


def _published(op: Op) -> bool:
    owner, _, name = f"asc.{op.name}".rpartition(".")
    return published("cannery.asc").has(owner, name)


def _is_absent(op: Op, arch: int) -> bool:
    return op.types is not None and not op.types[arch].modes


def _row(op: Op) -> str:
    pipe = PIPES[op.pipe] if op.pipe is not None else ", ".join(PIPES[one] for one in _pipes(op))
    cells = [_types(op, arch) for arch in ARCHS]
    return f"| `{op.name}` | {pipe} | {' | '.join(cells)} |\n"


def _pipes(op: Op) -> list[int]:
    return sorted({pipe for arch in ARCHS for pipe in op.routes[arch].values()})


def _types(op: Op, arch: int) -> str:
    if op.types is None:
        return "any"
    types = op.types[arch]
    if not types.modes:
        return "–"
    everywhere = [signature for signature in types.modes if signature not in types.counted]
    parts = [_described(everywhere), f"({_described(types.counted)})" if types.counted else ""]
    return " ".join(part for part in parts if part)


def _described(signatures: Iterable[Signature]) -> str:
    found = sorted(set(signatures), key=str)
    if all(len(set(signature)) == 1 for signature in found):
        return " ".join(sorted({_short(signature) for signature in found}, key=_by_kind))
    texts = {f"{_short(signature[:1])} < {' '.join(_without_repeats(signature[1:]))}" for signature in found}
    return ", ".join(sorted(texts))


def _without_repeats(types: Signature) -> list[str]:
    return [_short((dtype,)) for dtype, _ in groupby(types)]


def _short(signature: Signature) -> str:
    name = str(signature[0])
    return "bf" if name == "bfloat16" else name.replace("uint", "u").replace("int", "i").replace("float", "f")


def _by_kind(name: str) -> tuple[str, int]:
    return name[0], int(name[1:]) if name[1:].isdigit() else 0


def _listed(names: list[str]) -> str:
    """Names in lines, each in backquotes."""
    lines = [""]
    for name in names:
        word = f"`{name}`{_ON_SOME_CHIPS.get(name, '')}"
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _WIDTH:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
