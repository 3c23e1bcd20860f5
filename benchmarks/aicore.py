"""The virtual core against other interpreters of kernels: an add of 1 M float32 in tiles of 2 048, a matmul of 512³
half in tiles of 128.

    python benchmarks/aicore.py [--rounds 5] [--elements 1048576] [--tile 2048] [--cores 8] [--instructions 1000000]

Contestants: the queue kernel on the virtual core, with all checks and without; Triton's interpreter, which checks
nothing; JAX Pallas' TPU interpret mode on the same tiles, with and without race detection. A peer that is not installed
is skipped by name. Every round runs each contestant once, so that a slow moment of the machine hits all of them; the
table shows medians. Above it: cost per instruction as the launch grows, a loop of 10^6 instructions, checked and not,
and memory while instructions go by.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from cannery import asc
from cannery.watch import session

Run = Callable[[], Any]


@asc.jit
def add_tiles(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    tile: asc.ConstExpr[int],
    tiles: asc.ConstExpr[int],
    passes: asc.ConstExpr[int],
) -> None:
    """Each core adds ``tiles`` tiles, ``passes`` times over."""
    offset = asc.get_block_idx() * tile * tiles
    x_gm, y_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x + offset)
    y_gm.set_global_buffer(y + offset)
    z_gm.set_global_buffer(z + offset)
    pipe = asc.TPipe()
    x_queue, y_queue = asc.TQue(asc.TPosition.VECIN, 2), asc.TQue(asc.TPosition.VECIN, 2)
    z_queue = asc.TQue(asc.TPosition.VECOUT, 2)
    pipe.init_buffer(x_queue, 2, tile * 4)
    pipe.init_buffer(y_queue, 2, tile * 4)
    pipe.init_buffer(z_queue, 2, tile * 4)
    for _ in range(passes):
        for i in range(tiles):
            load(x_queue, x_gm[i * tile :], tile)
            load(y_queue, y_gm[i * tile :], tile)
            x_tile, y_tile = x_queue.deque(asc.float32), y_queue.deque(asc.float32)
            z_tile = z_queue.alloc_tensor(asc.float32)
            asc.add(z_tile, x_tile, y_tile, tile)
            z_queue.enque(z_tile)
            x_queue.free_tensor(x_tile)
            y_queue.free_tensor(y_tile)
            out = z_queue.deque(asc.float32)
            asc.data_copy(z_gm[i * tile :], out, tile)
            z_queue.free_tensor(out)


@asc.jit
def load(queue: asc.TQue, source: asc.GlobalTensor, tile: int) -> None:
    """Copy one tile in."""
    tensor = queue.alloc_tensor(asc.float32)
    asc.data_copy(tensor, source, tile)
    queue.enque(tensor)


@asc.jit
def long_loop(
    x: asc.GlobalAddress, z: asc.GlobalAddress, tile: asc.ConstExpr[int], tiles: asc.ConstExpr[int],
    rounds: asc.ConstExpr[int],
) -> None:  # fmt: skip
    """Load, flag, add, flag, store, flag: nine instructions a round, over ``tiles`` tiles again and again."""
    x_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm.set_global_buffer(z)
    source = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, tile)
    result = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, tile * 4, tile)
    for i in range(rounds):
        at = i % tiles * tile
        asc.data_copy(source, x_gm[at:], tile)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.add(result, source, source, tile)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(z_gm[at:], result, tile)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)


@dataclass(frozen=True)
class Problem:
    """Two arrays to add, and how they are cut."""

    x: np.ndarray[Any, Any]
    y: np.ndarray[Any, Any]
    tile: int
    cores: int

    @classmethod
    def of(cls, elements: int, tile: int, cores: int) -> Problem:
        random = np.random.default_rng(0)
        return cls(random.random(elements, np.float32), random.random(elements, np.float32), tile, cores)


def on_virtual_core(problem: Problem, check: bool, passes: int = 1) -> int:
    """Launch the kernel; the number of instructions issued, flags included."""
    z = np.zeros_like(problem.x)
    tiles = len(problem.x) // problem.tile // problem.cores
    with session(check=check):
        record = add_tiles.run(problem.cores, problem.x, problem.y, z, problem.tile, tiles, passes)
    assert not record.findings
    np.testing.assert_array_equal(z, problem.x + problem.y)
    return sum(record.issued.values())


def through_loop(instructions: int, check: bool) -> int:
    """Launch the long loop; the number of instructions issued, flags included."""
    tile, tiles = 64, 64
    x = np.arange(tile * tiles, dtype=np.float32)
    z = np.zeros_like(x)
    with session(check=check):
        record = long_loop.run(1, x, z, tile, tiles, max(tiles, -(-instructions // 9)))
    assert not record.findings
    np.testing.assert_array_equal(z, x + x)
    return sum(record.issued.values())


def optional(*names: str) -> list[Any]:
    """Modules of a peer.

    Raises:
        ImportError: it is not installed.
    """
    return [import_module(name) for name in names]


def triton_peer(problem: Problem) -> Run:
    """Triton's interpreter on the same tiles."""
    os.environ["TRITON_INTERPRET"] = "1"
    torch, triton, tl = optional("torch", "triton", "triton.language")

    @triton.jit
    def kernel(x: Any, y: Any, z: Any, tile: tl.constexpr) -> None:  # type: ignore[name-defined]
        at = tl.program_id(0) * tile + tl.arange(0, tile)
        tl.store(z + at, tl.load(x + at) + tl.load(y + at))

    x, y = torch.from_numpy(problem.x), torch.from_numpy(problem.y)
    z = torch.empty_like(x)
    return lambda: kernel[(len(x) // problem.tile,)](x, y, z, problem.tile)


def pallas_peer(problem: Problem, detect_races: bool) -> Run:
    """JAX Pallas' TPU interpret mode on the same tiles."""
    jax, jnp = optional("jax", "jax.numpy")
    pl, pltpu = optional("jax.experimental.pallas", "jax.experimental.pallas.tpu")

    def kernel(x: Any, y: Any, z: Any) -> None:
        z[...] = x[...] + y[...]

    spec = pl.BlockSpec((problem.tile,), lambda i: (i,))
    call = jax.jit(
        pl.pallas_call(
            kernel,
            grid=(len(problem.x) // problem.tile,),
            in_specs=[spec, spec],
            out_specs=spec,
            out_shape=jax.ShapeDtypeStruct(problem.x.shape, jnp.float32),
            interpret=pltpu.InterpretParams(detect_races=detect_races),
        )
    )
    x, y = jnp.asarray(problem.x), jnp.asarray(problem.y)
    return lambda: jax.block_until_ready(call(x, y))


@dataclass(frozen=True)
class Matmul:
    """Two square matrices of half to multiply, and their tile."""

    a: np.ndarray[Any, Any]
    b: np.ndarray[Any, Any]
    tile: int = 128

    @classmethod
    def of(cls, side: int) -> Matmul:
        random = np.random.default_rng(0)
        a, b = (random.standard_normal((side, side)).astype(np.float16) for _ in range(2))
        return cls(a, b)

    @property
    def side(self) -> int:
        return len(self.a)

    def judge(self, c: Any) -> None:
        """Refuse a product that is wrong beyond what float32 sums allow."""
        np.testing.assert_allclose(c, self.a.astype(np.float64) @ self.b.astype(np.float64), rtol=1e-3, atol=1e-3)


def cube_kernel() -> Any:
    """The kernel of examples/asc/cube: two halves of every buffer."""
    import_module("cannery.activate")
    folder = str(Path(__file__).resolve().parent.parent / "examples/asc/cube")
    if folder not in sys.path:
        sys.path.append(folder)
    return import_module("ping_pong").matmul


def matmul_on_virtual_core(problem: Matmul, check: bool) -> np.ndarray[Any, Any]:
    """Launch the kernel on one core; the product."""
    c = np.zeros((problem.side, problem.side), np.float32)
    with session(check=check):
        record = cube_kernel().run(1, problem.a, problem.b, c, *[problem.side] * 3, problem.tile)
    assert not record.findings
    return c


def triton_matmul(problem: Matmul) -> Run:
    """Triton's interpreter, tl.dot on the same tiles."""
    os.environ["TRITON_INTERPRET"] = "1"
    torch, triton, tl = optional("torch", "triton", "triton.language")

    @triton.jit
    def kernel(a: Any, b: Any, c: Any, side: tl.constexpr, tile: tl.constexpr) -> None:  # type: ignore[name-defined]
        rows = tl.program_id(0) * tile + tl.arange(0, tile)
        columns = tl.program_id(1) * tile + tl.arange(0, tile)
        depth = tl.arange(0, tile)
        acc = tl.zeros((tile, tile), tl.float32)
        for step in range(0, side, tile):
            left = tl.load(a + rows[:, None] * side + step + depth[None, :])
            right = tl.load(b + (step + depth[:, None]) * side + columns[None, :])
            acc = tl.dot(left, right, acc)
        tl.store(c + rows[:, None] * side + columns[None, :], acc)

    a, b = torch.from_numpy(problem.a), torch.from_numpy(problem.b)
    c = torch.empty((problem.side, problem.side), dtype=torch.float32)
    grid = (problem.side // problem.tile,) * 2

    def run() -> Any:
        kernel[grid](a, b, c, problem.side, problem.tile)
        return c.numpy()

    return run


def pallas_matmul(problem: Matmul, detect_races: bool) -> Run:
    """JAX Pallas' TPU interpret mode on the same tiles."""
    jax, jnp = optional("jax", "jax.numpy")
    pl, pltpu = optional("jax.experimental.pallas", "jax.experimental.pallas.tpu")

    def kernel(a: Any, b: Any, c: Any) -> None:
        @pl.when(pl.program_id(2) == 0)
        def _zero() -> None:
            c[...] = jnp.zeros_like(c)

        c[...] += jnp.dot(a[...], b[...], preferred_element_type=jnp.float32)

    tile, steps = problem.tile, problem.side // problem.tile
    call = jax.jit(
        pl.pallas_call(
            kernel,
            grid=(steps, steps, steps),
            in_specs=[
                pl.BlockSpec((tile, tile), lambda i, j, k: (i, k)),
                pl.BlockSpec((tile, tile), lambda i, j, k: (k, j)),
            ],
            out_specs=pl.BlockSpec((tile, tile), lambda i, j, k: (i, j)),
            out_shape=jax.ShapeDtypeStruct(problem.a.shape, jnp.float32),
            interpret=pltpu.InterpretParams(detect_races=detect_races),
        )
    )
    a, b = jnp.asarray(problem.a), jnp.asarray(problem.b)
    return lambda: np.asarray(jax.block_until_ready(call(a, b)))


MATMUL_PEERS: tuple[tuple[str, str, Callable[[Matmul], Run]], ...] = (
    ("Triton interpreter, no checks", "triton", triton_matmul),
    ("Pallas TPU interpret mode", "jax", partial(pallas_matmul, detect_races=False)),
    ("Pallas TPU interpret mode, race detection", "jax", partial(pallas_matmul, detect_races=True)),
)

Peer = tuple[str, str, Callable[[Problem], Run]]
PEERS: tuple[Peer, ...] = (
    ("Triton interpreter, no checks", "triton", triton_peer),
    ("Pallas TPU interpret mode", "jax", partial(pallas_peer, detect_races=False)),
    ("Pallas TPU interpret mode, race detection", "jax", partial(pallas_peer, detect_races=True)),
)


def contestants(
    problem: Any, ours: Callable[[Any, bool], Any], peers: Iterable[tuple[str, str, Callable[[Any], Run]]],
    console: Console,
) -> Iterator[tuple[str, Run]]:  # fmt: skip
    """Ours, and the peers that are installed."""
    yield "cannery, all checks", lambda: ours(problem, True)
    yield "cannery, no checks", lambda: ours(problem, False)
    for title, package, make in peers:
        try:
            run = make(problem)
        except ImportError:
            console.print(f"skipped: {title}: {package} is not installed")
            continue
        yield title, run


def seconds(run: Run) -> float:
    """Wall time of one run."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def race_adds(problem: Problem, rounds: int, console: Console) -> None:
    """Print the medians of the add."""
    runs = dict(contestants(problem, on_virtual_core, PEERS, console))
    for run in runs.values():
        run()  # compile, import, touch memory
    race(runs, f"add, {len(problem.x)} float32, tiles of {problem.tile}, {problem.cores} cores", rounds, console)


def race_matmuls(problem: Matmul, rounds: int, console: Console) -> None:
    """Print the medians of the matmul; every contestant's product is looked at once."""
    runs = dict(contestants(problem, matmul_on_virtual_core, MATMUL_PEERS, console))
    for run in runs.values():
        problem.judge(run())
    race(runs, f"matmul, {problem.side}³ half, tiles of {problem.tile}", rounds, console)


def race(runs: Mapping[str, Run], name: str, rounds: int, console: Console) -> None:
    """Print the medians, and how they stand to ours with all checks."""
    times: dict[str, list[float]] = {title: [] for title in runs}
    for _ in range(rounds):
        for title, run in runs.items():
            times[title].append(seconds(run))
    medians = {title: statistics.median(values) for title, values in times.items()}
    table = Table(title=name)
    for column in ("", "seconds", "of ours, checked"):
        table.add_column(column, justify="left" if not column else "right")
    ours = next(iter(medians.values()))
    for title, median in medians.items():
        table.add_row(title, f"{median:.3f}", f"{median / ours:.2f}")
    console.print(table)


def growth(tile: int, cores: int, console: Console) -> None:
    """Print the cost of an instruction as the launch grows 16-fold."""
    table = Table(title="cost per instruction")
    for column in ("elements", "instructions", "µs, all checks", "µs, no checks"):
        table.add_column(column, justify="right")
    for elements in (1 << 16, 1 << 18, 1 << 20):
        problem = Problem.of(elements, tile, cores)
        count = on_virtual_core(problem, True)
        costs = [min(seconds(partial(on_virtual_core, problem, check)) for _ in range(5)) for check in (True, False)]
        table.add_row(str(elements), str(count), *[f"{cost / count * 1e6:.1f}" for cost in costs])
    console.print(table)


def long_run(instructions: int, console: Console) -> None:
    """Print what a long loop of one core costs, in user time: the machine may have other work."""
    through_loop(10_000, True)
    table = Table(title=f"{instructions:,} instructions: load, flag, add, flag, store in a loop")
    for column in ("", "seconds", "µs per instruction"):
        table.add_column(column, justify="left" if not column else "right")
    for title, check in (("all checks", True), ("no checks", False)):
        start = time.process_time()
        count = through_loop(instructions, check)
        spent = time.process_time() - start
        table.add_row(title, f"{spent:.1f}", f"{spent / count * 1e6:.1f}")
    console.print(table)


def memory(tile: int, cores: int, console: Console) -> None:
    """Print the process's peak memory while a launch of constant data grows 16-fold in instructions."""
    problem = Problem.of(1 << 16, tile, cores)
    table = Table(title="peak memory of the process, constant data")
    for column in ("instructions", "MiB"):
        table.add_column(column, justify="right")
    for passes in (4, 16, 64):
        count = on_virtual_core(problem, True, passes)
        table.add_row(str(count), f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.1f}")
    console.print(table)


def main() -> None:
    """Run all measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--elements", type=int, default=1 << 20)
    parser.add_argument("--tile", type=int, default=2048)
    parser.add_argument("--cores", type=int, default=8)
    parser.add_argument("--instructions", type=int, default=10**6, help="of the long loop")
    options = parser.parse_args()
    console = Console(width=100)
    growth(options.tile, options.cores, console)
    long_run(options.instructions, console)
    memory(options.tile, options.cores, console)
    race_adds(Problem.of(options.elements, options.tile, options.cores), options.rounds, console)
    race_matmuls(Matmul.of(512), options.rounds, console)


if __name__ == "__main__":
    main()
