"""The build hook: a wheel has the compiled parts where there is a C compiler, and is pure where there is none.

An editable install compiles nothing, so that it is quick; `make compiled` does. ``CANNERY_COMPILED=0`` switches the
hook off.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))

import compile_core  # the hook is run by its path, so its neighbours must be made importable first


class CompiledParts(BuildHookInterface):
    """Compiles in a process of its own and puts the objects into the wheel."""

    def dependencies(self) -> list[str]:
        """What compiling needs, where it can be done at all."""
        return [_pinned("mypy", "[mypyc]"), _pinned("setuptools")] if self._wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile for a wheel; a failure leaves the wheel pure."""
        if version == "editable" or not self._wanted():
            return
        if subprocess.run([sys.executable, "compile_core.py"], cwd=self.root, check=False).returncode:
            self.app.display_warning("the compiled parts could not be built: the wheel is pure Python")
            return
        objects = compile_core.runtime().folder()
        package = Path(self.root, "src")
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        for file in objects.iterdir():
            build_data["force_include"][str(file)] = str(file.relative_to(package))

    def _wanted(self) -> bool:
        return os.environ.get("CANNERY_COMPILED") != "0" and compile_core.compiler() is not None


def _pinned(name: str, extra: str = "") -> str:
    """A tool with the version that is pinned for this package."""
    lines = (Path(__file__).parent / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return next(line.replace(name, name + extra, 1) for line in lines if line.startswith(f"{name}=="))
