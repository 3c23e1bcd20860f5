"""Building the C library: headers, shared objects under the names programs link, a pkg-config file."""

from __future__ import annotations

import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any

from cannery.capi.calls import declaration, every_call
from cannery.capi.headers import headers
from cannery.capi.shim import shim_source

LIBRARY = "libcannery_capi.so"
# Programs name these; each is the one library. Link lines of the originals: recursion-ascend/ops-transformer build.sh
# @a093e95, hicann/ops-transformer build.sh @c29bc10.
ALIASES = (
    "ascendcl",
    "nnopbase",
    "opapi",
    "opapi_math",
    "opapi_transformer",
    "opapi_nn",
    "cust_opapi",
    "c_sec",
    "hccl",
    "hccl_fwk",
)
LINKED = ("ascendcl", "nnopbase", "opapi")
MODULE = "cannery_capi_bridge"
_INIT_CODE = f"""
from {MODULE} import ffi, lib
from cannery.capi.bridge import connect
connect(ffi, lib)
"""
_NEW_INT64 = "int64_t *cannery_new_int64(uint64_t count);"


class CapiError(ValueError):
    """The library cannot be built on this machine; the message says what is missing."""


@dataclass(frozen=True)
class Built:
    """What was built.

    Attributes:
        command: the line that compiles and links a program against it.
    """

    directory: Path
    library: Path
    headers: tuple[Path, ...]
    package: Path
    command: str


def build(directory: Path) -> Built:
    """Build everything into a folder, which may be used as ``ASCEND_HOME_PATH``.

    Raises:
        CapiError: no compiler, no cffi, no headers or shared library of Python, or the compiler refuses.
        OSError: the folder cannot be written.
    """
    directory = directory.resolve()
    compiler = _compiler()
    libraries = directory / "lib64"
    libraries.mkdir(parents=True, exist_ok=True)
    written = _write_headers(directory / "include")
    with tempfile.TemporaryDirectory(prefix="cannery-capi-") as scratch:
        sources = write_sources(Path(scratch))
        _compile(compiler, sources, directory / "include", libraries / LIBRARY)
    _alias(libraries)
    _mirror(directory)
    _write_environment(directory)
    package = _write_package(libraries / "pkgconfig", directory)
    return Built(directory, libraries / LIBRARY, written, package, _command(compiler, directory))


def write_sources(scratch: Path) -> tuple[Path, ...]:
    """The bridge (C, made by cffi), the shim, the start of the interpreter and the bounded copies (C++)."""
    bridge, shim = scratch / "bridge.c", scratch / "shim.cpp"
    with redirect_stdout(StringIO()):  # it tells what it does
        _bridge().emit_c_code(str(bridge))
    shim.write_text(shim_source(every_call()), encoding="utf-8")
    return bridge, shim, *(_written(scratch / name) for name in ("interpreter.cpp", "securec.cpp"))


def _written(target: Path) -> Path:
    """A source of this package where the compiler reads it."""
    target.write_text(files("cannery.capi").joinpath(target.name).read_text(encoding="utf-8"), encoding="utf-8")
    return target


def flags(directory: Path) -> tuple[list[str], list[str]]:
    """What a program is compiled and what it is linked with."""
    include, libraries = directory / "include", directory / "lib64"
    compiling = [f"-I{include}", f"-I{include / 'aclnn'}", f"-I{include / 'aclnnop'}"]
    return compiling, [f"-L{libraries}", f"-Wl,-rpath,{libraries}", *(f"-l{name}" for name in LINKED)]


def _bridge() -> Any:
    try:
        ffi = import_module("cffi").FFI()
    except ImportError:
        raise CapiError("capi build: found no cffi, expected it: pip install cffi") from None
    declarations = "".join(f"{declaration(call)};\n" for call in every_call())
    ffi.embedding_api(
        f"{declarations}bool cannery_ready(void);\nint32_t cannery_refuse(const char *);\n".replace("bool", "_Bool")
    )
    ffi.cdef(_NEW_INT64)
    ffi.set_source(MODULE, f"#include <stdint.h>\n{_NEW_INT64}\n")
    ffi.embedding_init_code(_INIT_CODE)
    return ffi


