"""Tracebacks that end at the user's line."""

from __future__ import annotations

from types import CodeType, TracebackType
from typing import Any, Final, TypeVar

from cannery.aicore import DeadlockError
from cannery.aicore.instruction import Site
from cannery.asc.context import PACKAGE
from cannery.core.tracebacks import chain, entries, file_of

_BELOW: Final = tuple(PACKAGE.removesuffix("asc") + room for room in ("aicore", "isa", "watch"))

Failure = TypeVar("Failure", bound=BaseException)


def trimmed(failure: Failure) -> Failure:
    """The exception with its traceback cut behind the last line that is not the kernel language's own."""
    frames = entries(failure.__traceback__)
    while frames and _internal(frames[-1]):
        frames.pop()
    # pdb enters the innermost frame: it should be the user's.
    return failure.with_traceback(chain(frames)) if frames else failure


def at_user_line(failure: DeadlockError) -> DeadlockError:
    """The exception with a traceback that ends at the statement the kernel is stuck at.

    A wait of another pipe than the scalar one is found to be hopeless only after the program has gone on; the frame is
    then made up, with the file, line and function of the wait.
    """
    frames = entries(failure.__traceback__)
    while frames and _internal(frames[-1]):
        frames.pop()
    stuck = next((head.site for head in failure.heads if head.site is not None), None)
    if stuck is None or (frames and _is_at(frames[-1], stuck)):
        return failure.with_traceback(chain(frames)) if frames else failure
    made_up = _frame_at(stuck)
    return failure.with_traceback(made_up if made_up is not None else chain(frames))


def _internal(entry: TracebackType) -> bool:
    name = file_of(entry)
    return name.startswith((PACKAGE, *_BELOW)) or "/threading.py" in name


def _is_at(entry: TracebackType, site: Site) -> bool:
    return entry.tb_frame.f_code.co_filename == site.file and entry.tb_lineno == site.line


class _Here(Exception):
    """Raised in a made-up frame to get hold of its traceback."""


def _frame_at(site: Site) -> TracebackType | None:
    """A traceback whose only frame is at a source line."""
    code = compile("\n" * (site.line - 1) + "raise here", site.file, "exec")
    code = code.replace(co_name=site.function or "kernel")
    if hasattr(code, "co_qualname"):
        code = _with_qualname(code, site.function or "kernel")
    scope: dict[str, Any] = {"here": _Here}
    try:
        exec(code, scope)
    except _Here as found:
        return entries(found.__traceback__)[-1]
    return None


def _with_qualname(code: CodeType, name: str) -> CodeType:
    changes: dict[str, Any] = {"co_qualname": name}
    return code.replace(**changes)
