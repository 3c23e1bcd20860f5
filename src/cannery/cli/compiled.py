"""Programs in C++: which they are, and running one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import typer
from typer.core import TyperCommand

SUFFIXES: Final = frozenset({".asc", ".cc", ".cce", ".cpp", ".cxx"})
ARGUMENTS: Final = "cannery.arguments"
"""Where the context keeps the arguments of a program in C++."""


class ProgramCommand(TyperCommand):
    """A command whose first argument is a program.

    What follows a Python program is its own. Behind sources in C++ come more of them and options; what follows ``--``
    is the program's own.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Find out which kind of program it is, then parse."""
        first = next((text for text in args if not text.startswith("-") and is_compiled(text)), None)
        others = [text for text in args[: args.index(first)] if not text.startswith("-")] if first else []
        if first is not None and not any(text.endswith(".py") for text in others) and "-m" not in args:
            end = args.index("--") if "--" in args else len(args)
            ctx.allow_interspersed_args = True
            ctx.meta[ARGUMENTS] = args[end + 1 :]
            args = args[:end]
        return super().parse_args(ctx, args)


def is_compiled(program: str) -> bool:
    """Whether a program is a source in C++."""
    return Path(program).suffix in SUFFIXES


def run(
    sources: Sequence[str], arguments: Sequence[str], includes: Sequence[str], defines: Sequence[str], limit: float
) -> int | None:
    """Compile and run; the exit code of its main, None where the compiler refuses it."""
    from cannery.ascendc.compiler import Options, RefusedError
    from cannery.capi import program
    from cannery.settings import device_chip

    options = Options.of(device_chip(), includes, defines)
    try:
        made = program.prepare([Path(source) for source in sources], options)
    except RefusedError as refusal:
        typer.echo(str(refusal), err=True, nl=False)
        return None
    return program.run(made, [sources[0], *arguments], _complain, limit)


def _complain(text: str) -> None:
    typer.echo(f"cannery: {text}", err=True)
