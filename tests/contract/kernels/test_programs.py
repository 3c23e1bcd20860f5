"""Whole programs in pyasc's spelling, with the findings of each: kind, severity, memory, pipes, lines.

A file of programs/ holds many: ``=== name``, a line ``--- kind severity memory pipes lines`` for each finding, the
program. Lines are named by the marks ``# <a>`` at their ends. A program may check its own results.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cannery import activate
from cannery.aicore import DeadlockError, Finding, session

PRELUDE = """
import numpy as np

import asc
import asc.lib.runtime as rt
import asc.runtime.config as config

E, P, F, N = asc.HardEvent, asc.TPosition, asc.float32, 64


@asc.jit
def bind(address):
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(address)
    return tensor


@asc.jit
def sync(event, identity=0):
    asc.set_flag(event, identity)
    asc.wait_flag(event, identity)


"""


def programs() -> Iterator[object]:
    for path in sorted((Path(__file__).parent / "programs").glob("*.txt")):
        for block in path.read_text().split("=== ")[1:]:
            name, _, rest = block.partition("\n")
            lines = rest.splitlines(keepends=True)
            expected = [line[4:].strip() for line in lines if line.startswith("--- ")]
            yield pytest.param(expected, "".join(lines[len(expected) :]), id=f"{path.stem}-{name}")


def described(finding: Finding, marks: dict[int, str]) -> str:
    lines = ",".join(marks.get(site.line, str(site.line)) for site in finding.locations)
    pipes = ">".join(finding.pipes)
    return f"{finding.kind} {finding.severity} {finding.memory or '-'} {pipes or '-'} {lines}"


def run(path: Path, *, check: bool, seed: int) -> list[Finding]:
    """Run a program; one that deadlocks stops there."""
    source = path.read_text()
    with session(check=check, seed=seed) as found:
        try:
            exec(compile(source, str(path), "exec"), {"__name__": "__main__"})
        except DeadlockError:
            assert not check or "DEADLOCK" in {finding.kind for finding in found.findings()}
    return found.findings()


@pytest.fixture(autouse=True)
def _substituted() -> None:
    activate.activate()


@pytest.mark.parametrize("expected, body", list(programs()))
def test_a_program_has_exactly_its_findings(tmp_path: Path, expected: list[str], body: str) -> None:
    path = tmp_path / "program.py"
    path.write_text(PRELUDE + body)
    found = re.finditer(r"# <(\w)>", path.read_text())
    marks = {path.read_text().count("\n", 0, mark.start()) + 1: mark[1] for mark in found}
    first = run(path, check=True, seed=0)
    assert sorted(described(finding, marks) for finding in first) == sorted(expected)
    assert run(path, check=True, seed=0) == first
    assert sorted(described(finding, marks) for finding in run(path, check=True, seed=7)) == sorted(expected)
    assert run(path, check=False, seed=0) == []
