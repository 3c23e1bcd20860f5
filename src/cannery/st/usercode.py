"""What code of others raises, told so that its author finds the line: goldens, hooks, plug-ins, operators."""

from __future__ import annotations

import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import numpy as np
import torch

from cannery.core.tracebacks import chain, entries, file_of

_OWN = str(Path(__file__).parents[1])
_OPERATORS = str(Path(_OWN) / "ops")
_STANDARD = sysconfig.get_path("stdlib")
_LIBRARIES = ("<frozen ", *(str(Path(str(module.__file__)).parent) for module in (np, torch)))


@contextmanager
def user_code(what: str, error: type[ValueError]) -> Iterator[None]:
    """Turn whatever the code inside raises into an error of ours, which says where; ``sys.exit`` ends no campaign.

    Raises:
        KeyboardInterrupt: it is the user's, not the code's.
        ValueError: of the class given, caused by what was raised. One of that class passes as it is.
    """
    try:
        yield
    except (KeyboardInterrupt, error):
        raise
    except BaseException as failure:
        raise error(f"{what}: {told(failure)}") from failure


def told(failure: BaseException) -> str:
    """Type, message and place of what was raised, in one line."""
    users = _of_users(failure)
    place = f" ({users[-1].tb_frame.f_code.co_filename}:{users[-1].tb_lineno})" if users else ""
    return f"{type(failure).__name__}: {_message(failure)}{place}"


def traceback_of(failure: BaseException) -> str:
    """The traceback of what was raised, from the first line that is not this package's on."""
    every = entries(failure.__traceback__)
    first = next((index for index, entry in enumerate(every) if not _is_ours(entry)), 0)
    return "".join(traceback.format_exception(type(failure), failure, chain(every[first:])))


def _of_users(failure: BaseException) -> list[TracebackType]:
    """The entries in code that a user wrote; those of libraries where there is nothing else."""
    others = [entry for entry in entries(failure.__traceback__) if not _is_ours(entry)]
    return [entry for entry in others if not _is_library(entry)] or others


def _is_ours(entry: TracebackType) -> bool:
    return file_of(entry).startswith(_OWN) and not file_of(entry).startswith(_OPERATORS)


def _is_library(entry: TracebackType) -> bool:
    file = file_of(entry)
    return file.startswith(_LIBRARIES) or (file.startswith(_STANDARD) and "site-packages" not in file)


def _message(failure: BaseException) -> str:
    try:
        return str(failure)
    except Exception:
        return "a message that cannot be made"
