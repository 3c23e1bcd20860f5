"""What a face adds to the same call: each way in, against ``cannery.run``.

    python benchmarks/faces.py [--rounds 15] [--calls 100] [--face aclnn]

A race is one call of one operator; a face has a row in ``RACES``: a function that makes everything beforehand and
returns what is to be timed, ``cannery.run`` first. Contestants take turns within a round; medians are shown.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

import cannery

Run = Callable[[], object]
METADATA = "DenseLightningIndexerKLLossGradMetadata"


@dataclass(frozen=True)
class Race:
    """A call by two ways.

    Attributes:
        title: what is called.
        runs: by name; the first is ``cannery.run``.
        most: what the second may take at most, as a multiple of the first.
    """

    title: str
    runs: Mapping[str, Run]
    most: float


def aclnn_races() -> Iterable[Race]:
    """Both phases and a synchronisation, tensors and workspace made beforehand."""
    from cannery import acl, aclnn

    def upload(values: np.ndarray) -> int:
        memory, _ = acl.rt.malloc(values.nbytes, 0)
        acl.rt.memcpy(memory, values.nbytes, values.ctypes.data, values.nbytes, 1)
        return int(aclnn.aclCreateTensor(list(values.shape), 3, None, 0, 2, list(values.shape), memory))

    acl.init()
    acl.rt.set_device(0)
    stream, _ = acl.rt.create_stream()
    workspace, _ = acl.rt.malloc(1 << 20, 0)
    for batches in (1, 256):
        ends = np.arange(batches + 1, dtype=np.int32) * 16
        handles = upload(ends), upload(ends), upload(np.zeros(64, np.int32))
        row = (0, 16, 16, 64, 1, 128, "TND", "TND", 0, 4)

        def two_phases(handles: tuple[int, int, int] = handles, row: tuple[object, ...] = row) -> None:
            q, k, out = handles
            plan = aclnn.aclnnDenseLightningIndexerKLLossGradMetadataGetWorkspaceSize
            _, size, executor = plan(q, k, None, None, None, *row, out)
            aclnn.aclnnDenseLightningIndexerKLLossGradMetadata(workspace, size, executor, stream)
            assert acl.rt.synchronize_stream(stream) == 0

        yield Race(f"{METADATA}, {batches} batches", {"cannery.run": metadata_run(ends), "aclnn": two_phases}, 2.0)


def metadata_run(ends: np.ndarray) -> Run:
    """The metadata operator through the staged call, into a buffer of the caller's, as a two-phase call writes it."""
    names = ("batch_size", "max_seqlen_q", "max_seqlen_k", "num_heads_q", "num_heads_k", "head_dim")
    attrs: dict[str, object] = {
        **dict(zip(names, (0, 16, 16, 64, 1, 128), strict=True)),
        "mask_mode": 0,
        "cmp_ratio": 4,
    }
    attrs |= {"layout_q": "TND", "layout_k": "TND"}
    cu, out = torch.from_numpy(ends), torch.zeros(64, dtype=torch.int32)
    return lambda: cannery.run(METADATA, [cu, cu, None, None, None], attrs, outputs=[out], engine="aicpu")


def atb_races() -> Iterable[Race]:
    """torch_atb's forward, and the steps below it: with one operation, with a new one a call, with nothing kept."""
    yield atb_race([1], 1)
    yield atb_race([2] * 32, 4)


