"""What any tool that finds things says, whatever room it stands in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol


class Finding(Protocol):
    """A finding: its text is what ``str`` gives.

    Attributes:
        severity: "error", "warning" or "note".
    """

    @property
    def severity(self) -> str:
        """How bad it is."""


def is_error(finding: Any) -> bool:
    """Whether a finding is an error; one that has no severity is."""
    severity = getattr(finding, "severity", "error")
    return str(getattr(severity, "value", severity)).lower() == "error"


def errors_among(findings: Iterable[Any]) -> list[Any]:
    """The findings that are errors, in order."""
    return [finding for finding in findings if is_error(finding)]
