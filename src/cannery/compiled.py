"""Compiled parts: modules of this package as mypyc built them, in place of their sources while those are the same.

`compile_core.py` at the root of the repository builds them into `_compiled/`, one folder an interpreter, with a
manifest of the sources they were made from. A source that has changed since makes all of them stale: they read each
other's memory layout. Then, without them, and with ``CANNERY_COMPILED=0``, the sources run; results and findings are
the same.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Final

PACKAGE: Final = Path(__file__).parent
FOLDER: Final = "_compiled"
MANIFEST: Final = "manifest.json"
SWITCH: Final = "CANNERY_COMPILED"
ROOMS: Final = ("aicore", "core", "isa", "soc", "watch")
"""Where what is compiled lives, and what it reads types and constants from."""


def digest(package: Path = PACKAGE) -> str:
    """What the sources of the rooms are, in one value."""
    whole = sha256()
    for room in ROOMS:
        for source in sorted((package / room).rglob("*.py")):
            whole.update(source.relative_to(package).as_posix().encode())
            whole.update(sha256(source.read_bytes()).digest())
    return whole.hexdigest()


def folder(package: Path = PACKAGE) -> Path:
    """Where the objects for this interpreter are."""
    return package / FOLDER / EXTENSION_SUFFIXES[0].strip(".").partition(".")[0]


def use_compiled() -> None:
    """From here on, imports find the compiled modules, if there are any."""
    manifest = folder() / MANIFEST
    if os.environ.get(SWITCH) != "0" and manifest.is_file():
        sys.meta_path.insert(0, Compiled(manifest))


def is_compiled(module: ModuleType) -> bool:
    """Whether a module came from an object."""
    return isinstance(module.__spec__ and module.__spec__.loader, ExtensionFileLoader)


class Compiled:
    """Finds the modules of a manifest; nothing is read before the first of them is asked for."""

    def __init__(self, manifest: Path) -> None:
        self._manifest = manifest
        self._objects: Mapping[str, str] | None = None

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """The spec of a compiled module, None for any other."""
        del path, target
        if self._objects is None:
            if not name.startswith(f"{__package__}."):
                return None
            self._objects = {}  # while they are tried out
            self._objects = self._usable()
        file = self._objects.get(name)
        if file is None:
            return None
        place = str(self._manifest.parent / file)
        return spec_from_file_location(name, place, loader=ExtensionFileLoader(name, place))

    def _usable(self) -> Mapping[str, str]:
        """The objects by module name; none where they are stale or this machine cannot load them."""
        built = json.loads(self._manifest.read_text(encoding="utf-8"))
        if built["digest"] != digest():
            return {}
        shared = built["shared"]
        self._objects = {shared: built["objects"][shared]}
        try:
            import_module(shared)
        except ImportError:
            return {}
        return dict(built["objects"])
