"""Where a verb prints. Colours and width follow the terminal; a pipe gets plain text and whole lines."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterable
from typing import Any, Literal

import typer
from rich.console import Console, RenderableType

# Wider than any line of ours: in a pipe a row stays one line.
UNLIMITED = 10_000
PAGE_WIDTH = 80


def console(*, stderr: bool = False, is_page: bool = False) -> Console:
    """A console that prints text as it is.

    Args:
        stderr: print there instead of on stdout.
        is_page: what is printed is prose to be read: lines are wrapped at 80 columns in a pipe as well, and in a wide
            terminal no line is longer than reads well.
    """
    stream = sys.stderr if stderr else sys.stdout
    width = _width(stream.isatty(), is_page)
    colors: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    return Console(file=stream, width=width, color_system=colors, markup=False, emoji=False, highlight=False)


def print_blocks(blocks: Iterable[RenderableType], *, is_page: bool = False) -> None:
    """Print on stdout; a pipe gets no blanks at the ends of lines."""
    out = console(is_page=is_page)
    if out.is_terminal:
        out.print(*blocks, sep="\n")
        return
    with out.capture() as captured:
        out.print(*blocks, sep="\n")
    typer.echo("\n".join(line.rstrip() for line in captured.get().rstrip("\n").split("\n")))


def visible(text: str) -> str:
    """The text without commands to the terminal: control characters but tab and newline are written out."""
    return "".join(f"\\x{ord(c):02x}" if unicodedata.category(c) == "Cc" and c not in "\t\n" else c for c in text)


def print_json(value: Any) -> None:
    """One JSON document on stdout, in ASCII, so that it survives any encoding."""
    import json

    typer.echo(json.dumps(value, indent=2))


def _width(is_tty: bool, is_page: bool) -> int | None:
    if not is_tty:  # COLUMNS may be left over from a terminal that is not there, as in a CI job
        return PAGE_WIDTH if is_page else UNLIMITED
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    return min(Console().width, 100) if is_page else None
