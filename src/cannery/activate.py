"""``import cannery.activate``: the NPU stack's package names resolve to this package.

The first line of a conftest or a script; ``cannery exec`` does it for a program that must stay as it is. Each name is a
row of a table. A name already imported, or kept by name, is left alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Final

NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "asc": "cannery.asc",
        "ge": "cannery.ge",
        "torch_atb": "cannery.atb.torch_atb",
        "acl": "cannery.acl",
        "aclnn": "cannery.aclnn",
        "torch_npu": "cannery.extras.npu.torch_npu",
        "cann_ops_transformer": "cannery.pytorch.cann_ops_transformer",
    }
)
"""Package of the NPU stack, and the module that takes its place. A row whose module is not there is passed over."""


class UnknownNameError(ValueError):
    """A name to keep is not one that is substituted."""


class _SameModule(Loader):
    """Loads a module by giving the one that takes its place."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._name = ""
        self._spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(self._target)
        self._spec = module.__spec__
        self._name = spec.name
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has just given the module the substituted name's spec; its own imports need the real one.
        module.__spec__ = self._spec
        # Programs look for submodules in sys.modules that nobody has imported under the substituted name yet.
        for place in [place for place in sys.modules if place.startswith(f"{self._target}.")]:
            sys.modules.setdefault(self._name + place.removeprefix(self._target), sys.modules[place])


class Substitution(MetaPathFinder):
    """Finds the substituted packages, and their submodules, before anything installed."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = dict(names)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        head, _, rest = fullname.partition(".")
        if head not in self.names:
            return None
        place = self.names[head] + ("." + rest if rest else "")
        found = find_spec(place)
        if found is None:
            return None
        return ModuleSpec(fullname, _SameModule(place), is_package=found.submodule_search_locations is not None)


def available() -> dict[str, str]:
    """The rows whose modules are there."""
    return {name: place for name, place in NAMES.items() if _exists(place)}


def _exists(place: str) -> bool:
    """Whether a module of this package is there, as a file: asking the import system would import its parents."""
    path = Path(__file__).parent.joinpath(*place.split(".")[1:])
    return path.is_dir() or path.with_suffix(".py").exists()


def installed() -> Substitution | None:
    """The substitution in force, if any."""
    return next((finder for finder in sys.meta_path if isinstance(finder, Substitution)), None)


def activate(keep: Iterable[str] = ()) -> Substitution:
    """Substitute all available names except those to keep; again: with the names to keep of this call.

    Raises:
        UnknownNameError: a name to keep is not in the table.
    """
    kept = list(keep)
    for name in kept:
        if name not in NAMES:
            raise UnknownNameError(f"keep: found {name!r}, expected one of {', '.join(NAMES)}")
    deactivate()
    finder = Substitution({name: place for name, place in available().items() if name not in kept})
    sys.meta_path.insert(0, finder)
    return finder


def deactivate() -> None:
    """Take the substitution back; modules imported under it are forgotten under the substituted names."""
    finder = installed()
    if finder is None:
        return
    sys.meta_path.remove(finder)
    for name in [name for name in sys.modules if name.partition(".")[0] in finder.names]:
        if sys.modules[name].__name__.startswith("cannery."):
            del sys.modules[name]


if installed() is None:
    activate()
