"""Mutation score of the checker: every sync statement of every shipped kernel dropped, moved, or given another id.

    python benchmarks/mutants.py [--kernel NAME ...] [--list]

A mutant counts when it changes the order of conflicting accesses. Whether it does is judged by a second model that
shares nothing with the checker's clocks: a graph over all that was issued, in which two accesses to the same bytes are
ordered when a path leads from one to the other. A mutant that keeps every conflict ordered is equivalent.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.util
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import cannery.activate  # noqa: F401 - the examples import asc
from cannery.aicore import DeadlockError
from cannery.asc.jit import JITFunction
from cannery.watch import Session, Trace, errors, session
from cannery.watch.rules import PAIR_KINDS

ROOT = Path(__file__).resolve().parent.parent
SYNC = frozenset(
    {
        "set_flag", "wait_flag", "pipe_barrier", "sync_all", "cross_core_set_flag", "cross_core_wait_flag", "enque",
        "free_tensor", "data_cache_clean_and_invalid",
    }
)  # fmt: skip
EVENT_IDS = 8
Launches = Callable[[ModuleType], None]


@dataclass(frozen=True)
class Target:
    """A file with kernels. ``run`` launches them from its module, or from the module ``entry`` that uses it.

    ``kernel``: the only function that is changed; empty: all of the file's are.
    """

    name: str
    path: Path
    run: Launches
    entry: str = ""
    module: str = ""
    kernel: str = ""


@dataclass(frozen=True)
class Mutant:
    """A changed source, and what was changed."""

    what: str
    source: str


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: whether it changes the order of conflicts, whether the checker says so, and whether it
    says so wrongly.

    A mutant that is no program any more (a name used before it is bound) changes nothing here.
    """

    mutant: Mutant
    changed: bool
    caught: bool
    alarmed: bool
    note: str


def mutants(source: str, kernel: str = "") -> Iterator[Mutant]:
    """All mutants of a source text; with ``kernel`` those of that function."""
    tree = ast.parse(source)
    within = range(len(source.splitlines()) + 1)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == kernel:
            within = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    for number, (body, at) in enumerate(_sync_statements(tree)):
        if body[at].lineno not in within:
            continue
        statement = ast.unparse(body[at])
        where = f"line {body[at].lineno}: {statement}"
        yield Mutant(f"drop     {where}", _edited(tree, number, _drop))
        if at > 0:
            yield Mutant(f"move up  {where}", _edited(tree, number, _swap_up))
        if at + 1 < len(body):
            yield Mutant(f"move down {where}", _edited(tree, number, _swap_down))
        if "flag" in statement and len(_call(body[at]).args) > 1:
            yield Mutant(f"renumber {where}", _edited(tree, number, _renumber))


def _sync_statements(tree: ast.AST) -> list[tuple[list[ast.stmt], int]]:
    found = []
    for node in ast.walk(tree):
        for field in ("body", "orelse"):
            body = getattr(node, field, None)
            if isinstance(body, list) and not isinstance(node, ast.Module):
                found += [(body, at) for at, statement in enumerate(body) if _is_sync(statement)]
    return found


def _is_sync(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    function = statement.value.func
    return isinstance(function, ast.Attribute) and function.attr in SYNC


def _call(statement: ast.stmt) -> ast.Call:
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Call)
    return statement.value


def _edited(tree: ast.Module, number: int, edit: Callable[[list[ast.stmt], int], None]) -> str:
    changed = copy.deepcopy(tree)
    edit(*_sync_statements(changed)[number])
    return ast.unparse(ast.fix_missing_locations(changed))


def _drop(body: list[ast.stmt], at: int) -> None:
    body[at] = ast.Pass()


def _swap_up(body: list[ast.stmt], at: int) -> None:
    body[at - 1], body[at] = body[at], body[at - 1]


def _swap_down(body: list[ast.stmt], at: int) -> None:
    body[at + 1], body[at] = body[at], body[at + 1]


def _renumber(body: list[ast.stmt], at: int) -> None:
    call = _call(body[at])
    call.args[1] = ast.parse(f"({ast.unparse(call.args[1])} + 1) % {EVENT_IDS}", mode="eval").body


