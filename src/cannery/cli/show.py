"""``cannery ops show``: an operator's contract on a page."""

from __future__ import annotations

import typer


def show(
    name: str = typer.Argument(help="CANN's type (UpdateTensorDesc), snake name, or ATB name (…Operation)."),
    json: bool = typer.Option(False, "--json", help="Print a JSON object instead of a page."),
) -> None:
    """Show the contract of an operator: tensors, dtype columns, chips, attributes and limits, engines, quirks."""
    from cannery.cli.console import print_blocks, print_json
    from cannery.cli.describe import describe
    from cannery.cli.page import page
    from cannery.operator import find_operator

    described = describe(find_operator(name))
    if json:
        print_json(described)
    else:
        print_blocks(page(described), is_page=True)
