"""The table of verbs: each line leads to a function, and help imports none of them."""

import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from cannery import cli
from cannery.cli.verbs import Verb, command


@pytest.mark.parametrize("verb", cli.VERBS.values(), ids=cli.VERBS)
def test_a_line_of_the_table_leads_to_a_documented_function(verb: Verb) -> None:
    function = verb.load()
    assert inspect.isfunction(function) and function.__doc__
    assert verb.help.endswith(".") and len(verb.help) < 80


@pytest.mark.parametrize("path", cli.VERBS)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_every_verb_has_help(path: str, option: str, cannery: Callable[..., Any]) -> None:
    ended = cannery(*path.split(), option)
    assert ended.code == 0
    assert f"Usage: cannery {path}" in ended.out


def test_help_lists_every_verb_with_its_line(cannery: Callable[..., Any]) -> None:
    text = " ".join(cannery("--help").out.split())
    for path, verb in cli.VERBS.items():
        if " " not in path:
            assert f"{path} {verb.help}" in text


def test_a_group_lists_what_stands_under_it(cannery: Callable[..., Any]) -> None:
    assert re.search(r"Commands:\n(  \w.*\n)*  show +Show the contract of an operator", cannery("ops", "--help").out)


def test_a_bare_command_shows_help_and_fails(cannery: Callable[..., Any]) -> None:
    ended = cannery()
    assert ended.code == 2
    assert "Commands:" in ended.out + ended.err


def test_help_and_the_package_import_nothing_heavy() -> None:
    heavy = ["torch", "numpy", "rich.table", "numba", "plotly"]
    code = (
        "import sys; sys.argv = ['cannery', '--help']; import cannery, cannery.cli\n"
        "try: cannery.cli.main()\n"
        f"except SystemExit: print('loaded:', [name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "loaded: []" in done.stdout


def _say(words: list[str]) -> Callable[[], None]:
    return lambda: words.append("said")


def test_verbs_may_stand_under_a_word_that_is_no_verb_itself(capsys: Any) -> None:
    said: list[str] = []

    class Saying(Verb):
        def load(self) -> Any:
            return _say(said)

    verbs = {"indexer doctor": Saying("", "Examine a call."), "indexer deep verb": Saying("", "Deeper.")}
    made = command("cannery", verbs, "Summary.")
    made(["indexer", "doctor"], standalone_mode=False)
    made(["indexer", "deep", "verb"], standalone_mode=False)
    assert said == ["said", "said"]
    with pytest.raises(SystemExit):
        made(["indexer", "--help"])
    assert "Examine a call." in capsys.readouterr().out


def test_lazy_names_of_the_package_are_what_their_rooms_have() -> None:
    import cannery as package
    from cannery.core import DataType
    from cannery.operator import run
    from cannery.soc import soc

    assert (package.DataType, package.run, package.soc) == (DataType, run, soc)
    assert set(package.__all__) <= set(dir(package))
    for name in ("core", "operator", "cli"):
        assert inspect.ismodule(getattr(package, name))
    with pytest.raises(AttributeError, match="no_such_name"):
        package.no_such_name  # noqa: B018
