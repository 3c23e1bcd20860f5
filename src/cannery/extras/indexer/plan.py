"""Which core computes which rows of the indexer's gradient, and how evenly: as values, sentences and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cannery.extras.indexer.schedule import Balance, compare
from cannery.extras.indexer.schedules import work_of
from cannery.extras.indexer.work import RowCost, Work, describe
from cannery.ops._lightning_indexer.split import Split
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


def make_plan(
    chip: Soc, lengths: str, keys: str, mask_mode: int, cmp_ratio: int, cost: tuple[float, float, float]
) -> Planned:
    """Read the lengths and weigh every schedule.

    Raises:
        PlanError: lengths that cannot be read.
        ArgumentError: key lengths for another number of documents, an unknown mask.
    """
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


def summary(planned: Planned) -> list[str]:
    """The plan in a few sentences."""
    total, former, remain, remain_num, used = planned.words
    cores, documents = planned.chip.aic_cores, len(planned.work.seg.q_len)
    dealt = f"{cores - remain_num} cores have {former} rows, {remain_num} have {remain}"
    return [
        f"{planned.chip.name}: {total} rows of {documents} documents on {used} of {cores} cube cores",
        f"metadata: total {total}, former {former}, remain {remain}, remainNum {remain_num}, used {used}",
        f"{dealt}; core c computes rows c + {used} * i" if total else "no rows, no core has work",
        f"cost: {describe(planned.work.cost)}; {planned.work.total:.6g} in all",
    ]


def render(template: str, planned: Planned) -> str:
    """The plan as a picture (``plan.svg.j2``), or as a page with it (``plan.html.j2``)."""
    from jinja2 import Environment, PackageLoader

    env = Environment(
        loader=PackageLoader("cannery.extras.indexer"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    tallest = max((balance.makespan for balance in planned.balances), default=0.0) or 1.0
    return env.get_template(template).render(
        planned=planned, summary=summary(planned), tallest=tallest, values=as_values(planned)
    )


def _read_lengths(text: str) -> list[int]:
    found: list[int] = []
    for item in text.split(","):
        count, times, length = item.strip().rpartition("x")
        if not length.isdecimal() or (times and not count.isdecimal()):
            raise PlanError(f"lengths: found {item!r}, expected a number or COUNTxLENGTH")
        found += [int(length)] * (int(count) if times else 1)
    return found
