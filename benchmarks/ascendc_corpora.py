"""How many published programs in Ascend C compile, run right by their own verification, and run clean.

    python -m benchmarks.ascendc_corpora CHECKOUT [--only TEXT] [--timeout SECONDS] [-j N] [--json FILE]

Programs are the folders whose CMakeLists.txt has ``find_package(ASC`` and ``add_executable``. What is done with one is
what its README.md says to do: the first block of commands that starts an executable. ``cmake`` and ``make`` become
`cannery exec` with the sources, definitions, folders and chip of the CMakeLists.txt; ``python3`` runs the program's own
scripts. The program's folder is copied before. "Right" needs a launch and a verification that says so; "clean"
needs that no finding of any severity was made.

Figures of the project are of hicann/asc-devkit `examples` @82b89a15f.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.cmake_project import Project, read_project

COMMAND: Final = Path(sys.executable).with_name("cannery")
CHIPS: Final = {"dav-2201": "Ascend910B1", "dav-3510": "Ascend950PR_9599"}
STAGES: Final = ("skipped", "refused", "failed", "wrong", "unverified", "right", "clean")
"""Unverified: it ran to its end, but neither a script nor the program itself says whether the result is right."""
FATAL: Final = ("KERNEL_FAILED", "DEADLOCK")
TIMED_OUT: Final = 124
_FENCE: Final = re.compile(r"```\s*(?:bash|shell|sh)\s*\n(.*?)```", re.DOTALL)
_ASSIGNMENT: Final = re.compile(r"^(\w+)=(\S*)$")
_FAILED: Final = re.compile(r"\[(?:failed|error)\]|test fail|verification failed|result error", re.IGNORECASE)
_PASSED: Final = re.compile(r"\[success\]|test pass|passed|success", re.IGNORECASE)
"""What a program, or its script, says of the result."""
_ERROR: Final = re.compile(r"(?:fatal )?error: (.*)")


@dataclass(frozen=True)
class Outcome:
    """What became of a program.

    Attributes:
        stage: how far it came, one of STAGES.
        reason: why not further.
        findings: of what kinds, with the program's lines.
    """

    program: str
    stage: str
    reason: str = ""
    findings: tuple[str, ...] = ()


class Ended(NamedTuple):
    """A command that has run."""

    code: int
    text: str
    errors: str


class Settings(NamedTuple):
    """Seconds that a command may take; the cache of compiled programs."""

    timeout: float


def programs(checkout: Path, only: str) -> list[Path]:
    """The folders of programs below a checkout."""
    found = []
    for path in sorted(checkout.rglob("CMakeLists.txt")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if "find_package(ASC" in text and "add_executable(" in text and only in str(path.parent):
            found.append(path.parent)
    return found


def steps(folder: Path) -> list[str]:
    """The commands of a program's README.md, one by one; none where it starts no executable."""
    readme = folder / "README.md"
    text = readme.read_text(encoding="utf-8", errors="replace") if readme.exists() else ""
    for block in _FENCE.findall(text):
        lines = [re.sub(r"(^|\s)#.*", "", line).strip() for line in block.splitlines()]
        if any(re.match(r"\./\w+", line) for line in lines):
            return [part.strip() for line in lines for part in re.split(r";|&&", line) if part.strip()]
    return []


def run(line: Sequence[str], folder: Path, settings: Settings) -> Ended:
    """Run a command; one that takes too long has the code TIMED_OUT."""
    try:
        done = subprocess.run(
            line, cwd=folder, capture_output=True, text=True, errors="replace", check=False, timeout=settings.timeout
        )
    except subprocess.TimeoutExpired:
        return Ended(TIMED_OUT, "", f"longer than {settings.timeout:g} s")
    return Ended(done.returncode, done.stdout, done.stderr)


