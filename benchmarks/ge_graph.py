"""A long graph: building it, inferring its shapes, compiling and running it, drawing it.

    python benchmarks/ge_graph.py [--nodes 1000] [--rounds 5]

The graph is a chain of UpdateTensorDesc on an input of unknown shape. To build and to infer 1000 nodes should take less
than a second together.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from cannery.ge.es import GraphBuilder
from cannery.ge.es.all import UpdateTensorDesc
from cannery.ge.ge_global import GeApi
from cannery.ge.graph import DumpFormat, Graph, Tensor
from cannery.ge.session import Session
from cannery.ge.utils import GeUtils


def build(nodes: int) -> Graph:
    """A chain of so many operators."""
    builder = GraphBuilder("chain")
    holder = builder.create_input(0, shape=[-1, 3])
    for _ in range(nodes):
        holder = UpdateTensorDesc(holder, shape=[4, 8, 4])
    return builder.build_and_reset([holder])


def laps(nodes: int) -> dict[str, float]:
    """Seconds of each step, for a graph of its own."""
    session, x = Session(), Tensor([1.0] * 6, shape=[2, 3])
    taken: dict[str, float] = {}

    def lap(name: str, step: Callable[[], object]) -> object:
        start = time.perf_counter()
        result = step()
        taken[name] = time.perf_counter() - start
        return result

    graph = lap("build", lambda: build(nodes))
    assert isinstance(graph, Graph)
    lap("infer shapes", lambda: GeUtils.infer_shape(graph, [[-1, 3]]))
    session.add_graph(0, graph)
    lap("first run, compilation included", lambda: session.run_graph(0, [x]))
    lap("second run", lambda: session.run_graph(0, [x]))
    lap("draw", lambda: graph.dump_to_stream(DumpFormat.SVG))
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    GeApi.ge_initialize({"ge.graphRunMode": "1"})
    rounds = [laps(chosen.nodes) for _ in range(chosen.rounds)]
    medians = {name: statistics.median(taken[name] for taken in rounds) for name in rounds[0]}
    table = Table(f"a graph of {chosen.nodes} nodes", "ms")
    for name, median in medians.items():
        table.add_row(name, f"{median * 1e3:.1f}")
    table.add_section()
    table.add_row("build and infer (aim: less than 1000)", f"{(medians['build'] + medians['infer shapes']) * 1e3:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
