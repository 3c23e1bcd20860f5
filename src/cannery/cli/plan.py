"""``cannery plan``: which core computes which rows of the indexer's gradient, and how evenly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from cannery.extras.indexer.schedule import Balance
    from cannery.extras.indexer.work import Work
    from cannery.soc import Soc


class PlanError(ValueError):
    """Lengths that cannot be read; the message says found and expected."""


@dataclass(frozen=True)
class Planned:
    """A chip, the work, and the balance of each schedule."""

    chip: Soc
    work: Work
    balances: Sequence[Balance]
    words: Sequence[int]


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
    soc: str = typer.Option("Ascend950", "--soc", metavar="NAME", help="The chip."),
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
    from cannery.soc import soc as find_soc

    chip = find_soc(soc, aic_cores=aic_cores)
    planned = make_plan(chip, lengths, keys, mask_mode, cmp_ratio, (key, tile, fixed))
    for path, template in ((svg, "plan.svg.j2"), (html, "plan.html.j2")):
        if path is not None:
            path.write_text(_render(template, planned), encoding="utf-8")
    if json:
        print_json(as_values(planned))
    else:
        _print(planned)


def make_plan(
    chip: Soc, lengths: str, keys: str, mask_mode: int, cmp_ratio: int, cost: tuple[float, float, float]
) -> Planned:
    """Read the lengths and weigh every schedule.

    Raises:
        PlanError: lengths that cannot be read.
        ArgumentError: key lengths for another number of documents, an unknown mask.
    """
    from cannery.extras.indexer.schedule import compare
    from cannery.extras.indexer.schedules import work_of
    from cannery.extras.indexer.work import RowCost
    from cannery.ops._lightning_indexer.split import Split

    k_lengths = _read_lengths(keys) if keys else None
    work = work_of(_read_lengths(lengths), k_lengths, mask_mode=mask_mode, cmp_ratio=cmp_ratio, cost=RowCost(*cost))
    return Planned(chip, work, compare(work, chip.aic_cores), Split.of(work.rows, chip.aic_cores).words)


def as_values(planned: Planned) -> dict[str, Any]:
    """The plan in plain values."""
    cost = planned.work.cost
    return {
        "soc": planned.chip.name,
        "aic_cores": planned.chip.aic_cores,
        "rows": planned.work.rows,
        "metadata": list(planned.words),
        "cost": {"key": cost.key, "tile": cost.tile, "tile_keys": cost.tile_keys, "fixed": cost.fixed},
        "total_cost": planned.work.total,
        "schedules": {
            balance.schedule.name: {
                "makespan": balance.makespan,
                "ideal": balance.ideal,
                "ratio": balance.ratio,
                "costs": balance.costs.tolist(),
                "rows": list(balance.schedule.counts),
                "runs": [[[run.start, run.stop, run.step] for run in runs] for runs in balance.schedule.cores],
            }
            for balance in planned.balances
        },
    }


def _read_lengths(text: str) -> list[int]:
    found: list[int] = []
    for item in text.split(","):
        count, times, length = item.strip().rpartition("x")
        if not length.isdecimal() or (times and not count.isdecimal()):
            raise PlanError(f"lengths: found {item!r}, expected a number or COUNTxLENGTH")
        found += [int(length)] * (int(count) if times else 1)
    return found


def _print(planned: Planned) -> None:
    from rich.table import Table

    from cannery.cli.console import console

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


def summary(planned: Planned) -> list[str]:
    """The plan in a few sentences."""
    from cannery.extras.indexer.doctor import describe

    total, former, remain, remain_num, used = planned.words
    cores, documents = planned.chip.aic_cores, len(planned.work.seg.q_len)
    dealt = f"{cores - remain_num} cores have {former} rows, {remain_num} have {remain}"
    return [
        f"{planned.chip.name}: {total} rows of {documents} documents on {used} of {cores} cube cores",
        f"metadata: total {total}, former {former}, remain {remain}, remainNum {remain_num}, used {used}",
        f"{dealt}; core c computes rows c + {used} * i" if total else "no rows, no core has work",
        f"cost: {describe(planned.work.cost)}; {planned.work.total:.6g} in all",
    ]


def _render(template: str, planned: Planned) -> str:
    from jinja2 import Environment, PackageLoader

    env = Environment(loader=PackageLoader("cannery.cli"), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    tallest = max((balance.makespan for balance in planned.balances), default=0.0) or 1.0
    return env.get_template(template).render(
        planned=planned, summary=summary(planned), tallest=tallest, values=as_values(planned)
    )
