"""Race of the indexer's KL-loss gradient against autograd, against the machine's own matmul, and in memory.

    python benchmarks/kl_grad.py [--rounds 5] [--sizes 1024,2048] [--threads 2] [--heads 64] [--seed 0]

Causal, head dimension 128, bf16. Every round runs each contestant once and one 2048³ bf16 matmul, so that a slow moment
of the machine hits all of them; the tables show medians. The second table of each size counts processor time on one
thread, which a busy machine changes little. Work is 6 * visible pairs * heads * 128 floating point
operations. The baseline materialises S x H x S once in fp32 and lets autograd do the rest. Memory is the peak of a
process of its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor

from cannery.ops._lightning_indexer.lse import softmax_lse
from cannery.ops.dense_lightning_indexer_kl_loss_grad import eager
from cannery.ops.dense_lightning_indexer_kl_loss_grad.eager import kl_loss_grad

DIM = 128
GEMM = 2048
MEMORY_SIZES = (2048, 8192)
MEBI = 1 << 20
Run = Callable[[], object]
Clock = Callable[[], float]


@dataclass(frozen=True)
class Batch:
    """One causal call: q (B, S, H, 128), k (B, S, 1, 128) bf16, w, a target that sums to 1, the log-sum-exp."""

    q: Tensor
    k: Tensor
    w: Tensor
    p: Tensor
    lse: Tensor

    @property
    def operations(self) -> int:
        """Floating point operations over the visible pairs."""
        batch, rows, heads = self.q.shape[:3]
        return 6 * batch * rows * (rows + 1) // 2 * heads * DIM


def make_batch(rows: int, heads: int, seed: int, batch: int = 1) -> Batch:
    g = torch.Generator().manual_seed(seed)
    q = torch.randn(batch, rows, heads, DIM, generator=g).bfloat16()
    k = torch.randn(batch, rows, 1, DIM, generator=g).bfloat16()
    w = torch.randn(batch, rows, heads, generator=g) * (0.1 / 6)
    p = torch.rand(batch, rows, 1, rows, generator=g)
    p.mul_(torch.ones(rows, rows, dtype=torch.bool).tril_()[None, :, None])
    p.div_(p.sum(-1, keepdim=True))
    return Batch(q, k, w, p, softmax_lse(q, k, w, mask_mode=3))


def ours(batch: Batch) -> list[Tensor]:
    """dq, dk, dw by our operator from a ready log-sum-exp."""
    return list(kl_loss_grad(batch.q, batch.k, batch.w, batch.p, batch.lse, mask_mode=3)[:3])


def ours_with_lse(batch: Batch) -> list[Tensor]:
    """The same, log-sum-exp included."""
    lse = softmax_lse(batch.q, batch.k, batch.w, mask_mode=3)
    return list(kl_loss_grad(batch.q, batch.k, batch.w, batch.p, lse, mask_mode=3)[:3])


def ours_in_pytorch(batch: Batch) -> list[Tensor]:
    """Our operator without its compiled kernels."""
    with patch.object(eager, "has_kernels", lambda q: False):
        return ours(batch)


def autograd(batch: Batch, dtype: torch.dtype = torch.float32) -> list[Tensor]:
    """The baseline: one S x H x S tensor of scores per batch, the loss written with log_softmax, autograd."""
    leaves = [x.to(dtype).requires_grad_() for x in (batch.q[0], batch.k[0, :, 0], batch.w[0])]
    rows, heads = leaves[2].shape
    score = torch.matmul(leaves[0].flatten(0, 1), leaves[1].T).relu_().view(rows, heads, rows)
    logits = torch.bmm(leaves[2][:, None], score)[:, 0]
    unseen = torch.ones(rows, rows, dtype=torch.bool).triu_(1)
    log_y = logits.masked_fill(unseen, -torch.inf).log_softmax(-1).masked_fill(unseen, 0)
    loss = -(batch.p[0, :, 0].to(dtype) * log_y).sum()
    return [grad[None] for grad in torch.autograd.grad(loss, leaves)]


CONTESTANTS: dict[str, Callable[[Batch], list[Tensor]]] = {
    "autograd, S x H x S once in fp32": autograd,
    "ours": ours,
    "ours, log-sum-exp included": ours_with_lse,
    "ours without compiled kernels": ours_in_pytorch,
}


def seconds(run: Run, clock: Clock) -> float:
    start = clock()
    run()
    return clock() - start


def race(runs: dict[str, Run], rounds: int, clock: Clock = time.perf_counter) -> dict[str, float]:
    """Median seconds of each, one warm-up round not counted."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(rounds + 1):
        for name, run in runs.items():
            taken = seconds(run, clock)
            if turn:
                times[name].append(taken)
    return {name: statistics.median(each) for name, each in times.items()}


