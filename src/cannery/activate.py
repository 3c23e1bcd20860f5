"""``import cannery.activate``: the NPU stack's package names resolve to this package.

The first line of a conftest or a script; ``cannery exec`` does it for a program that must stay as it is. The names are
those of the faces' records. A name already imported, or kept by name, is left alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, cast

from cannery.faces import brought_by, substituted_packages

if TYPE_CHECKING:
    from importlib.abc import Loader
    from importlib.metadata import Distribution, DistributionFinder


class UnknownNameError(ValueError):
    """A name to keep is not one that is substituted."""


# Neither class has the base of importlib.abc: that module takes longer to load than all of this one.
class _SameModule:
    """Loads a module by giving the one that takes its place."""

    def __init__(self, target: str, brings: Sequence[str]) -> None:
        self._target = target
        self._brings = brings
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
        for name in self._brings:
            import_module(name)
        load_deferred()


class Substitution:
    """Finds the substituted packages, and their submodules, before anything installed."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = dict(names)
        self.deferred: Distribution | None = None

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
        brings = [] if rest else [name for name in brought_by(fullname) if name in self.names]
        loader = cast("Loader", _SameModule(place, brings))
        return ModuleSpec(fullname, loader, is_package=found.submodule_search_locations is not None)

    def find_distributions(self, context: DistributionFinder.Context) -> Iterable[Distribution]:
        """What ``importlib.metadata`` finds of them.

        PyTorch loads its backends at the end of its import. Where a module of this package is what imports it, the
        backend would meet that module half made: it is loaded when that module is there.
        """
        from cannery import distributions

        found = list(distributions.found(self.names, context))
        if not (_is_being_made("torch") and _is_any_being_made()):
            return found
        self.deferred = next(iter(found), None)
        return []


def _is_being_made(name: str) -> bool:
    """Whether a module is in the middle of its import."""
    return bool(getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False))


def _is_any_being_made() -> bool:
    return any(name.startswith("cannery.") and _is_being_made(name) for name in [*sys.modules])


def load_deferred() -> None:
    """Load the backend of PyTorch that could not be loaded while a module of this package was being made."""
    finder = installed()
    if finder is None or finder.deferred is None or _is_any_being_made():
        return
    distribution, finder.deferred = finder.deferred, None
    for entry in distribution.entry_points:
        entry.load()()


def installed() -> Substitution | None:
    """The substitution in force, if any."""
    return next((finder for finder in sys.meta_path if isinstance(finder, Substitution)), None)


def activate(keep: Iterable[str] = ()) -> Substitution:
    """Substitute the names of every face except those to keep; again: with the names to keep of this call.

    Raises:
        UnknownNameError: a name to keep is none of them.
    """
    kept, names = list(keep), substituted_packages()
    for name in kept:
        if name not in names:
            raise UnknownNameError(f"keep: found {name!r}, expected one of {', '.join(names)}")
    deactivate()
    finder = Substitution({name: place for name, place in names.items() if name not in kept})
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
