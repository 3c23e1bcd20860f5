"""``cannery plan``: which core computes which rows of the indexer's gradient, and how evenly."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cannery.cli.options import setting
from cannery.cli.places import check_apart

if TYPE_CHECKING:
    from cannery.extras.indexer.plan import Planned


def plan(
    lengths: str = typer.Argument(
        ...,
        metavar="LENGTHS",
        help="Query lengths of the documents: 4096,128 or 256x128 for 256 of 128.",
        show_default=False,
    ),
    keys: str = typer.Option(
        "", "--keys", metavar="LENGTHS", help="Key lengths; default: query lengths over the ratio."
    ),
    mask_mode: int = typer.Option(3, "--mask-mode", min=0, max=3, help="0 no mask, 3 causal."),
    cmp_ratio: int = typer.Option(1, "--cmp-ratio", min=1, max=128, help="Original keys that a key stands for."),
    soc: str | None = setting("chip", "NAME", "The chip; default: the operator's first."),
    aic_cores: int | None = typer.Option(None, "--aic-cores", metavar="N", help="Fewer cube cores than the chip has."),
    key: float = typer.Option(1.0, "--key", metavar="COST", help="Cost of a visible key."),
    tile: float = typer.Option(0.0, "--tile", metavar="COST", help="Cost of a tile of 128 keys."),
    fixed: float = typer.Option(0.0, "--fixed", metavar="COST", help="Cost of a row, whatever it sees."),
    json: bool = typer.Option(False, "--json", help="Print a JSON object instead of tables."),
    html: Path | None = typer.Option(None, "--html", metavar="FILE", help="Also write a page with the bars."),
    svg: Path | None = typer.Option(None, "--svg", metavar="FILE", help="Also write the bars alone."),
) -> None:
    """Show who computes which rows on a chip, and the balance of that split against three others."""
    from cannery.cli.console import print_json
    from cannery.extras.indexer.plan import as_values, make_plan, render
    from cannery.operator import find_operator
    from cannery.operator.staged import chip_of
    from cannery.soc import soc as find_soc

    check_apart([("--svg", svg), ("--html", html)])
    definition = find_operator("DenseLightningIndexerKLLossGradMetadata").definition
    chip = find_soc(chip_of(definition, soc), aic_cores=aic_cores)
    planned = make_plan(chip, lengths, keys, mask_mode, cmp_ratio, (key, tile, fixed))
    for path, template in ((svg, "plan.svg.j2"), (html, "plan.html.j2")):
        if path is not None:
            path.write_text(render(template, planned), encoding="utf-8")
    if json:
        print_json(as_values(planned))
    else:
        _print(planned)


def _print(planned: Planned) -> None:
    from rich.table import Table

    from cannery.cli.console import console
    from cannery.extras.indexer.plan import summary

    out = console()
    for line in summary(planned):
        out.print(line)
    names = [balance.schedule.name for balance in planned.balances]
    balance_table = Table("schedule", "busiest core", "ideal", "busiest / ideal", box=None, pad_edge=False)
    for balance in planned.balances:
        numbers = (balance.makespan, balance.ideal, balance.ratio)
        balance_table.add_row(balance.schedule.name, *(f"{number:.6g}" for number in numbers))
    core_table = Table("core", "rows", "which (strided)", *(f"cost {name}" for name in names), box=None, pad_edge=False)
    for core, runs in enumerate(planned.balances[0].schedule.cores):
        which = ", ".join(map(str, runs)) or "none"
        costs = (f"{balance.costs[core]:.6g}" for balance in planned.balances)
        core_table.add_row(str(core), str(sum(map(len, runs))), which, *costs)
    for table in (balance_table, core_table):
        out.print()
        out.print(table)