@contextmanager
def loaded(target: Target, source: str) -> Iterator[ModuleType]:
    """The target's module with another source; under its own name while the module that uses it is loaded."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / target.path.name
        path.write_text(source, encoding="utf-8")
        name = target.module or f"mutant_{target.path.stem}"
        before = {key: sys.modules.pop(key, None) for key in (name, target.entry) if key}
        try:
            module = _load(name, path)
            yield importlib.import_module(target.entry) if target.entry else module
        finally:
            for key, value in before.items():
                sys.modules.pop(key, None)
                if value is not None:
                    sys.modules[key] = value


def _load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    if str(_CUBE) not in sys.path:  # its kernels share a file
        sys.path.append(str(_CUBE))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def judge(target: Target, mutant: Mutant) -> Verdict:
    """Run a mutant under the checker and under the graph."""
    traces: list[Trace] = []
    with session(check=True) as found, loaded(target, mutant.source) as module, _traced(traces):
        note = _outcome(target, module)
    wrong = errors(found.findings())
    changed = note == "deadlock" or (not note and any(trace.has_race() or trace.has_hidden() for trace in traces))
    alarmed = not changed and any(finding.kind in PAIR_KINDS for finding in wrong)
    return Verdict(
        mutant, changed, bool(wrong), alarmed, note or ", ".join(sorted({finding.kind for finding in wrong}))
    )


def _outcome(target: Target, module: ModuleType) -> str:
    try:
        target.run(module)
    except DeadlockError:
        return "deadlock"
    except AssertionError:  # the data came out wrong: whether that is a matter of order is for the graph to say
        return ""
    except Exception as failure:
        return f"no program: {failure}"
    return ""


@contextmanager
def _traced(traces: list[Trace]) -> Iterator[None]:
    """Let every launch leave a trace."""
    plain = JITFunction.run

    def run(self: JITFunction, core_num: int, *args: Any, **options: Any) -> Any:
        traces.append(Trace())
        return plain(self, core_num, *args, watchers=(traces[-1],), **options)

    JITFunction.run = run  # type: ignore[method-assign]
    try:
        yield
    finally:
        JITFunction.run = plain  # type: ignore[method-assign]


def _add_static(module: ModuleType) -> None:
    x = np.arange(8 * 256, dtype=np.float32)
    module.add[1](x, x, np.zeros_like(x), len(x))


def _add_queue(module: ModuleType) -> None:
    x = np.arange(9 * 512 + 7, dtype=np.float32)
    module.add[2](x, x, np.zeros_like(x), len(x))


def _rms_norm(module: ModuleType) -> None:
    x = np.ones((8, module.WIDTH), np.float16)
    module.rms_norm[2](x, np.ones(module.WIDTH, np.float32), np.zeros_like(x), len(x))


def _ring_shift(module: ModuleType) -> None:
    x = np.arange(module.CORES * module.LENGTH, dtype=np.int32)
    module.ring_shift[module.CORES](x, np.zeros_like(x), np.zeros_like(x), np.zeros(module.LENGTH, np.int32))


def _scalar_unit(name: str, cores: int = 1) -> Launches:
    """A kernel of the scalar unit's file, with its result."""

    def run(module: ModuleType) -> None:
        x = np.arange(4 * module.TILE, dtype=np.float32)
        getattr(module, name)[cores](x, np.zeros_like(x))

    return run


def _hidden_state(name: str, inputs: Callable[[Any], Any]) -> Launches:
    def run(module: ModuleType) -> None:
        import cannery
        from cannery.operator import staged
        from cannery.operator.tensors import allocate, bind_inputs

        chip = cannery.soc("Ascend910B1", aiv_cores=2)
        operator = cannery.find_operator(name)
        generator = np.random.default_rng(0)
        x = inputs(generator)
        attrs = {"qSeqLen": [3, 7], "maxSeqLen": 8}
        tensors = bind_inputs(operator.definition, [x])
        descs = [None if tensor is None else tensor.desc for tensor in tensors]
        call = staged.prepare(operator, descs, attrs, soc=chip)
        module.launch(call.context, call.tiling, tensors, allocate(call.context, (None,), None))

    return run


def _update_tensor_desc(module: ModuleType) -> None:
    y = np.ones(128, np.int64)
    words = np.array([3, 4, 8, 4], np.int64)
    module.update_tensor_desc[1](np.zeros(32, np.uint8), y, np.zeros(32, np.uint8), words)


def _own_run(module: ModuleType) -> None:
    module.run()


def _half(*shape: int) -> Callable[[Any], Any]:
    return lambda generator: generator.random(shape, np.float32).astype(np.float16)


