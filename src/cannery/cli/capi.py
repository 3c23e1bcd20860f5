"""``cannery capi build DIR``: what C and C++ programs compile and link against."""

from __future__ import annotations

from pathlib import Path

import typer


def build(
    directory: Path = typer.Argument(
        ..., metavar="DIR", help="Folder to build into; it can serve as ASCEND_HOME_PATH."
    ),
) -> None:
    """Write headers and libraries; print what is there and the line that compiles a program."""
    from cannery.capi import build as build_into

    built = build_into(directory)
    # Not by the console, which would wrap them: these are to be copied.
    typer.echo(f"headers     {built.directory / 'include'} ({len(built.headers)} files)")
    typer.echo(f"library     {built.library}")
    typer.echo(f"pkg-config  {built.package}")
    typer.echo(f"\n{built.command}")
