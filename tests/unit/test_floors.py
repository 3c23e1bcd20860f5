"""The package has three floors: faces stand on operators, operators on the ground; nothing looks up.

Each room (a direct child of `cannery`) is listed here with its floor, so a new room has to say where it stands. Imports
inside functions and under TYPE_CHECKING count as well: they bind two rooms just as tightly. So do they for circles: no
modules import each other, however far around.
"""

import ast
from collections.abc import Container, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from cannery.faces import PACKAGE, all_faces

# Rooms of the ground, and which others of it each may use.
GROUND = {
    "compiled": (),
    "faces": (),
    "core": (),
    "soc": ("core",),
    "settings": ("core", "soc"),
    "operator": ("faces", "core", "soc", "settings"),
    "aicore": ("core", "soc"),
    "watch": ("core", "soc", "settings", "aicore"),
    "isa": ("core", "soc", "aicore"),
    "asc": ("faces", "core", "soc", "settings", "aicore", "watch", "isa"),
    "ascendc": ("faces", "core", "soc", "settings", "aicore", "watch", "isa"),
    "runtime": ("core", "soc", "settings", "operator"),
}
OPERATORS = ("ops",)
# extras stands on everything below the command line, and nothing there knows it.
EXTRAS = ("extras",)
# capi is acl and aclnn once more, for C: it stands on both.
TOP = ("cli", "capi", "activate", "distributions", "pytest_plugin", "__init__", "__main__")
# A room with a face's record is a face, where it stands on no other floor; these two have none.
RECORDED = {face.folder.relative_to(PACKAGE).parts[0] for face in all_faces().values()}
FACES = ("st", "campaign", *sorted(RECORDED - {*GROUND, *EXTRAS, *TOP}))
# Faces that stand on another one.
FACE_USES = {"campaign": ("st",)}


def allowed(room: str) -> set[str]:
    """The rooms that `room` may import, besides itself."""
    if room in TOP:
        return {*GROUND, *OPERATORS, *FACES, *EXTRAS, *TOP}
    if room in EXTRAS:
        return {*GROUND, *OPERATORS, *FACES}
    if room in FACES:
        return {*GROUND, *OPERATORS, *FACE_USES.get(room, ())}
    if room in OPERATORS:
        return set(GROUND)
    return set(GROUND[room])


def room_of(module: str, rooms: frozenset[str]) -> str | None:
    """`cannery.core.dtype` is in room `core`; `cannery` and `cannery.run` are `__init__`; `torch` is in none."""
    parts = module.split(".")
    if parts[0] != "cannery":
        return None
    return parts[1] if len(parts) > 1 and parts[1] in rooms else "__init__"


def imported_modules(tree: ast.AST, package: str) -> Iterator[tuple[str, int]]:
    """Dotted name and line of everything a file of `package` imports, `import_module("literal")` included."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((alias.name, node.lineno) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                ancestors = package.split(".")[: len(package.split(".")) - level + 1] if level else []
                base = ".".join([*ancestors, *([module] if module else [])])
                yield from ((f"{base}.{alias.name}", node.lineno) for alias in names)
            case ast.Call(
                func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield name, node.lineno


def is_another_operators(module: str, path: Path) -> bool:
    """Whether a file in a folder of `ops` imports from another operator; folders named `_…` are shared."""
    parts = module.split(".")
    if path.parts[0] != "ops" or len(path.parts) < 3 or parts[:2] != ["cannery", "ops"] or len(parts) < 3:
        return False
    return parts[2] != path.parts[1] and not parts[2].startswith("_")


@cache
def imports(root: Path) -> Mapping[Path, tuple[tuple[str, int], ...]]:
    """What each file under the package folder `root` imports, by its path below it: dotted names and lines."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        package = ".".join(["cannery", *relative.parts[:-1]])
        found[relative] = tuple(imported_modules(ast.parse(path.read_text(encoding="utf-8")), package))
    return found


def breaches(root: Path) -> list[str]:
    """Every import under the package folder `root` that its floor forbids, as `file:line: room imports room`."""
    rooms = frozenset(path.stem for path in root.iterdir() if path.is_dir() or path.suffix == ".py")
    found = []
    for path, named in imports(root).items():
        room = path.parts[0].removesuffix(".py")
        for module, line in named:
            target = room_of(module, rooms)
            if target is not None and target != room and target not in allowed(room):
                found.append(f"{path}:{line}: {room} imports {target} ({module})")
            elif is_another_operators(module, path):
                found.append(f"{path}:{line}: imports another operator's folder ({module})")
    return found


def test_every_room_has_a_floor() -> None:
    code = (path for path in PACKAGE.iterdir() if path.suffix == ".py" or next(path.glob("**/*.py"), None))
    assert {path.stem for path in code} <= {*GROUND, *OPERATORS, *FACES, *EXTRAS, *TOP}