_SHARED = ROOT / "src/cannery/ops/_hidden_state/kernel.py"
_OPS = "cannery.ops"
_SCALAR_UNIT = ROOT / "benchmarks/kernels/scalar_unit.py"
_CUBE = ROOT / "examples/asc/cube"
CUBE = (
    "nd2nz", "ping_pong", "bias_table", "int8_quant", "queues", "unit_flag", "mix_1_1", "mix_1_2", "cross_core_modes",
)  # fmt: skip
WIDTH = 4096 * 6 + 33
TARGETS = (
    Target("examples/asc/add_static", ROOT / "examples/asc/add_static.py", _add_static),
    Target("examples/asc/add_queue", ROOT / "examples/asc/add_queue.py", _add_queue),
    Target("examples/asc/rms_norm", ROOT / "examples/asc/rms_norm.py", _rms_norm),
    Target("examples/asc/ring_shift", ROOT / "examples/asc/ring_shift.py", _ring_shift),
    Target(
        "UnpadWithHiddenState", _SHARED, _hidden_state("UnpadWithHiddenState", _half(2, 8, WIDTH)),
        f"{_OPS}.unpad_with_hidden_state.kernel", f"{_OPS}._hidden_state.kernel",
    ),
    Target(
        "PadWithHiddenState, copy", _SHARED, _hidden_state("PadWithHiddenState", _half(10, 4096)),
        f"{_OPS}.pad_with_hidden_state.kernel", f"{_OPS}._hidden_state.kernel",
    ),
    Target(
        "PadWithHiddenState, padding", ROOT / "src/cannery/ops/pad_with_hidden_state/kernel.py",
        _hidden_state("PadWithHiddenState", _half(10, 4096)), "", f"{_OPS}.pad_with_hidden_state.kernel",
    ),
    Target(
        "UpdateTensorDesc", ROOT / "src/cannery/ops/update_tensor_desc/kernel.py", _update_tensor_desc,
        "", f"{_OPS}.update_tensor_desc.kernel",
    ),
    *(
        Target(name, _SCALAR_UNIT, _scalar_unit(name, cores), kernel=name)
        for name, cores in (
            ("scaled_by_its_first", 1), ("looked_up", 1), ("header_first", 1), ("told_in_turns", 3),
            ("counted_by_the_first", 3),
        )
    ),
    *(Target(f"examples/asc/cube/{name}", _CUBE / f"{name}.py", _own_run) for name in CUBE),
)  # fmt: skip


def score(target: Target) -> tuple[Session, list[Verdict]]:
    """The session of the original, and the verdict on each mutant."""
    source = target.path.read_text(encoding="utf-8")
    with session(check=True) as original, loaded(target, source) as module:
        target.run(module)
    return original, [judge(target, mutant) for mutant in mutants(source, target.kernel)]


def main() -> None:
    """Print the score of each target, and every mutant that got away."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", action="append", help="only this target")
    parser.add_argument("--list", action="store_true", help="list every mutant")
    options = parser.parse_args()
    console = Console(width=140)
    table = Table(title="mutants")
    for column in (
        "kernel",
        "findings on the original",
        "mutants",
        "change the order",
        "caught",
        "survive",
        "false alarms",
    ):
        table.add_column(column, justify="left" if column == "kernel" else "right")
    total: Counter[str] = Counter()
    for target in TARGETS:
        if options.kernel and target.name not in options.kernel:
            continue
        original, verdicts = score(target)
        changed = [verdict for verdict in verdicts if verdict.changed]
        survivors = [verdict for verdict in changed if not verdict.caught]
        caught, alarms = len(changed) - len(survivors), sum(verdict.alarmed for verdict in verdicts)
        counts = (len(original.findings()), len(verdicts), len(changed), caught, len(survivors), alarms)
        table.add_row(target.name, *map(str, counts))
        total.update(changed=len(changed), caught=caught)
        for verdict in verdicts if options.list else survivors:
            mark = "equivalent" if not verdict.changed else "caught" if verdict.caught else "SURVIVES"
            console.print(f"{target.name}: {mark}: {verdict.mutant.what} [{verdict.note}]", markup=False)
    console.print(table)
    console.print(f"caught: {total['caught']} of {total['changed']} ({total['caught'] / max(total['changed'], 1):.1%})")


if __name__ == "__main__":
    main()
