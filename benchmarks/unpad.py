"""Race of unpad against what people use, and against plain copies of the same bytes.

    python benchmarks/unpad.py [--rounds 9] [--shape B,S,H ...] [--seed 0]

Every round runs each contestant once, so that a slow moment of the machine hits all of them, and in another order, as
the memory one has just given back is the next one's; the table shows medians.
Forward is held against a plain copy of as many rows into fresh memory (its floor: mostly page faults), ``out=`` against
a plain copy into existing memory, forward + backward against a fresh copy of the rows followed by a fresh copy of the
whole batch, which is what the gradient weighs.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from torch import Tensor

from cannery.pytorch.ragged import pad, unpad, unpad_input

SHAPES = ("32,4096,1024", "8,4096,4096", "512,256,512")
Run = Callable[[], object]


@dataclass(frozen=True)
class Batch:
    """A padded fp16 batch, about half full, with everything the contestants need made beforehand."""

    x: Tensor
    lengths: Tensor
    mask: Tensor
    rows: Tensor
    gradient: Tensor

    @property
    def title(self) -> str:
        filled = self.rows.shape[0] / (self.x.shape[0] * self.x.shape[1])
        return (
            f"B, S, H = {', '.join(map(str, self.x.shape))}; fp16; {filled:.0%} filled; {mebibytes(self.rows):.0f} MiB"
        )


def make_batch(batch: int, max_len: int, width: int, seed: int) -> Batch:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(batch, max_len, width, generator=generator, dtype=torch.float32).half().requires_grad_()
    lengths = torch.linspace(1, max_len, batch).long()[torch.randperm(batch, generator=generator)]
    mask = torch.arange(max_len) < lengths[:, None]
    rows = x.detach()[mask]
    return Batch(x, lengths, mask, rows, torch.ones_like(rows))


def gather(x: Tensor, mask: Tensor) -> Tensor:
    """flash-attention's published approach (flash_attn/bert_padding.py): flat indices of the mask, then a gather."""
    indices = torch.nonzero(mask.flatten(), as_tuple=False).flatten()
    flat = x.reshape(-1, *x.shape[2:])
    repeated = indices[:, None].expand(-1, flat.shape[1])
    return torch.gather(flat, 0, repeated)


def nested(x: Tensor, lengths: Tensor) -> Tensor:
    parts = [sample[:length] for sample, length in zip(x.unbind(0), lengths.tolist(), strict=True)]
    return torch.nested.as_nested_tensor(parts, layout=torch.jagged).values()


UNPADS: dict[str, Callable[[Batch, Tensor], Tensor]] = {
    "cannery.unpad(lengths)": lambda b, x: unpad(x, b.lengths)[0],
    "cannery.unpad(mask=)": lambda b, x: unpad(x, mask=b.mask)[0],
    "cannery unpad_input": lambda b, x: unpad_input(x, b.mask)[0],
    "flash-attention: gather": lambda b, x: gather(x, b.mask),
    "flat[indices]": lambda b, x: x.flatten(0, 1)[torch.nonzero(b.mask.flatten(), as_tuple=False).flatten()],
    "hidden[mask]": lambda b, x: x[b.mask],
    "torch.nested": lambda b, x: nested(x, b.lengths),
}


def both_ways(b: Batch, move: Callable[[Batch, Tensor], Tensor]) -> object:
    return torch.autograd.grad(move(b, b.x), b.x, b.gradient)


def floor_both_ways(b: Batch) -> object:
    return torch.empty_like(b.rows).copy_(b.rows), torch.empty_like(b.x).copy_(b.x)


def forward_runs(b: Batch) -> dict[str, Run]:
    x = b.x.detach()
    runs: dict[str, Run] = {"copy into fresh memory": lambda: torch.empty_like(b.rows).copy_(b.rows)}
    return runs | {name: lambda move=move: move(b, x) for name, move in UNPADS.items()}


def existing_runs(b: Batch) -> dict[str, Run]:
    x, out = b.x.detach(), torch.zeros_like(b.rows)
    return {
        "copy into existing memory": lambda: out.copy_(b.rows),
        "cannery.unpad(out=)": lambda: unpad(x, b.lengths, out=out),
    }


def padding_runs(b: Batch) -> dict[str, Run]:
    full, max_len = torch.zeros_like(b.x), b.x.shape[1]
    return {
        "copy the batch into existing memory": lambda: full.detach().copy_(b.x.detach()),
        "cannery.pad(out=)": lambda: pad(b.rows, b.lengths, max_len=max_len, out=full.detach()),
    }


def backward_runs(b: Batch) -> dict[str, Run]:
    runs: dict[str, Run] = {
        "fresh copies of rows and batch": lambda: floor_both_ways(b),
        "fresh copies of rows, twice": lambda: [torch.empty_like(b.rows).copy_(b.rows) for _ in range(2)],
    }
    return runs | {name: lambda move=move: both_ways(b, move) for name, move in UNPADS.items()}


SECTIONS: dict[str, Callable[[Batch], dict[str, Run]]] = {
    "existing memory": existing_runs,
    "pad into existing memory": padding_runs,
    "forward, fresh memory": forward_runs,
    "forward + backward": backward_runs,
}


def race(runs: dict[str, Run], rounds: int) -> dict[str, float]:
    """Median seconds of each; results are released between timings, one unmeasured round first."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name in random.Random(number).sample(sorted(runs), len(runs)):
            took = timed(runs[name])
            if number:
                seconds[name].append(took)
    return {name: statistics.median(values) for name, values in seconds.items()}


def timed(run: Run) -> float:
    start = time.perf_counter()
    result = run()
    took = time.perf_counter() - start
    del result
    return took


def mebibytes(tensor: Tensor) -> float:
    return tensor.numel() * tensor.element_size() / 2**20


def table_of(b: Batch, rounds: int) -> Table:
    """One section a comparison; the first line of each is what the others are held against."""
    table = Table("", "ms", "time / floor", "rate / floor", title=b.title, title_justify="left")
    for section, runs_of in SECTIONS.items():
        table.add_section()
        table.add_row(f"[bold]{section}[/bold]")
        medians = race(runs_of(b), rounds)
        floor = next(iter(medians.values()))
        for name, median in medians.items():
            table.add_row(f"  {escape(name)}", f"{median * 1e3:.1f}", f"{median / floor:.2f}", f"{floor / median:.2f}")
    return table


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="measured rounds, at least 7 for a fair median")
    parser.add_argument("--shape", nargs="+", default=SHAPES, metavar="B,S,H")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(None if arguments is None else list(arguments))
    console = Console()
    console.print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, medians of {chosen.rounds}")
    for shape in chosen.shape:
        batch, max_len, width = map(int, shape.split(","))
        console.print(table_of(make_batch(batch, max_len, width, chosen.seed), chosen.rounds))


if __name__ == "__main__":
    main()
