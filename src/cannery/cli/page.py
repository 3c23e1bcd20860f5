"""The page ``cannery ops show`` prints, from the plain values of ``describe``. Readable at 80 columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import neg
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

Described = dict[str, Any]
# With more dtype columns than this, a column is a line.
MAX_COLUMNS_ACROSS = 4


def page(described: Described) -> Iterator[RenderableType]:
    """Title, summary, and each section that has something to say."""
    yield Text.assemble((described["name"], "bold"), f" ({described['category']})")
    yield Text(described["summary"])
    for title, section in SECTIONS.items():
        blocks = list(section(described))
        if blocks:
            yield Text(f"\n{title}", "bold")
            yield from (Padding(block, (0, 0, 0, 2)) for block in blocks)
    for title, (header, *rows) in described["tables"].items():
        yield Text(f"\n{title}", "bold")
        yield Padding(_table(header, rows), (0, 0, 0, 2))


def _contract(described: Described) -> Iterator[RenderableType]:
    fields = {
        "snake name": described["snake_name"],
        "framework": described["framework"],
        "faces": ", ".join(described["faces"]),
        "engines": ", ".join(described["engines"]),
        "default chip": described["default_soc"],
        "source": described["source"],
        "golden": described["golden"],
    }
    yield _pairs((name, value) for name, value in fields.items() if value)


def _tensors(described: Described) -> Iterator[RenderableType]:
    for role in ("input", "output"):
        for tensor in described[f"{role}s"]:
            notes = ", optional" * tensor["optional"] + ", never read" * (not tensor["is_read"])
            formats = ", ".join(dict.fromkeys(tensor["formats"]))
            yield Text.assemble((tensor["name"], "bold"), f"  {role}{notes}; format {formats}")
            yield from _indented(f"shape: {tensor['shape']}" if tensor["shape"] else "", tensor["doc"])


def _dtype_columns(described: Described) -> Iterator[RenderableType]:
    """Tensors with the same dtypes share a line; column k of every line belongs together."""
    lines: dict[tuple[str, ...], list[str]] = {}
    for name in (tensor["name"] for tensor in described["inputs"] + described["outputs"]):
        lines.setdefault(tuple(column[name] for column in described["dtype_columns"]), []).append(name)
    rows = [[", ".join(names), *dtypes] for dtypes, names in lines.items()]
    table = [["column", *(str(index) for index in range(len(described["dtype_columns"])))], *rows]
    if len(described["dtype_columns"]) > MAX_COLUMNS_ACROSS:
        table = [list(line) for line in zip(*table, strict=True)]
    yield _table(table[0], table[1:])


def _attributes(described: Described) -> Iterator[RenderableType]:
    for attribute in described["attributes"]:
        default = "required" if attribute["required"] else f"default {attribute['default']}"
        yield Text.assemble((attribute["name"], "bold"), f"  {attribute['type']}, {default}")
        yield from _indented(f"limits: {attribute['limits']}" if attribute["limits"] else "", attribute["doc"])


def _statuses(described: Described) -> Iterator[RenderableType]:
    rows = [[stage, status["name"], str(status["code"])] for stage, status in described["statuses"].items()]
    yield _table(["stage", "status when no rule names another", "code"], rows)


def _chips(described: Described) -> Iterator[RenderableType]:
    """Chips with the same core counts share a paragraph, largest first."""
    groups: dict[tuple[str, int, int], list[str]] = {}
    for chip in described["chips"]:
        groups.setdefault((chip["short_name"], chip["aic_cores"], chip["aiv_cores"]), []).append(chip["name"])
    for (family, cube, vector), names in sorted(groups.items(), key=lambda item: (item[0][0], *map(neg, item[0][1:]))):
        yield Text.assemble((family, "bold"), f"  {cube} cube, {vector} vector cores")
        yield from _indented(", ".join(names))


def _aicore(described: Described) -> Iterator[RenderableType]:
    if described["aicore"] is not None:
        flags = described["aicore"].items()
        yield _pairs((name, ", ".join(v) if isinstance(v, list) else str(v)) for name, v in flags if v != "")


def _quirks(described: Described) -> Iterator[RenderableType]:
    for quirk in described["quirks"]:
        yield Text(quirk["name"], "bold")
        yield from _indented(f"default: {quirk['default']}", f"quirks=True: {quirk['faithful']}")


def _constraints(described: Described) -> Iterator[RenderableType]:
    for constraint in described["constraints"]:
        yield _pairs([("-", constraint)])


SECTIONS: dict[str, Callable[[Described], Iterator[RenderableType]]] = {
    "Contract": _contract,
    "Tensors": _tensors,
    "Dtype columns": _dtype_columns,
    "Attributes": _attributes,
    "Statuses": _statuses,
    "Chips": _chips,
    "AI-core registration": _aicore,
    "Quirks": _quirks,
    "Constraints": _constraints,
}


def _indented(*lines: str) -> Iterator[RenderableType]:
    return (Padding(Text(line), (0, 0, 0, 4)) for line in lines if line)


def _pairs(pairs: Iterable[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in pairs:
        table.add_row(Text(name), Text(value))
    return table


def _table(header: list[str], rows: list[list[str]]) -> Table:
    """A table in which every cell may wrap and none is cut."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for title in header:
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
