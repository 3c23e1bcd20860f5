"""Commands from a table of verbs. A verb's file is imported when the verb is typed, never for ``--help``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup


@dataclass(frozen=True)
class Verb:
    """Where a verb's function is (``module:function``), and what it does in one line.

    ``runs_program``: its first argument is a program, and what follows is the program's own.
    """

    target: str
    help: str
    runs_program: bool = False

    def load(self) -> Any:
        """The function, imported now."""
        module, _, name = self.target.partition(":")
        return getattr(import_module(module), name)


def command(path: str, verbs: Mapping[str, Verb], summary: str = "", verb: Verb | None = None) -> Any:
    """The Click command of a verb; a group when verbs stand under it. ``verbs`` are named from here on."""
    options: dict[str, Any] = {"add_completion": not verb, "rich_markup_mode": None, "pretty_exceptions_enable": False}
    settings: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
    if verb is not None and verb.runs_program:
        settings["allow_interspersed_args"] = False
    if not verbs and verb is not None:
        single = typer.Typer(**options)
        kind = _program_command() if verb.runs_program else None
        single.command(path, cls=kind, help=verb.help, context_settings=settings)(verb.load())
        return typer.main.get_command(single)
    group = typer.Typer(cls=_Group, no_args_is_help=verb is None, invoke_without_command=verb is not None, **options)
    group.callback(help=verb.help if verb else summary, context_settings=settings)(verb.load() if verb else _version)
    made = typer.main.get_command(group)
    assert isinstance(made, _Group)
    made.commands = _Commands(verbs)
    return made


def _program_command() -> Any:
    from cannery.cli.compiled import ProgramCommand

    return ProgramCommand


def _print_version(wanted: bool) -> None:
    if wanted:
        from cannery import __version__

        typer.echo(f"cannery {__version__}")
        raise typer.Exit


def _version(
    version: bool = typer.Option(
        False, "--version", is_eager=True, callback=_print_version, help="Show the version and exit."
    ),
) -> None:
    pass


class _Commands(MutableMapping[str, Any]):
    """Verbs by first word; a look-up imports the verb."""

    def __init__(self, verbs: Mapping[str, Verb]) -> None:
        self.verbs = verbs
        self._words = list(dict.fromkeys(name.split()[0] for name in verbs))

    def __getitem__(self, word: str) -> Any:
        if word not in self._words:
            raise KeyError(word)
        below = {name[len(word) + 1 :]: verb for name, verb in self.verbs.items() if name.startswith(f"{word} ")}
        return command(word, below, self.summary(word), self.verbs.get(word))

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)

    def __setitem__(self, word: str, value: Any) -> None:
        raise TypeError("verbs are added in cannery.cli.VERBS")

    def __delitem__(self, word: str) -> None:
        raise TypeError("verbs are removed in cannery.cli.VERBS")

    def summary(self, word: str) -> str:
        """One line about a verb, or about all that stand under its word."""
        if word in self.verbs:
            return self.verbs[word].help
        return " ".join(verb.help for name, verb in self.verbs.items() if name.startswith(f"{word} "))


class _Group(TyperGroup):
    """A group that lists its verbs from the table."""

    commands: Any

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(word, self.commands.summary(word)) for word in self.commands])