class Attempt:
    """One program that is tried, in a copy of its folder."""

    def __init__(self, name: str, folder: Path, settings: Settings) -> None:
        self._name = name
        self._folder = folder
        self._build = folder / "build"
        self._settings = settings
        self._variables: dict[str, str] = {}
        self._project: Project | None = None
        self._findings: list[str] = []
        self._launches = 0
        self._is_verified = False

    def outcome(self) -> Outcome:
        """Do what the README says."""
        commands = steps(self._folder)
        if not commands:
            return Outcome(self._name, "skipped", "README.md starts no executable")
        self._build.mkdir(exist_ok=True)
        for command in commands:
            stopped = self._step(command)
            if stopped is not None:
                return Outcome(self._name, *stopped, tuple(self._findings))
        return Outcome(self._name, *self._completed(), tuple(self._findings))

    def _completed(self) -> tuple[str, str]:
        if not self._launches:
            return "failed", "launches no kernel"
        if not self._is_verified:
            return "unverified", "findings" if self._findings else "no findings"
        return "right" if self._findings else "clean", ""

    def _step(self, command: str) -> tuple[str, str] | None:
        """The stage at which a command has stopped, and why; None where it has not."""
        text = self._expanded(command)
        if assignment := _ASSIGNMENT.match(text):
            self._variables[assignment[1]] = assignment[2]
            return None
        words = shlex.split(text)
        if words[0] == "cmake":
            self._project = read_project(self._folder, dict(re.findall(r"-D\s*(\w+)=(\S*)", text)))
            return None
        if words[0] in ("python3", "python"):
            return self._script(words[1:])
        if words[0].startswith("./") and not words[0].endswith(".sh"):
            return self._program(words[1:])
        return None if words[0] in ("mkdir", "cd", "make", "source", "rm", "export") else ("skipped", text)

    def _expanded(self, command: str) -> str:
        return re.sub(r"\$\{?(\w+)\}?", lambda match: self._variables.get(match[1], ""), command)

    def _script(self, words: Sequence[str]) -> tuple[str, str] | None:
        done = run([sys.executable, *words], self._build, self._settings)
        is_check = "verify" in words[0] or "check" in words[0]
        if is_check and (done.code or _FAILED.search(done.text)):
            return "wrong", "its own verification"
        self._is_verified |= is_check and _PASSED.search(done.text) is not None
        if done.code:
            return "skipped", f"its script: {(done.errors.strip().splitlines() or ['?'])[-1][:100]}"
        return None

    def _program(self, arguments: Sequence[str]) -> tuple[str, str] | None:
        project = self._project or read_project(self._folder, {})
        chip = CHIPS.get(project.architecture)
        if chip is None or not project.sources:
            return "skipped", f"its CMakeLists.txt: {project.architecture or 'no architecture'}"
        report = self._build / "cannery.json"
        options = [f"-I{folder}" for folder in project.includes] + [f"-D{name}" for name in project.definitions]
        line = [str(COMMAND), "exec", "--check", "--json", str(report), "--soc", chip, *options]
        done = run([*line, *map(str, project.sources), "--", *arguments], self._build, self._settings)
        if not report.exists():
            return ("failed" if done.code == TIMED_OUT else "refused"), _refusal(done)
        found = json.loads(report.read_text(encoding="utf-8"))
        self._findings += map(_spelled, found["findings"])
        self._launches += len(found["launches"])
        return self._judged(done)

    def _judged(self, done: Ended) -> tuple[str, str] | None:
        """What an executed program says of itself."""
        if failure := next((line for line in self._findings if line.startswith(FATAL)), None):
            return "failed", failure[:160]
        if not self._launches:
            return "refused", _refusal(done)
        if _FAILED.search(done.text):
            return "wrong", "its own verification"
        if done.code and not self._findings:
            return "failed", _refusal(done)
        self._is_verified |= _PASSED.search(done.text) is not None
        return None


def _spelled(one: dict[str, Any]) -> str:
    places = ", ".join(f"{Path(place['file']).name}:{place['line']}" for place in one["locations"])
    return f"{one['kind']} {one['memory']} {'-'.join(one['pipes'])} {places} {one.get('message', '')}".strip()


def _refusal(done: Ended) -> str:
    """The compiler's first error, without what differs from program to program."""
    found = _ERROR.search(done.errors)
    text = found[1] if found else (done.errors.strip().splitlines() or [f"exit code {done.code}"])[-1]
    return text.removeprefix("static assertion failed: ")[:160]


def attempt(folder: Path, checkout: Path, settings: Settings) -> Outcome:
    """Try one program in a copy of its folder."""
    name = str(folder.relative_to(checkout))
    with tempfile.TemporaryDirectory(prefix="cannery-corpora-") as scratch:
        copied = Path(scratch, "examples", *Path(name).parts)
        shutil.copytree(folder, copied)
        try:
            return Attempt(name, copied, settings).outcome()
        except (OSError, ValueError) as failure:
            return Outcome(name, "skipped", f"its files: {failure}"[:160])


def show(outcomes: Sequence[Outcome], console: Console) -> None:
    """How many came how far, and why not further."""
    reached = Counter(outcome.stage for outcome in outcomes)
    counts = {
        "compile": sum(reached[stage] for stage in STAGES[2:]),
        "right": reached["right"] + reached["clean"],
        "clean": reached["clean"],
        "run without a verification": reached["unverified"],
    }
    console.print(f"{len(outcomes)} programs: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    table = Table("stage", "programs", "reason", "for example")
    rest = [outcome for outcome in outcomes if outcome.stage != "clean"]
    reasons = Counter((outcome.stage, outcome.reason) for outcome in rest)
    examples = {(outcome.stage, outcome.reason): outcome.program for outcome in rest}
    for (stage, reason), count in reasons.most_common():
        table.add_row(stage, str(count), reason or "findings", examples[stage, reason])
    console.print(table)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--only", default="", help="programs whose path has this text")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds that a command may take")
    parser.add_argument("-j", dest="jobs", type=int, default=1, help="programs at once")
    parser.add_argument("--json", type=Path, help="write all outcomes there")
    return parser


def main() -> None:
    arguments = _parser().parse_args()
    checkout, settings = arguments.checkout.resolve(), Settings(arguments.timeout)
    folders = programs(checkout, arguments.only)
    outcomes: list[Outcome] = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for outcome in pool.map(partial(attempt, checkout=checkout, settings=settings), folders):
            print(outcome.stage, outcome.program, outcome.reason, *outcome.findings[:3], sep=" | ", flush=True)
            outcomes.append(outcome)
    show(outcomes, Console(width=int(os.environ.get("COLUMNS", "180"))))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(one) for one in outcomes], indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
