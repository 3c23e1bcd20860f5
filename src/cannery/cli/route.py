"""``cannery ops route``: what to read of an operator, in which order."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from cannery.cli.knowledge import Knowledge


def route(
    name: str = typer.Argument(
        ..., help="CANN's type (UpdateTensorDesc), snake name, or ATB name (…Operation).", show_default=False
    ),
    json: bool = typer.Option(False, "--json", help="Print a JSON object instead of a table."),
) -> None:
    """Print the files of an operator in the order to read them, and how long that takes."""
    from cannery.cli.console import print_json
    from cannery.cli.knowledge import knowledge

    known = knowledge(name)
    if json:
        print_json(_plain(known))
    else:
        _print_table(known)


def _plain(known: Knowledge) -> dict[str, Any]:
    return {
        "name": known.operator.name,
        "category": known.operator.definition.category,
        "tier": known.tier,
        "minutes": known.minutes,
        "runners": known.runners,
        "files": [
            {"path": str(source.path), "role": source.role, "focus": source.focus, "lines": source.lines}
            for source in known.reading
        ],
    }


def _print_table(known: Knowledge) -> None:
    from rich.table import Table
    from rich.text import Text

    from cannery.cli.console import print_blocks

    effort = f"{known.operator.definition.category}, tier {known.tier}, {known.minutes} minutes"
    facts = "; ".join(filter(None, (effort, known.runners)))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("#", "file", "lines", "focus"):
        table.add_column(title, overflow="fold")
    for number, source in enumerate(known.reading, 1):
        table.add_row(str(number), _shown(source.path), str(source.lines), Text(source.focus))
    print_blocks([Text.assemble((known.operator.name, "bold"), f" ({facts})"), table])


def _shown(path: Path) -> str:
    """From the working directory where that is shorter."""
    relative = os.path.relpath(path)
    return min(relative, str(path), key=len)
