"""Compiling programs: the compiler, its flags, and a cache by content that parallel runs may share."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cannery.ascendc import headers
from cannery.ascendc.translate import translate
from cannery.soc import Soc

COMPILERS: Final = ("g++", "c++", "clang++")
_CCE_ARCH: Final = {2201: 220, 3510: 310, 3002: 300, 2002: 200, 1001: 100}
"""``__CCE_AICORE__`` by ``__NPU_ARCH__``."""
FLAGS: Final = (
    "-std=c++17", "-g", "-O1", "-fPIC", "-fno-optimize-sibling-calls", "-fno-strict-aliasing", "-fwrapv",
    "-fno-builtin-printf", "-Wno-narrowing", "-Wno-attributes", "-Wno-deprecated-declarations",
)  # fmt: skip
"""Return addresses name the program's lines: no tail calls. Kernels reinterpret memory, and wrap addresses."""
LINK_FLAGS: Final = ("-Wl,--wrap=printf", "-Wl,--wrap=exit")
_PACKAGE: Final = Path(__file__).resolve().parent.parent


class CompileError(ValueError):
    """There is no compiler; the message says what to install."""


class RefusedError(Exception):
    """The compiler refuses the program; the argument is what it says."""


@dataclass(frozen=True)
class Options:
    """How sources are compiled.

    Attributes:
        includes, defines: as ``-I`` and ``-D`` give them.
        auto_sync: the compiler orders dependent vector instructions (``--cce-auto-sync``).
    """

    arch: int
    includes: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    auto_sync: bool = True

    @classmethod
    def of(cls, soc: Soc, includes: Sequence[str] = (), defines: Sequence[str] = (), auto_sync: bool = True) -> Options:
        """For a chip."""
        return cls(soc.npu_arch, tuple(includes), tuple(defines), auto_sync)


def compiler() -> str:
    """The C++ compiler.

    Raises:
        CompileError: there is none.
    """
    found = next(filter(None, map(shutil.which, COMPILERS)), None)
    if found is None:
        raise CompileError("found no C++ compiler, expected g++ (12 or later) or clang++ on PATH: apt install g++")
    return found


def cache_folder() -> Path:
    """Where compiled things are kept: ``CANNERY_CACHE``, or a folder of the user's cache."""
    chosen = os.environ.get("CANNERY_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "cannery"


def fingerprint() -> str:
    """What this installation of cannery is: names, times and sizes of its files."""
    entries = sorted(
        f"{path} {status.st_mtime_ns} {status.st_size}"
        for path in _PACKAGE.rglob("*")
        if path.suffix in (".py", ".h", ".cpp", ".json")
        for status in (path.stat(),)
    )
    return digest(*entries)


def digest(*texts: str) -> str:
    """A name for content."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:24]


def once(target: Path, make: Callable[[Path], None]) -> Path:
    """Make a folder where it is not there yet; of several that make it at once, one wins and all are the same."""
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        try:
            make(scratch)
            _settle(scratch, target)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return target


def _settle(scratch: Path, target: Path) -> None:
    try:
        scratch.rename(target)
    except OSError:
        if not target.exists():
            raise


def include_folder(base: Path) -> Path:
    """The headers of Ascend C, written once below a folder of the cache."""
    return once(base / "ascendc", headers.write)


def preprocess(source: Path, options: Options, system: Sequence[Path]) -> str:
    """A source after the preprocessor, with its line markers.

    Raises:
        RefusedError: it refuses.
    """
    line = [compiler(), "-E", "-x", "c++", *FLAGS, *_target(options), *_included(options, system), str(source)]
    return run(line)


def _target(options: Options) -> list[str]:
    arch = options.arch
    return [f"-D__NPU_ARCH__={arch}", f"-D__CCE_AICORE__={_CCE_ARCH.get(arch, 220)}", "-D__CANNERY_TRANSLATED__=1"]


def _included(options: Options, system: Sequence[Path]) -> list[str]:
    users = [f"-I{folder}" for folder in options.includes] + [f"-D{name}" for name in options.defines]
    return [*users, *(part for folder in system for part in ("-isystem", str(folder)))]


def compile_object(text: str, target: Path, options: Options) -> None:
    """Compile preprocessed text.

    Raises:
        RefusedError: the compiler refuses.
        TranslationError: a launch is not written as the language has it.
    """
    translated = target.with_suffix(".ii")
    translated.write_text(translate(text, options.auto_sync).text, encoding="utf-8")
    run([compiler(), "-c", "-x", "c++-cpp-output", *FLAGS, str(translated), "-o", str(target)])
    translated.unlink()


def link(objects: Sequence[Path], target: Path, library: Path, name: str) -> None:
    """Link objects into a shared object that finds its library where it is now."""
    where = [f"-L{library}", f"-l:{name}", f"-Wl,-rpath,{library}"]
    run([compiler(), "-shared", *map(str, objects), "-o", str(target), *LINK_FLAGS, *where])


def build_library(target: Path, sources: Sequence[Path], includes: Sequence[Path]) -> None:
    """The bridge, and what else a program calls, as one shared object."""
    folders = [f"-I{folder}" for folder in includes]
    every = [str(_PACKAGE / "ascendc" / "runtime.cpp"), *map(str, sources)]
    run(
        [
            compiler(),
            "-shared",
            "-fPIC",
            "-std=c++17",
            "-O1",
            "-w",
            *folders,
            *every,
            "-o",
            str(target),
            "-ldl",
            "-pthread",
        ]
    )


def run(line: Sequence[str]) -> str:
    """Run the compiler; what it prints.

    Raises:
        RefusedError: it fails.
    """
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RefusedError(done.stderr)
    return done.stdout
