"""The virtual AI core: memories, registers, pipes, flags, cores, their schedule.

A launch is a set of cores. A core issues instructions to pipes; instructions are frozen records with an effect. What is
issued is told to the launch's watchers; to judge it is theirs. Nothing here knows how a kernel is spelled.
"""

from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

from cannery.aicore.deadlock import DeadlockError, KernelError

__all__ = ["DeadlockError", "KernelError"]

_MOVED: Final = MappingProxyType(
    dict.fromkeys(("Finding", "LaunchRecord", "Session", "current", "errors", "report", "session"), "cannery.watch")
)
"""Names that programs import from here, and where they are."""


def __getattr__(name: str) -> Any:
    if name in _MOVED:
        return getattr(import_module(_MOVED[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