def _compiler() -> str:
    found = shutil.which("g++") or shutil.which("c++")
    if found is None:
        raise CapiError("capi build: found no C++ compiler, expected g++ on PATH: install g++")
    return found


def _python_flags() -> tuple[list[str], list[str]]:
    include = Path(sysconfig.get_path("include"))
    if not (include / "Python.h").is_file():
        raise CapiError(f"capi build: found no {include / 'Python.h'}, expected Python's headers: install python3-dev")
    library = next(filter(Path.is_file, _python_libraries()), None)
    if library is None:
        raise CapiError(f"capi build: found no shared library of {sys.executable}, expected one: install python3-dev")
    return [f"-I{include}"], [str(library), f"-Wl,-rpath,{library.parent}"]


def _python_libraries() -> Iterator[Path]:
    """Where the interpreter's shared library may be."""
    names = [str(sysconfig.get_config_var(key) or "") for key in ("LDLIBRARY", "INSTSONAME")]
    places = [str(sysconfig.get_config_var(key) or "") for key in ("LIBDIR", "LIBPL")]
    for folder in filter(None, (*places, f"{sys.base_prefix}/lib")):
        yield from (Path(folder, name) for name in names if ".so" in name)


def _compile(compiler: str, sources: tuple[Path, ...], include: Path, target: Path) -> None:
    bridge, *rest = map(str, sources)
    compiling, linking = _python_flags()
    define = f'-DCANNERY_BUILT_WITH="{sys.executable}"'
    head = [compiler, "-shared", "-fPIC", "-O1", "-w", f"-I{include}", *compiling, define, f"-Wl,-soname,{LIBRARY}"]
    line = [*head, "-x", "c", bridge, "-x", "c++", *rest, "-x", "none", "-o", str(target), *linking]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = next((text for text in done.stderr.splitlines() if "error" in text), done.stderr.strip()[-200:])
        raise CapiError(f"capi build: found that {compiler} refuses ({reason}), expected a working compiler")


def _write_headers(include: Path) -> tuple[Path, ...]:
    written = []
    for path, text in headers().items():
        target = include / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        written.append(target)
    return tuple(written)


def _alias(libraries: Path) -> None:
    for name in ALIASES:
        _link(libraries / f"lib{name}.so", LIBRARY)


def _mirror(directory: Path) -> None:
    """The other places where builds look: ``lib``, the folder of the architecture, and that of custom operators."""
    _link(directory / "lib", "lib64")
    architecture, custom = directory / f"{platform.machine()}-linux", directory / "op_api"
    for place in (architecture / "lib64", custom / "lib"):
        _link(place.with_name("include"), "../include")
        _link(place, "../lib64")


def _link(path: Path, target: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def _write_environment(directory: Path) -> None:
    """What builds and programs of the originals read from the environment."""
    place = shlex.quote(str(directory))
    variables = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "ASCEND_OPP_PATH", "ASCEND_CUSTOM_OPP_PATH")
    lines = "".join(f"export {name}={place}\n" for name in variables)
    (directory / "set_env.sh").write_text(
        f"# Made by `cannery capi build`.\n{lines}"
        f"export LD_LIBRARY_PATH={place}/lib64${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}\n",
        encoding="utf-8",
    )


def _write_package(folder: Path, directory: Path) -> Path:
    folder.mkdir(exist_ok=True)
    compiling, linking = flags(Path("${prefix}"))
    package = folder / "cannery.pc"
    package.write_text(
        f"prefix={directory}\n\nName: cannery\nDescription: CANN's runtime and aclnn interface without an NPU\n"
        f"Version: {version('cannery')}\nCflags: {' '.join(compiling)}\nLibs: {' '.join(linking)}\n",
        encoding="utf-8",
    )
    return package


def _command(compiler: str, directory: Path) -> str:
    compiling, linking = flags(directory)
    return " ".join([Path(compiler).name, "-std=c++17", *compiling, "program.cpp", "-o", "program", *linking])
