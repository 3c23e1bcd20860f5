"""What a call says when the checked engine found errors: the outputs may hold anything then."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Any

from cannery.core import errors_among

REACTIONS = ("warn", "raise", "ignore")


class FindingWarning(UserWarning):
    """A launch was found at fault, and its outputs were given back all the same."""


class FindingError(RuntimeError):
    """A launch was found at fault.

    Attributes:
        findings: all that was found, errors and others.
    """

    def __init__(self, text: str, findings: Sequence[Any]) -> None:
        super().__init__(text, findings)
        self.findings = tuple(findings)

    def __str__(self) -> str:
        return str(self.args[0])


def check_reaction(value: str) -> None:
    """Refuse a value of ``on_error`` that means nothing.

    Raises:
        ValueError: naming those that do.
    """
    if value not in REACTIONS:
        raise ValueError(f"on_error: found {value!r}, expected one of {', '.join(REACTIONS)}")


def tell_errors(what: str, findings: Sequence[Any], reaction: str) -> None:
    """Warn of, or raise, the errors among the findings of a launch.

    Raises:
        FindingError: there are errors, and the reaction is to raise.
    """
    errors = errors_among(findings)
    if not errors or reaction == "ignore":
        return
    count = f"{len(errors)} error{'s' if len(errors) > 1 else ''}"
    text = f"{what}: found {count}, the first: {errors[0]}; do not use the outputs before it is mended"
    if reaction == "raise":
        raise FindingError(text, findings)
    warnings.warn(text, FindingWarning, stacklevel=_caller_level())


def _caller_level() -> int:
    """How far up the stack the first frame outside this package is: there the warning points."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("cannery."):
        frame, level = frame.f_back, level + 1
    return level