def atb_race(lengths: list[int], limit: int) -> Race:
    """UnpadWithHiddenState, one element a row."""
    from cannery import atb
    from cannery.atb import torch_atb
    from cannery.atb.kernel_cache import forget_global_caches
    from cannery.runtime import Stream

    x, out, stream = torch.zeros(len(lengths), limit, 1).half(), torch.zeros(sum(lengths), 1).half(), Stream()
    param, attrs = atb.UnpadWithHiddenStateParam(lengths, limit), {"qSeqLen": lengths, "maxSeqLen": limit}
    pack = atb.VariantPack([atb.Tensor.of(x)], [atb.Tensor.of(out)])
    bound = torch_atb.Operation(torch_atb.UnpadWithHiddenStateParam(lengths, limit))

    def new_context() -> atb.Context:
        made = atb.CreateContext()
        made.SetExecuteStream(stream)
        return made

    def steps(operation: atb.Operation, context: atb.Context) -> None:
        size = operation.Setup(pack, context)
        operation.Execute(pack, None, size, context)
        stream.synchronize()

    def pooled() -> None:
        operation = atb.CreateOperation(param)
        steps(operation, shared)
        atb.DestroyOperation(operation)

    def nothing_kept() -> None:
        forget_global_caches()
        steps(atb.CreateOperation(param), new_context())

    shared, kept = new_context(), atb.CreateOperation(param)
    runs: dict[str, Run] = {
        "cannery.run": lambda: cannery.run("UnpadWithHiddenState", [x], attrs),
        "torch_atb: forward": lambda: bound.forward([x]),
        "atb: Setup, Execute": lambda: steps(kept, shared),
        "atb: new operation": pooled,
        "atb: nothing kept": nothing_kept,
    }
    return Race(f"UnpadWithHiddenState, {len(lengths)} samples", runs, 2.0)


def ge_races() -> Iterable[Race]:
    """``run_graph`` of a graph of one operator, the graph compiled and the tensor made beforehand."""
    from cannery.ge.es import GraphBuilder
    from cannery.ge.es.all import UpdateTensorDesc
    from cannery.ge.ge_global import GeApi
    from cannery.ge.graph import Tensor
    from cannery.ge.session import Session

    GeApi.ge_initialize({"ge.graphRunMode": "1"})
    session = Session()
    wanted = {"static": [2, 3], "dynamic": [-1, -1]}
    for number, shape in enumerate(wanted.values()):
        builder = GraphBuilder()
        session.add_graph(
            number, builder.build_and_reset([UpdateTensorDesc(builder.create_input(0, shape=shape), shape=[4, 8, 4])])
        )
    x, values = Tensor([1.0] * 6, shape=[2, 3]), torch.ones(2, 3)
    others = [Tensor([1.0] * n, shape=[1, n]) for n in (1, 2)]
    turns = {"calls": 0}

    def other_shape() -> object:
        turns["calls"] += 1
        return session.run_graph(1, [others[turns["calls"] % 2]])

    yield Race(
        "UpdateTensorDesc, 128 words",
        {
            "cannery.run": lambda: cannery.run("UpdateTensorDesc", [values], {"shape": [4, 8, 4]}),
            "ge, static": lambda: session.run_graph(0, [x]),
            "ge, dynamic": lambda: session.run_graph(1, [x]),
            "ge, another shape each time": other_shape,
        },
        2.0,
    )


RACES: dict[str, Callable[[], Iterable[Race]]] = {
    "aclnn": aclnn_races,
    "atb": atb_races,
    "ge": ge_races,
}


def medians(race: Race, rounds: int, calls: int) -> dict[str, float]:
    """Median seconds of a call, by name; the first round is not measured."""
    taken: dict[str, list[float]] = {name: [] for name in race.runs}
    for is_measured in [False, *[True] * rounds]:
        for name, run in race.runs.items():
            start = time.perf_counter()
            for _ in range(calls):
                run()
            if is_measured:
                taken[name].append((time.perf_counter() - start) / calls)
    return {name: statistics.median(times) for name, times in taken.items()}


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=100, help="calls between two turns")
    parser.add_argument("--face", choices=RACES, nargs="+", default=list(RACES))
    chosen = parser.parse_args(None if arguments is None else list(arguments))
    table = Table("call", "face", "µs", "time / cannery.run", "at most")
    for face in chosen.face:
        for race in RACES[face]():
            table.add_section()
            found = medians(race, chosen.rounds, chosen.calls)
            floor = next(iter(found.values()))
            for number, (name, median) in enumerate(found.items()):
                limit = f"{race.most:.1f}" if number else ""
                title = "" if number else race.title
                table.add_row(title, name, f"{median * 1e6:.0f}", f"{median / floor:.2f}", limit)
    Console().print(table)


if __name__ == "__main__":
    main()
