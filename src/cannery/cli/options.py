"""Options of the command line that are settings: names and words come from the one table."""

from __future__ import annotations

from typing import Any

import typer

from cannery.settings import SETTINGS


def setting(name: str, metavar: str | None = None, meaning: str = "") -> Any:
    """The option of a setting; None when it is not given, so that the environment is asked."""
    row = SETTINGS[name]
    return typer.Option(None, row.option, metavar=metavar, help=meaning or row.meaning, show_default=False)
