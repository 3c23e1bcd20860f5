"""Which core the running code belongs to, and which source line called."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from functools import lru_cache
from os.path import dirname
from typing import Final

from cannery.aicore.core import Core
from cannery.aicore.instruction import Site

CORE: Final[ContextVar[Core | None]] = ContextVar("core", default=None)
PACKAGE: Final = dirname(__file__)


class Ended(BaseException):
    """The program of a core ends here, as by a return of its kernel."""


def running() -> Core:
    """The core whose code is running.

    Raises:
        RuntimeError: no kernel is running here.
    """
    core = CORE.get()
    if core is None:
        raise RuntimeError("found a call outside a kernel, expected one inside a function launched as kernel[cores](…)")
    return core


def here(depth: int = 2) -> Site:
    """The line that called the caller, or the first line outside the kernel language above it."""
    frame = sys._getframe(depth)
    code = frame.f_code
    while code.co_filename.startswith(PACKAGE) and frame.f_back is not None:
        frame = frame.f_back
        code = frame.f_code
    return _site(code.co_filename, frame.f_lineno, code.co_name)


@lru_cache(maxsize=4096)
def _site(file: str, line: int, function: str) -> Site:
    """One site a line: making one costs more than finding it, and equal ones compare faster when they are the same."""
    return Site(file, line, function)
