"""What the virtual device costs: its import, and operators on it against the CPU's.

    python benchmarks/npu.py [--rounds 40] [--threads 1]

A step is forward, backward and AdamW of an MLP. Both devices take turns, so that a slow moment of the machine hits
both; the table shows medians of processor time.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise

import torch
from rich.console import Console
from rich.table import Table
from torch import nn

import cannery.activate  # noqa: F401

__import__("torch_npu")

# Batch, and widths of the layers.
STEPS = ((32, (64, 128, 128, 10)), (128, (256, 256, 256, 10)), (256, (784, 256, 10)), (256, (784, 512, 512, 10)))
IMPORT = """
import time, torch
start = time.perf_counter()
import cannery.activate, torch_npu
print(time.perf_counter() - start)
"""


def step_of(batch: int, widths: tuple[int, ...], device: str) -> Callable[[], object]:
    torch.manual_seed(0)
    layers = [layer for pair in pairwise(widths) for layer in (nn.Linear(*pair), nn.ReLU())]
    model = nn.Sequential(*layers[:-1]).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    x, y = torch.randn(batch, widths[0]).to(device), torch.randint(widths[-1], (batch,)).to(device)

    def step() -> object:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


def add_of(device: str) -> Callable[[], object]:
    x = torch.ones(32, 32).to(device)
    return lambda: [x + x for _ in range(100)]


def medians(contestants: tuple[Callable[[], object], ...], rounds: int) -> list[float]:
    """Milliseconds of each."""
    times: list[list[float]] = [[] for _ in contestants]
    for turn in range(rounds + 3):
        for run, taken in zip(contestants, times, strict=True):
            start = time.process_time()
            run()
            if turn >= 3:
                taken.append(time.process_time() - start)
    return [statistics.median(taken) * 1e3 for taken in times]


def import_seconds() -> float:
    """Of torch_npu, behind torch: the median of five."""
    runs = [subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True) for _ in range(5)]
    return statistics.median(float(run.stdout) for run in runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    table = Table("what", "cpu, ms", "npu, ms", "ratio")
    cases = {"100 adds of 32 x 32": tuple(map(add_of, ("cpu", "npu")))}
    for batch, widths in STEPS:
        name = f"step, batch {batch}, MLP {'-'.join(map(str, widths))}"
        cases[name] = tuple(step_of(batch, widths, device) for device in ("cpu", "npu"))
    for name, contestants in cases.items():
        host, device = medians(contestants, options.rounds)
        table.add_row(name, f"{host:.2f}", f"{device:.2f}", f"{device / host:.2f}")
    console = Console()
    console.print(table)
    console.print(f"import torch_npu, after torch: {import_seconds():.2f} s")


if __name__ == "__main__":
    main()
