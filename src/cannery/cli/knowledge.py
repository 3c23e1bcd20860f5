"""What the knowledge pages say of an operator, gathered from its definition and from the files of its folder."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import cannery.ops
from cannery.cli.describe import describe
from cannery.faces import all_faces
from cannery.operator import Operator, find_operator

OPS = Path(cannery.ops.__file__).parent
PACKAGE = OPS.parent
REPOSITORY = PACKAGE.parents[1]

# Files in reading order: contract, rules, work, judgement. Those without a place here are read before the golden.
ORDER = (
    "README.md",
    "definition.py",
    "checks.py",
    "rules.py",
    "infershape.py",
    "tiling.py",
    "kernel.py",
    "aicpu.py",
    "eager.py",
)
LAST = ("golden.py", "__init__.py")
ROLES: Mapping[str, str] = MappingProxyType(
    {
        "README.md": "overview",
        "definition.py": "definition",
        "checks.py": "host checks",
        "rules.py": "host checks",
        "infershape.py": "shape inference",
        "tiling.py": "tiling",
        "kernel.py": "kernel (engine aicore)",
        "aicpu.py": "host kernel (engine aicpu)",
        "eager.py": "PyTorch (engine eager)",
        "golden.py": "golden",
        "__init__.py": "the stages put together",
    }
)

# Tier, least number of files to read, minutes.
TIERS = (("XL", 29, "20-30"), ("L", 18, "10-20"), ("M", 13, "5-10"), ("S", 0, "3-5"))


class NoFolderError(ValueError):
    """An operator of another package: there are no files of ours to read."""


@dataclass(frozen=True)
class SourceFile:
    """A file to read: where, what part it plays, and what its first line says."""

    path: Path
    role: str
    focus: str
    lines: int


@dataclass(frozen=True)
class CaseFile:
    """A case file and its number of cases."""

    path: Path
    cases: int


@dataclass(frozen=True)
class Knowledge:
    """An operator as the pages show it."""

    operator: Operator
    folder: Path
    files: tuple[SourceFile, ...]
    shared: tuple[SourceFile, ...]
    cases: tuple[CaseFile, ...]
    tests: tuple[Path, ...]

    @cached_property
    def described(self) -> dict[str, Any]:
        """The contract as plain values."""
        return describe(self.operator)

    @property
    def name(self) -> str:
        """The name of its pages."""
        return self.operator.definition.snake_name

    @property
    def reading(self) -> tuple[SourceFile, ...]:
        """Every file to read, in order: the operator's own, then what it shares."""
        return self.files + self.shared

    @property
    def tier(self) -> str:
        """S, M, L or XL, by the number of files to read."""
        return self._tier[0]

    @property
    def minutes(self) -> str:
        """Estimated minutes of reading."""
        return self._tier[2]

    @property
    def _tier(self) -> tuple[str, int, str]:
        return next(tier for tier in TIERS if len(self.reading) >= tier[1])

    @property
    def runners(self) -> str:
        """The runner kinds of the entry points that the original has."""
        return ", ".join(all_faces()[face].runner for face in self.operator.definition.faces)

    @property
    def stages(self) -> list[tuple[str, Path | None, str]]:
        """Each stage before the launch: its file, None where there is nothing, and its function's first line."""
        operator = self.operator
        functions = (("check", operator.check), ("infer_shape", operator.infer_shape), ("tiling", operator.tiling))
        return [(stage, _file_of(function), _first_line(function.__doc__)) for stage, function in functions]

    @property
    def engines(self) -> list[tuple[str, Path | None, str]]:
        """The same of each engine."""
        return [(name, _file_of(launch), _first_line(launch.__doc__)) for name, launch in self.operator.engines.items()]

    @property
    def dependencies(self) -> list[str]:
        """Folders of ``cannery.ops`` that it uses besides its own."""
        return sorted({source.path.relative_to(OPS).parts[0] for source in self.shared})