def test_no_room_looks_up() -> None:
    assert breaches(PACKAGE) == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("core/dtype.py", "from cannery.ops import operators"),
        ("core/dtype.py", "import cannery"),
        ("core/dtype.py", "from cannery import soc"),
        ("core/deep/er.py", "from ...soc import table"),
        ("soc/table.py", "from cannery.operator import Operator"),
        ("asc/kernel.py", "def f():\n    from cannery.st import cases"),
        ("ops/pad/eager.py", "from cannery.pytorch import functions"),
        ("ops/pad/eager.py", "import importlib\nimportlib.import_module('cannery.cli')"),
        ("ops/pad/eager.py", "from ..unpad import eager"),
        ("ops/pad/eager.py", "from cannery.ops.unpad.definition import DEFINITION"),
        ("ops/_ragged/rows.py", "from cannery.ops import pad"),
        ("st/run.py", "from cannery.cli import table"),
        ("st/run.py", "from cannery import ge"),
        ("ge/graph.py", "from ..atb import graph"),
        ("aicore/core.py", "from cannery.watch import races"),
        ("watch/races.py", "if TYPE_CHECKING:\n    from cannery.asc import jit"),
        ("isa/table.py", "from cannery.asc import tensors"),
        ("pytorch/__init__.py", "from cannery.extras.indexer import doctor"),
        ("extras/npu/device.py", "from cannery.cli import console"),
    ],
)
def test_an_import_of_a_higher_floor_or_a_neighbour_is_found(tmp_path: Path, path: str, source: str) -> None:
    assert breaches(_house(tmp_path, path, source))


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("core/dtype.py", "import torch\nfrom .shape import Shape\nfrom cannery.core import format"),
        ("operator/call.py", "from ..core.shape import Shape\nfrom .. import soc"),
        ("asc/kernel.py", "from cannery.aicore import memory"),
        ("ops/pad/eager.py", "from cannery.operator import Operator\nfrom .._ragged import rows"),
        ("st/run.py", "from cannery.ops import operators\nfrom cannery.runtime import stream"),
        ("cli/ops.py", "from cannery.st import run\nfrom cannery import ge"),
        ("extras/npu/device.py", "from cannery.pytorch import ops\nfrom cannery.runtime import process"),
        ("cli/plan.py", "from cannery.extras.indexer import schedule"),
        ("__init__.py", "from cannery.pytorch import pad"),
    ],
)
def test_an_import_of_a_lower_floor_is_fine(tmp_path: Path, path: str, source: str) -> None:
    assert breaches(_house(tmp_path, path, source)) == []


def import_graph(root: Path) -> dict[str, set[str]]:
    """What each module under the package folder `root` imports of the others, by dotted name.

    A package that Python imports on the way to one of its modules is left out: only what is named counts.
    """
    modules = set(map(_dotted, imports(root)))
    return {
        _dotted(path): {_longest_known(name, modules) for name, _ in named} - {"", _dotted(path)}
        for path, named in imports(root).items()
    }


def _dotted(path: Path) -> str:
    return ".".join(["cannery", *path.with_suffix("").parts]).removesuffix(".__init__")


def _longest_known(name: str, known: Container[str]) -> str:
    """`cannery.core.Shape` is in module `cannery.core`; empty when no part of the name is a module."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Modules that import each other, however far around: the strongly connected components of more than one."""
    reached = {module: _reachable(graph, module) for module in graph}
    groups = {frozenset(other for other in reached[module] if module in reached[other]) for module in graph}
    return sorted(sorted(group) for group in groups if len(group) > 1)


def _reachable(graph: Mapping[str, set[str]], start: str) -> set[str]:
    found, waiting = {start}, [start]
    while waiting:
        fresh = graph[waiting.pop()] - found
        found |= fresh
        waiting += fresh
    return found


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(import_graph(PACKAGE)) == []


@pytest.mark.parametrize(
    "source",
    [
        "from cannery.soc import lookup",
        "from . import lookup",
        "from .lookup import soc",
        "if TYPE_CHECKING:\n    from cannery.soc.lookup import soc",
        "def f():\n    import cannery.soc.lookup",
        "def f():\n    from importlib import import_module\n    import_module('cannery.soc.lookup')",
    ],
)
def test_a_circle_is_found(tmp_path: Path, source: str) -> None:
    _house(tmp_path, "soc/table.py", source)
    (tmp_path / "soc/names.py").write_text("from cannery.soc import table")
    (tmp_path / "soc/lookup.py").write_text("from .names import NAMES")
    assert circles(import_graph(tmp_path)) == [["cannery.soc.lookup", "cannery.soc.names", "cannery.soc.table"]]


def test_a_module_used_by_two_is_no_circle(tmp_path: Path) -> None:
    _house(tmp_path, "soc/table.py", "from cannery.soc import names, lookup")
    (tmp_path / "soc/names.py").write_text("")
    (tmp_path / "soc/lookup.py").write_text("from .names import NAMES")
    assert circles(import_graph(tmp_path)) == []


def _house(root: Path, path: str, source: str) -> Path:
    """A package folder with every room, and `source` at `path`."""
    for room in (*GROUND, *OPERATORS, *FACES, *EXTRAS, "cli"):
        (root / room).mkdir()
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(source, encoding="utf-8")
    return root
