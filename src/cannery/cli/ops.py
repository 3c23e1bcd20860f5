"""``cannery ops``: the list of operators."""

from __future__ import annotations

from typing import Any

import typer


def ops(
    ctx: typer.Context, json: bool = typer.Option(False, "--json", help="Print a JSON list instead of a table.")
) -> None:
    """List the operators."""
    if ctx.invoked_subcommand is not None:
        return
    from cannery.cli.console import print_json
    from cannery.cli.describe import outline
    from cannery.operator import all_operators

    outlines = [outline(operator) for operator in all_operators().values()]
    if json:
        print_json(outlines)
    else:
        _print_table(outlines)


def _print_table(outlines: list[dict[str, Any]]) -> None:
    from rich.table import Table

    from cannery.cli.console import print_blocks

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("operator", no_wrap=True, overflow="fold")
    for title in ("category", "engines", "chips"):
        table.add_column(title, overflow="fold")
    for line in outlines:
        table.add_row(line["name"], line["category"], ", ".join(line["engines"]), ", ".join(line["socs"]))
    print_blocks([table])