def speed_table(rows: int, args: argparse.Namespace, threads: int, clock: Clock) -> Table:
    torch.set_num_threads(threads)
    batch = make_batch(rows, args.heads, args.seed)
    x = torch.randn(GEMM, GEMM).bfloat16()
    runs: dict[str, Run] = {name: partial(run, batch) for name, run in CONTESTANTS.items()}
    medians = race({**runs, "gemm": lambda: x @ x}, args.rounds, clock)
    gemm = 2 * GEMM**3 / medians.pop("gemm")
    baseline = next(iter(medians.values()))
    how = f"{threads} threads" if clock is time.perf_counter else "1 thread, processor time"
    title = f"S = {rows}, H = {args.heads}, {how}; 2048³ bf16 matmul {gemm / 1e9:.0f} GFLOP/s"
    table = Table(title=title)
    for heading in ("contestant", "seconds", "times faster", "GFLOP/s", "of the matmul's rate"):
        table.add_column(heading, justify="left" if heading == "contestant" else "right")
    for name, median in medians.items():
        rate = batch.operations / median
        table.add_row(name, f"{median:.3f}", f"{baseline / median:.2f}", f"{rate / 1e9:.0f}", f"{rate / gemm:.2f}")
    return table


def accuracy_table(args: argparse.Namespace, rows: int = 512) -> Table:
    batch = make_batch(rows, args.heads, args.seed)
    exact = autograd(batch, torch.float64)
    table = Table(title=f"relative error to float64 autograd, S = {rows}")
    for heading in ("contestant", "dq", "dk", "dw"):
        table.add_column(heading)
    for name, run in CONTESTANTS.items():
        found = [grad.double().view_as(e) for grad, e in zip(run(batch), exact, strict=True)]
        table.add_row(name, *(f"{(f - e).norm() / e.norm():.1e}" for f, e in zip(found, exact, strict=True)))
    return table


def packed_table(args: argparse.Namespace, pieces: int = 16, rows: int = 512) -> Table:
    one, many = make_batch(rows, args.heads, args.seed), make_batch(rows, args.heads, args.seed, pieces)
    ends = torch.arange(pieces + 1, dtype=torch.int32) * rows
    lengths: dict[str, Any] = {"layout_q": "TND", "layout_k": "TND", "cu_q": ends, "cu_k": ends}
    q, k, w, p = (x.flatten(0, 1) for x in (many.q, many.k, many.w, many.p))
    lse = many.lse.view(1, -1)
    runs: dict[str, Run] = {
        "one": lambda: ours(one),
        "packed": lambda: kl_loss_grad(q, k, w, p, lse, mask_mode=3, **lengths),
    }
    medians = race(runs, args.rounds)
    table = Table(title=f"a packed batch of {pieces} x {rows}")
    for heading in ("one", "packed", f"packed / ({pieces} x one)"):
        table.add_column(heading)
    table.add_row(*(f"{medians[name]:.3f} s" for name in runs), f"{medians['packed'] / pieces / medians['one']:.2f}")
    return table


def peak_of_a_call(rows: int, heads: int, seed: int) -> dict[str, float]:
    """Run in a process of its own: what one call adds to the peak, results and dk's fp32 buffer not counted."""
    ours(make_batch(64, heads, seed))
    batch = make_batch(rows, heads, seed)
    q, k, w, p = like = (batch.q, batch.k, batch.w, batch.p)
    dq, dk, dw, y = (torch.ones_like(x) for x in like)  # touched, so that they are in memory before the call
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = resident()
    kl_loss_grad(q, k, w, p, batch.lse, mask_mode=3, out=(dq, dk, dw, y))
    buffer = 4 * batch.k.numel()
    return {"peak": peak() - before - buffer, "inputs and results": 2 * sum(x.nbytes for x in like)}


def peak() -> int:
    """Bytes; the kernel's counter where it can be reset, else the process's."""
    status = Path("/proc/self/status")
    if status.exists():
        return _status(status, "VmHWM")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def resident() -> int:
    """Bytes now in memory."""
    return _status(Path("/proc/self/status"), "VmRSS")


def _status(path: Path, field: str) -> int:
    line = next(line for line in path.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


def memory_table(args: argparse.Namespace) -> Table:
    table = Table(title="extra peak memory of a call beyond inputs, results and the fp32 buffer of dk")
    for heading in ("S", "extra MiB", "inputs and results MiB"):
        table.add_column(heading, justify="right")
    for rows in MEMORY_SIZES:
        command = [sys.executable, __file__, "--peak-of", str(rows), "--heads", str(args.heads)]
        command += ["--threads", str(args.threads), "--seed", str(args.seed)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        table.add_row(str(rows), *(f"{value / MEBI:.1f}" for value in found.values()))
    return table


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", default="1024,2048")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--heads", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--peak-of", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    args = parse()
    torch.set_num_threads(args.threads)
    if args.peak_of:
        print(json.dumps(peak_of_a_call(args.peak_of, args.heads, args.seed)))
        return
    console = Console()
    for rows in map(int, args.sizes.split(",")):
        console.print(speed_table(rows, args, args.threads, time.perf_counter))
        console.print(speed_table(rows, args, 1, time.process_time))
    torch.set_num_threads(args.threads)
    console.print(accuracy_table(args))
    console.print(packed_table(args))
    console.print(memory_table(args))


if __name__ == "__main__":
    main()
