"""The faces: entry points of the NPU stack that this package offers. Each keeps its own record, in ``face.py``.

A face is a folder with that file; nothing else lists it. Records are read without importing their packages, since some
of those load PyTorch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

PACKAGE: Final = Path(__file__).parent
RECORD: Final = "face.py"


@dataclass(frozen=True)
class Plugin:
    """An entry point by which another package loads one of the NPU stack's.

    Attributes:
        package: the package of the NPU stack; also the entry point's name.
        function: what of it the other one calls.
        group: the entry point's group.
        extends: the other package, whose version it has.
    """

    package: str
    function: str
    group: str
    extends: str


@dataclass(frozen=True)
class Face:
    """An entry point.

    Attributes:
        name: as ``OperatorDefinition.faces`` has it, where it offers operators.
        summary: what it is, in a few words.
        packages: each package of the NPU stack that a program imports, and the module that takes its place.
        runner: how it runs an operator, in the field's words; empty where it offers none.
        title: what a table of an operator's calls has for it; the name, unless given.
        spelling: the function, as ``module:function``, from an operator to how a program calls it here; it gives "" for
            an operator that is not offered.
        example: arguments of ``cannery`` that run an example, from the root of a checkout.
        plugins: entry points that its packages have where they are installed.
        brings: packages that importing one of its own imports as well.
        folder: where the record was found.
    """

    name: str
    summary: str
    packages: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    runner: str = ""
    title: str = ""
    spelling: str = ""
    example: str = ""
    plugins: tuple[Plugin, ...] = ()
    brings: tuple[str, ...] = ()
    folder: Path = PACKAGE

    def spell(self, operator: Any) -> str:
        """How a program calls an operator here; empty where it cannot."""
        return str(resolve(self.spelling)(operator)) if self.spelling else ""


@cache
def all_faces() -> Mapping[str, Face]:
    """Every face by its name, in the order of their folders."""
    records = sorted([*PACKAGE.glob(f"*/{RECORD}"), *PACKAGE.glob(f"*/*/{RECORD}")])
    return MappingProxyType({face.name: face for face in map(_read, records)})


def substituted_packages() -> dict[str, str]:
    """Every package of the NPU stack that a face offers, and the module that takes its place."""
    return {name: place for face in all_faces().values() for name, place in face.packages.items()}


def brought_by(package: str) -> tuple[str, ...]:
    """The packages that importing one of the NPU stack's imports as well."""
    return tuple(name for face in all_faces().values() if package in face.packages for name in face.brings)


def resolve(reference: str) -> Any:
    """What ``module:name`` refers to, imported now."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def _read(path: Path) -> Face:
    spec = spec_from_file_location(".".join(("cannery", *path.relative_to(PACKAGE).with_suffix("").parts)), path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return replace(module.FACE, folder=path.parent)
