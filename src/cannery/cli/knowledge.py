"""What the knowledge pages say of an operator, gathered from its definition and from the files of its folder."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

import cannery.ops
from cannery.cli.describe import describe
from cannery.faces import all_faces
from cannery.operator import Operator, all_operators, find_operator

OPS = Path(cannery.ops.__file__).resolve().parent
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
    """An operator as the pages show it. ``folder`` is None for one whose functions are in no file."""

    operator: Operator
    folder: Path | None
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

    @property
    def rooms(self) -> set[str]:
        """Those and its own."""
        return {*self.dependencies, self.folder.name if self.folder is not None else self.name}


def knowledge(name: str) -> Knowledge:
    """What there is to know of an operator.

    Raises:
        UnknownOperatorError: there is none of that name.
    """
    operator = find_operator(name)
    folder = _folder(operator)
    if folder is None:
        return Knowledge(operator, None, (), (), (), ())
    paths = _files(folder) if _is_its_own(folder) else _written_in(operator)
    files = tuple(_source(path, "part") for path in sorted(paths, key=lambda path: _rank(path, folder)))
    shared = tuple(_source(path, "shared code") for path in _imported(folder, files))
    cases = tuple(CaseFile(path, _count(path)) for path in case_files(operator))
    return Knowledge(operator, folder, files, shared, cases, tuple(_tests(operator)))


def every_operator() -> list[Knowledge]:
    """Every operator there is, by its type: ours, and those of other packages."""
    return [knowledge(name) for name in all_operators()]


def related(one: Knowledge, others: list[Knowledge]) -> list[Knowledge]:
    """The operators that share a folder with it, or use its own."""
    return [other for other in others if other is not one and one.rooms & other.rooms]


def case_files(operator: Operator) -> list[Path]:
    """The case files it comes with: those of a folder of its own, or those there whose name begins with its own."""
    folder = _folder(operator)
    if folder is None:
        return []
    own = "" if _is_its_own(folder) else operator.definition.snake_name
    return sorted((folder / "cases").glob(f"{own}*.csv"))


def _folder(operator: Operator) -> Path | None:
    """Where it is written: a folder of ours, or that of the first of its functions that are in a file."""
    ours = OPS / operator.definition.snake_name
    written = next(iter(_written_in(operator)), None)
    if written is not None and written.is_relative_to(OPS):
        return ours
    return None if written is None else written.parent


def _is_its_own(folder: Path) -> bool:
    return (folder / "definition.py").is_file()


def _written_in(operator: Operator) -> list[Path]:
    """The files of its functions and its golden."""
    functions = (operator.check, operator.infer_shape, operator.tiling, *operator.engines.values())
    places = [_module_file(function.__module__) for function in functions]
    places += [_module_file(operator.golden)] if operator.golden else []
    return list(dict.fromkeys(place for place in places if place is not None))


def _module_file(name: str) -> Path | None:
    """Where a module is written. A golden's ``__spec__`` is its own, so one that is loaded is asked for its file."""
    loaded = sys.modules.get(name)
    if loaded is None and "." in name and _module_file(name.rpartition(".")[0]) is None:
        return None
    place = getattr(loaded, "__file__", None) if loaded is not None else getattr(find_spec(name), "origin", None)
    return None if place is None else Path(place).resolve()


def _files(folder: Path) -> list[Path]:
    found = (path for path in folder.rglob("*") if path.suffix in (".py", ".md"))
    return [path for path in found if "__pycache__" not in path.parts]


def _rank(path: Path, folder: Path) -> tuple[int, str]:
    name = Path(os.path.relpath(path, folder)).as_posix()
    if name in ORDER:
        return ORDER.index(name), name
    return len(ORDER) + (1 + LAST.index(name) if name in LAST else 0), name


def _source(path: Path, part: str) -> SourceFile:
    text = path.read_text(encoding="utf-8")
    is_python = path.suffix == ".py"
    focus = ast.get_docstring(ast.parse(text)) if is_python else _prose(text)
    is_shared = path.is_relative_to(OPS) and path.relative_to(OPS).parts[0].startswith("_")
    role = "shared code" if is_shared else ROLES.get(path.name, part)
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


def _count(path: Path) -> int:
    return sum(bool(line.strip()) for line in path.read_text(encoding="utf-8").splitlines()) - 1


def _tests(operator: Operator) -> Iterator[Path]:
    """In a checkout: the folder of its unit tests, and every contract test that names it."""
    own = REPOSITORY / "tests" / "unit" / "ops" / operator.definition.snake_name
    if own.is_dir():
        yield own
    for path in sorted((REPOSITORY / "tests" / "contract").rglob("test_*.py")):
        if f'"{operator.name}"' in path.read_text(encoding="utf-8"):
            yield path


def _file_of(function: Any) -> Path | None:
    return None if function.__name__ == "<lambda>" else _module_file(function.__module__)


def _prose(text: str) -> str:
    """A README's first sentence below its title."""
    lines = text.split("\n", 1)[-1].strip().split("\n\n")[0]
    return " ".join(lines.split()).split(". ")[0].rstrip(".") + "."


def _first_line(text: str | None) -> str:
    return (text or "").strip().split("\n")[0]
