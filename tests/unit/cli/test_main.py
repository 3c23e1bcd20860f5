"""How every verb ends: refusals are one line and code 2, faults of ours are tracebacks."""

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import typer

from cannery import cli
from cannery.cli.verbs import Verb
from cannery.core import AtbStatus, OperatorError, Stage
from cannery.operator import UnknownOperatorError
from cannery.soc import UnknownSocError

Run = Callable[..., Any]


@dataclass(frozen=True)
class Raising(Verb):
    """A verb that fails as it is told."""

    failure: BaseException | None = None

    def load(self) -> Any:
        def verb() -> None:
            if self.failure is not None:
                raise self.failure

        return verb


def _verbs(failure: BaseException | None) -> dict[str, Verb]:
    return {"work": Raising("", "Work.", failure=failure), "rest": Verb("nowhere:nothing", "Rest.")}


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch, cannery: Run) -> Run:
    def run(failure: BaseException | None) -> Any:
        monkeypatch.setattr(cli, "VERBS", _verbs(failure))
        return cannery("work")

    return run


REFUSALS = [
    (OperatorError(Stage.CHECK, "Op", "x", "a\nb", "c", AtbStatus(1)), "Op: check: x: found a b, expected c"),
    (UnknownOperatorError("operator: found 'x'"), "operator: found 'x'"),
    (UnknownSocError("soc: found 'x',\n expected"), "soc: found 'x', expected"),
    (FileNotFoundError(errno.ENOENT, "No such file or directory", "a.csv"), "a.csv: No such file or directory"),
    (IsADirectoryError(errno.EISDIR, "Is a directory", "cases"), "cases: Is a directory"),
    (PermissionError(errno.EACCES, "Permission denied", "b.csv"), "b.csv: Permission denied"),
]


@pytest.mark.parametrize(("failure", "text"), REFUSALS, ids=[type(failure).__name__ for failure, _ in REFUSALS])
def test_a_refusal_is_one_line_on_stderr_and_code_2(failure: BaseException, text: str, failing: Run) -> None:
    ended = failing(failure)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.startswith(f"cannery: {text}") and ended.err.count("\n") == 1


@pytest.mark.parametrize("failure", [ValueError("ours"), OSError("ours"), TypeError("ours"), AssertionError("ours")])
def test_a_fault_of_ours_is_not_swallowed(failure: Exception, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(cli, "VERBS", _verbs(failure))
    monkeypatch.setattr("sys.argv", ["cannery", "work"])
    with pytest.raises(type(failure), match="ours"):
        cli.main()


def test_an_interrupt_ends_with_130(failing: Run) -> None:
    assert failing(KeyboardInterrupt()).code == 130


def test_a_broken_pipe_is_quiet(failing: Run) -> None:
    ended = failing(BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE)))
    assert (ended.code, ended.err) == (1, "")


@pytest.mark.parametrize("code", [0, 1, 3])
def test_a_verb_may_end_with_its_own_code(code: int, failing: Run) -> None:
    assert failing(typer.Exit(code)).code == code


def test_success_is_code_0(failing: Run) -> None:
    assert failing(None).code == 0


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["op"], "Did you mean 'ops'"),
        (["--nonsense"], "No such option"),
        (["ops", "--nonsense"], "No such option"),
        (["ops", "show"], "Missing argument"),
        (["ops", "show", "UpdateTensorDesc", "more"], "unexpected extra argument"),
        (["ops", "shw"], "Did you mean 'show'"),
    ],
)
def test_a_usage_error_is_code_2_without_a_traceback(words: list[str], text: str, cannery: Run) -> None:
    ended = cannery(*words)
    assert ended.code == 2 and text in ended.err and "Traceback" not in ended.err
    assert ended.out == ""


def test_the_version_is_printed(cannery: Run) -> None:
    assert cannery("--version").out.startswith("cannery 0.")
