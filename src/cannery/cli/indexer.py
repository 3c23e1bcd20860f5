"""``cannery indexer doctor``: a page about a saved call of the indexer's KL-loss gradient."""

from __future__ import annotations

from pathlib import Path

import typer

from cannery.cli.options import setting

WRONG = 1


def doctor(
    file: Path = typer.Argument(..., metavar="FILE.safetensors", help="What cannery.pytorch.save_call wrote."),
    soc: str | None = setting("chip", "NAME", "Chip whose split of the rows is judged; default: the operator's first."),
    fixed: float = typer.Option(0.0, "--fixed", metavar="COST", help="Cost of a row besides its visible keys."),
) -> None:
    """Say what is off in a call: target, lse, blind rows, offsets, split. Exit code 1 when something is wrong."""
    from cannery.cli.console import console
    from cannery.extras.indexer.doctor import indexer_report, load_call
    from cannery.extras.indexer.work import RowCost

    report = indexer_report(soc=soc, cost=RowCost(fixed=fixed), **load_call(file))
    console(is_page=True).print(str(report))
    if not report.is_healthy:
        raise typer.Exit(WRONG)
