"""Where a verb writes: no output is an input or another output."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


class PlaceError(ValueError):
    """An output that would overwrite an input or another output."""


def check_apart(outputs: Iterable[tuple[str, Path | None]], inputs: Iterable[Path] = ()) -> None:
    """Refuse, before anything is written, a file that is written twice, or read too. Devices and pipes may be shared.

    Args:
        outputs: options with their places, None where one is not given. One option may write to one place twice.
        inputs: files that are read.

    Raises:
        PlaceError: naming the option and the file.
    """
    taken = {_identity(path): "an input" for path in inputs}
    for option, path in outputs:
        if path is None or (path.exists() and not path.is_file()):
            continue
        found = taken.setdefault(_identity(path), f"the place of {option}")
        if found != f"the place of {option}":
            raise PlaceError(f"{option}: found {path}, which is {found}, expected another place")


def _identity(path: Path) -> object:
    """What two names of one file share, links of either kind included."""
    if path.exists():
        status = path.stat()
        return status.st_dev, status.st_ino
    return path.resolve()
