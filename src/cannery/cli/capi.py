"""``cannery capi build DIR``: what C and C++ programs compile and link against."""

from __future__ import annotations

from pathlib import Path

import typer

from cannery.cli.console import console


def build(
    directory: Path = typer.Argument(
        ..., metavar="DIR", help="Folder to build into; it can serve as ASCEND_HOME_PATH."
    ),
) -> None:
    """Write headers and libraries; print what is there and the line that compiles a program."""
    from cannery.capi import build as build_into

    built = build_into(directory)
    out = console()
    out.print(f"headers     {built.directory / 'include'} ({len(built.headers)} files)")
    out.print(f"library     {built.library}")
    out.print(f"pkg-config  {built.package}")
    out.print()
    out.print(built.command)
