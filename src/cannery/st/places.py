"""Where results go, and how a file is written: whole or not at all, and nothing but what it replaces is touched."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from cannery.st.case import CaseFileError
from cannery.st.files import RESULT_SUFFIX

# The folder for results of several files when no place is given.
RESULTS = "st_results"


def plan_results(files: Sequence[Path], output: Path | None) -> tuple[Path, ...]:
    """Where the results of each file go: a folder, or one file for all (a name with a suffix). No two share a name.

    Without a place, results of one file go to the current folder, those of several to a folder of their own there.

    Raises:
        CaseFileError: the place cannot be written, or is an input.
    """
    if output is not None and _is_file(output):
        targets = (output,) * len(files)
    else:
        folder = output or Path(RESULTS if len(files) > 1 else "")
        targets = tuple(folder / f"{name}{RESULT_SUFFIX}" for name in _distinct_stems(files))
    inputs = {file.resolve() for file in files}
    for target in targets:
        _check_target(target, inputs)
    return targets


def _is_file(output: Path) -> bool:
    """Whether a place is one file for all results: it is there and no folder, or its name has a suffix."""
    return not output.is_dir() if output.exists() else bool(output.suffix)


def _distinct_stems(files: Sequence[Path]) -> list[str]:
    """Stems, each with as many of its folders in front as it takes to tell it from the others."""
    parts = [(*file.resolve().parts[1:-1], file.stem) for file in files]
    lengths = [1] * len(files)
    while True:
        names = ["-".join(part[-length:]) for part, length in zip(parts, lengths, strict=True)]
        twins = [index for index, name in enumerate(names) if names.count(name) > 1]
        if not twins:
            return names
        if all(lengths[index] >= len(parts[index]) for index in twins):
            return [f"{name}-{index}" if index in twins else name for index, name in enumerate(names)]
        for index in twins:
            lengths[index] += 1


def _check_target(target: Path, inputs: set[Path]) -> None:
    if target.resolve() in inputs:
        raise CaseFileError(target, None, None, "", "a case file as the place of results", "another place")
    check_writable(target)


def check_writable(target: Path) -> None:
    """Refuse a file that could not be written at the end.

    Raises:
        CaseFileError: a folder, no folder, or no permission.
    """
    if target.is_dir():
        raise CaseFileError(target, None, None, "", "a folder as the place of results", "a file")
    if target.exists() and not target.is_file():
        place, wanted = target, "one that can be"
    else:
        # A regular file is replaced where it is, at the end of any links.
        place = next(parent for parent in Path(os.path.realpath(target)).parents if parent.exists())
        wanted = "a folder that can be"
    if not os.access(place, os.W_OK) or (place is not target and not place.is_dir()):
        raise CaseFileError(target, None, None, "", f"{place}, which cannot be written", wanted)


def write_atomically(path: Path, text: str) -> None:
    """The file is there whole or not at all.

    A file that is replaced leaves its mode and owner to the new one, and links to it stay. A device or a pipe is
    written to as it is.
    """
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", newline="") as stream:
            stream.write(text)
        return
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    try:
        with open(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
        _take_after(path, temporary)
        os.replace(temporary, path)
    except OSError as failure:  # a full disk does not say which file it is about
        os.unlink(temporary)
        raise OSError(failure.errno, failure.strerror, str(path)) from failure
    except BaseException:
        os.unlink(temporary)
        raise


def _take_after(path: Path, temporary: str) -> None:
    """Give a file mode and owner of the one it replaces; a new one is what the mask allows, not its owner's alone."""
    if path.exists():
        before = path.stat()
        with suppress(PermissionError):
            os.chown(temporary, before.st_uid, before.st_gid)
        os.chmod(temporary, stat.S_IMODE(before.st_mode))
        return
    umask = os.umask(0)
    os.umask(umask)
    os.chmod(temporary, 0o666 & ~umask)
