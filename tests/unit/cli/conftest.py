"""Running the command within the test's own process."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from cannery import cli


@dataclass(frozen=True)
class Ended:
    """How a call of the command ended."""

    code: int | str | None
    out: str
    err: str


@pytest.fixture
def cannery(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """`cannery("ops", "--json")` runs the command; a traceback is an error of the test."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*words: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["cannery", *words])
        with pytest.raises(SystemExit) as end:
            cli.main()
        printed = capsys.readouterr()
        return Ended(end.value.code, printed.out, printed.err)

    return run
