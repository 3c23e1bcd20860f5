"""Whole programs in pyasc's spelling, with the findings of each: kind, severity, memory, pipes, lines.

A file of programs/ is a program. It begins with a line ``# finds: kind severity memory pipes lines`` for each finding.
Lines are named by the marks ``# <a>`` at their ends. A program may check its own results.
"""

import re
from pathlib import Path

import pytest

from cannery import activate
from cannery.aicore import DeadlockError
from cannery.watch import Finding, session

PROGRAMS = Path(__file__).parent / "programs"
FILES = sorted(PROGRAMS.glob("*/*.py"))
FINDS = "# finds: "


def expected_in(path: Path) -> list[str]:
    """The findings that a program's first lines tell."""
    lines = path.read_text().splitlines()
    return [line.removeprefix(FINDS) for line in lines if line.startswith(FINDS)]


def marks_in(path: Path) -> dict[tuple[str, int], str]:
    """Letters of marked lines."""
    found = ((line, re.search(r"# <(\w)>", text)) for line, text in enumerate(path.read_text().splitlines(), 1))
    return {(str(path), line): mark[1] for line, mark in found if mark}


def described(finding: Finding, marks: dict[tuple[str, int], str]) -> str:
    """A finding as the first lines of a program tell it; a line without a mark as its place."""
    lines = ",".join(marks.get((site.file, site.line), f"{site.file}:{site.line}") for site in finding.locations)
    pipes = ">".join(finding.pipes)
    return f"{finding.kind} {finding.severity} {finding.memory or '-'} {pipes or '-'} {lines}"


def run(path: Path, *, check: bool, seed: int) -> list[Finding]:
    """Run a program; one that deadlocks stops there."""
    package = ".".join((__package__, PROGRAMS.name, path.parent.name))
    with session(check=check, seed=seed) as found:
        try:
            exec(compile(path.read_text(), str(path), "exec"), {"__name__": "__main__", "__package__": package})
        except DeadlockError:
            assert not check or "DEADLOCK" in {finding.kind for finding in found.findings()}
    return found.findings()


@pytest.fixture(autouse=True)
def _substituted() -> None:
    activate.activate()


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_program_has_exactly_its_findings(path: Path) -> None:
    expected, marks = sorted(expected_in(path)), marks_in(path)
    first = run(path, check=True, seed=0)
    assert sorted(described(finding, marks) for finding in first) == expected
    assert run(path, check=True, seed=0) == first
    assert sorted(described(finding, marks) for finding in run(path, check=True, seed=7)) == expected
    assert run(path, check=False, seed=0) == []
