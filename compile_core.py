"""Compile the hot modules of the virtual core and its checker with mypyc: ``python compile_core.py``.

Needs a C compiler, Python's headers, mypy and setuptools (extra "test"). Takes about a minute. The objects land in
`src/cannery/_compiled`, where git does not look, and are used until a source changes. The build hook runs it for
wheels.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Final

ROOT: Final = Path(__file__).resolve().parent
PACKAGE: Final = ROOT / "src" / "cannery"
GROUP: Final = "cannery_core"
MODULES: Final = {
    "aicore": "cache core crosscore instruction memory pending pipes records",
    "isa": "move operands regions vector",
    "watch": "aliasing caches checker clocks crossing debts eventuse footprints hidden history inserted intervals judge"
    " lookups pasts sides spans sync unwritten",
}
"""Not among them: whatever looks at the Python stack, classes that programs derive from, and those that weak references
lead to (`aicore.flags`)."""
OPTIMISATION: Final = "1"
"""The C compiler's level: 2 takes longer to build and is not faster here."""
CONFIG: Final = """[mypy]
mypy_path = src
explicit_package_bases = True
namespace_packages = True
python_version = 3.10
follow_imports = silent
ignore_missing_imports = True
[mypy-ml_dtypes.*,numba.*,numpy.*,rich.*,torch.*]
follow_imports = skip
"""
"""mypy has checked these sources; here it reads only what is compiled, and no library's types."""


def compiler() -> str | None:
    """The C compiler, None where it or Python's headers are missing."""
    words = (sysconfig.get_config_var("CC") or "cc").split()
    has_headers = (Path(sysconfig.get_paths()["include"]) / "Python.h").is_file()
    return (shutil.which(words[0]) or shutil.which("cc")) if has_headers else None


def compile_into(target: Path, digest: str) -> None:
    """Build the objects, and then the manifest, into a folder of their own.

    Raises:
        SystemExit: the compiler refuses.
    """
    from mypyc.build import mypycify
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    files = [f"src/cannery/{room}/{name}.py" for room, names in MODULES.items() for name in names.split()]
    with TemporaryDirectory() as scratch:
        config = Path(scratch, "mypy.ini")
        config.write_text(CONFIG, encoding="utf-8")
        extensions = mypycify(
            [f"--config-file={config}", f"--cache-dir={scratch}/cache", *files],
            opt_level=OPTIMISATION, debug_level="0", group_name=GROUP, target_dir=scratch, multi_file=True,
        )  # fmt: skip
        command = build_ext(Distribution({"name": GROUP, "ext_modules": extensions}))
        command.build_lib, command.build_temp = f"{scratch}/lib", f"{scratch}/temp"
        command.ensure_finalized()
        command.run()
        built = {_name(path.relative_to(f"{scratch}/lib")): path for path in Path(scratch, "lib").rglob("*.so")}
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for name, path in built.items():
            shutil.copy(path, target / f"{name}.so")
    objects = {name: f"{name}.so" for name in sorted(built)}
    manifest = {"digest": digest, "shared": f"{GROUP}__mypyc", "objects": objects}
    (target / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")


def runtime() -> ModuleType:
    """`cannery.compiled`, which finds the objects, without the package around it."""
    spec = importlib.util.spec_from_file_location("compiled", PACKAGE / "compiled.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _name(path: Path) -> str:
    return ".".join(path.parts).partition(".cpython")[0].partition(".abi3")[0]


def main() -> None:
    """Compile for the interpreter that runs this; nothing to do where the objects are of the sources that are there."""
    os.chdir(ROOT)  # mypyc takes the names of modules from relative paths
    find = runtime()
    target, digest = find.folder(), find.digest()
    manifest = target / find.MANIFEST
    if manifest.is_file() and json.loads(manifest.read_text(encoding="utf-8"))["digest"] == digest:
        return
    if compiler() is None:
        sys.exit("found no C compiler or no headers of Python, expected both: install gcc and python3-dev")
    compile_into(target, digest)


if __name__ == "__main__":
    main()
