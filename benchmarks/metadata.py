"""What planning costs: a call of the metadata operator, and a million sequences against one torch.sum over them.

    python benchmarks/metadata.py [--calls 2000] [--sequences 1000000] [--rounds 15]

Contestants take turns; medians are shown. The empty operator is registered from Python with torch.library and returns a
tensor it has at hand: what is left of a call when nothing is done in it.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

import cannery
import cannery.pytorch

NAME = "DenseLightningIndexerKLLossGradMetadata"
HEADS = {"num_heads_q": 64, "num_heads_k": 1, "head_dim": 128}
TND = {"layout_q": "TND", "layout_k": "TND"}
BLOCK = 50  # calls between two turns


def empty_operator() -> tuple[torch.library.Library, Callable[[torch.Tensor], torch.Tensor]]:
    """An operator that does nothing, and the library that keeps it."""
    library, result = torch.library.Library("cannery_benchmark", "DEF"), torch.zeros(64, dtype=torch.int32)
    library.define("empty(Tensor x) -> Tensor")
    library.impl("empty", lambda x: result, "CPU")
    return library, torch.ops.cannery_benchmark.empty


def race(contestants: dict[str, Callable[[], Any]], rounds: int, calls: int) -> dict[str, float]:
    """Median seconds of a call; each round runs ``calls`` of each contestant, one contestant after the other."""
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for run in contestants.values():
        run()
    for _ in range(rounds):
        for name, run in contestants.items():
            for _ in range(calls):
                start = time.perf_counter()
                run()
                taken[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in taken.items()}


def offsets(sequences: int, longest: int) -> torch.Tensor:
    """Prefix sums int32 (sequences + 1,) of random lengths."""
    lengths = torch.randint(1, longest + 1, (sequences,), generator=torch.Generator().manual_seed(0))
    return torch.nn.functional.pad(lengths.cumsum(0), (1, 0)).to(torch.int32)


def one_call(calls: int) -> Table:
    """The published example, by every way in."""
    cu = {
        "cu_seqlens_q": torch.tensor([0, 123, 230, 234, 511], dtype=torch.int32),
        "cu_seqlens_k": torch.tensor([0, 3048, 8196, 13092, 16392], dtype=torch.int32),
    }
    library, empty = empty_operator()
    operator = torch.ops.cann_ops_transformer.dense_lightning_indexer_kl_loss_grad_metadata
    times = race(
        {
            "empty Python-registered operator": lambda: empty(cu["cu_seqlens_q"]),
            "staged call (cannery.run)": lambda: cannery.run(NAME, cu, {**HEADS, **TND}),
            "torch.ops": lambda: operator(64, 1, 128, **cu, **TND),
        },
        max(1, calls // BLOCK),
        BLOCK,
    )
    del library
    return _table("one call, 4 sequences", times, "µs", 1e6)


def many_sequences(sequences: int, rounds: int) -> Table:
    """Checks and words of as many sequences, against one sum over the same tensors."""
    q, k = offsets(sequences, 8), offsets(sequences, 16)
    used = q.diff()
    packed = {"cu_seqlens_q": q, "cu_seqlens_k": k}
    padded = {"seqused_q": used, "seqused_k": used}
    times = race(
        {
            "torch.sum over both offsets": lambda: (torch.sum(q), torch.sum(k)),
            "metadata of both offsets": lambda: cannery.run(NAME, packed, {**HEADS, **TND}),
            "metadata of both used lengths": lambda: cannery.run(NAME, padded, HEADS),
        },
        rounds,
        3,
    )
    return _table(f"{sequences} sequences", times, "ms", 1e3)


def _table(title: str, times: dict[str, float], unit: str, factor: float) -> Table:
    table = Table("", unit, "ratio", title=title, title_justify="left", box=None, pad_edge=False)
    first = next(iter(times.values()))
    for name, seconds in times.items():
        table.add_row(name, f"{seconds * factor:.3g}", f"{seconds / first:.2f}")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--sequences", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    # The sums' two threads wait for each other on a busy machine; on one thread both sides are measured alike.
    torch.set_num_threads(1)
    out = Console()
    out.print(one_call(given.calls))
    out.print(many_sequences(given.sequences, given.rounds))


if __name__ == "__main__":
    main()