def knowledge(name: str) -> Knowledge:
    """What there is to know of an operator.

    Raises:
        UnknownOperatorError: there is none of that name.
        NoFolderError: it comes from another package.
    """
    operator = find_operator(name)
    folder = OPS / operator.definition.snake_name
    if not folder.is_dir():
        ours = [path.name for path in OPS.iterdir() if (path / "definition.py").is_file()]
        near = get_close_matches(operator.definition.snake_name, ours, n=1, cutoff=0) or ours
        raise NoFolderError(
            f"operator: found {operator.name} of another package, expected one of ours such as {near[0]}"
        )
    files = tuple(_source(path) for path in sorted(_files(folder), key=lambda path: _rank(path, folder)))
    shared = tuple(_source(path) for path in _imported(folder, files))
    return Knowledge(operator, folder, files, shared, tuple(_cases(folder)), tuple(_tests(operator)))


def own_operators() -> list[Knowledge]:
    """Every operator of this package, by its type."""
    return [knowledge(name) for name in sorted(operator.name for operator in cannery.ops.operators())]


def related(one: Knowledge, others: list[Knowledge]) -> list[Knowledge]:
    """The operators that share a folder with it, or use its own."""
    used = {*one.dependencies, one.folder.name}
    return [other for other in others if other is not one and used & {*other.dependencies, other.folder.name}]


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.suffix in (".py", ".md") and "__pycache__" not in path.parts:
            yield path


def _rank(path: Path, folder: Path) -> tuple[int, str]:
    name = path.relative_to(folder).as_posix()
    if name in ORDER:
        return ORDER.index(name), name
    return len(ORDER) + (1 + LAST.index(name) if name in LAST else 0), name


def _source(path: Path) -> SourceFile:
    text = path.read_text(encoding="utf-8")
    is_python = path.suffix == ".py"
    focus = ast.get_docstring(ast.parse(text)) if is_python else _prose(text)
    own = "part" if path.is_relative_to(OPS) and not path.relative_to(OPS).parts[0].startswith("_") else "shared code"
    role = ROLES.get(path.name, own) if own == "part" else own
    return SourceFile(path, role, _first_line(focus), text.count("\n"))


def _imported(folder: Path, files: tuple[SourceFile, ...]) -> list[Path]:
    """The files of other operator folders that these import."""
    found = set()
    for source in files:
        if source.path.suffix == ".py":
            found |= {path for path in _imports(source.path) if not path.is_relative_to(folder)}
    return sorted(found)


def _imports(path: Path) -> Iterator[Path]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("cannery.ops."):
            place = PACKAGE.parent / node.module.replace(".", "/")
            candidates = [place / f"{alias.name}.py" for alias in node.names] + [place.with_suffix(".py")]
            yield from (candidate for candidate in candidates if candidate.is_file())


def _cases(folder: Path) -> Iterator[CaseFile]:
    for path in sorted((folder / "cases").glob("*.csv")):
        rows = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        yield CaseFile(path, len(rows) - 1)


def _tests(operator: Operator) -> Iterator[Path]:
    """In a checkout: the folder of its unit tests, and every contract test that names it."""
    own = REPOSITORY / "tests" / "unit" / "ops" / operator.definition.snake_name
    if own.is_dir():
        yield own
    for path in sorted((REPOSITORY / "tests" / "contract").rglob("test_*.py")):
        if f'"{operator.name}"' in path.read_text(encoding="utf-8"):
            yield path


def _file_of(function: Any) -> Path | None:
    if function.__name__ == "<lambda>":
        return None
    return PACKAGE.parent / Path(*function.__module__.split(".")).with_suffix(".py")


def _prose(text: str) -> str:
    """A README's first sentence below its title."""
    lines = text.split("\n", 1)[-1].strip().split("\n\n")[0]
    return " ".join(lines.split()).split(". ")[0].rstrip(".") + "."


def _first_line(text: str | None) -> str:
    return (text or "").strip().split("\n")[0]
