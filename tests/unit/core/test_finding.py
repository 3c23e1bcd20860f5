"""Which findings are errors."""

from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest

from cannery.core import errors_among, is_error


class Severity(Enum):
    ERROR = "Error"


@pytest.mark.parametrize(
    ("finding", "expected"),
    [
        (SimpleNamespace(severity="error"), True),
        (SimpleNamespace(severity=Severity.ERROR), True),
        (SimpleNamespace(severity="warning"), False),
        (SimpleNamespace(severity="note"), False),
        ("a text without severity", True),
    ],
)
def test_severity_decides_and_none_is_an_error(finding: Any, expected: bool) -> None:
    assert is_error(finding) is expected
    assert errors_among([finding]) == ([finding] if expected else [])
