"""The command ``cannery``. A verb is a function in a file of its own and a line in ``VERBS``."""

from __future__ import annotations

import os
import signal
import sys
from types import MappingProxyType
from typing import Any

from cannery.cli.verbs import Verb, command

# A verb of two words is a verb under the first; the first may be a verb itself.
VERBS = MappingProxyType(
    {
        "capi build": Verb("cannery.cli.capi:build", "Build headers and a library for C and C++ programs."),
        "demo": Verb("cannery.cli.demo:demo", "Run every shipped case, then pack a real ragged batch."),
        "exec": Verb(
            "cannery.cli.exec:exec_program", "Run a program of the NPU stack; check its kernels.", runs_program=True
        ),
        "indexer doctor": Verb("cannery.cli.indexer:doctor", "Say what is off in a saved indexer call."),
        "ops": Verb("cannery.cli.ops:ops", "List the operators."),
        "ops docs": Verb("cannery.cli.docs:docs", "Write the knowledge pages of all operators."),
        "ops route": Verb("cannery.cli.route:route", "Print what to read of an operator, in order."),
        "ops show": Verb("cannery.cli.show:show", "Show the contract of an operator."),
        "plan": Verb("cannery.cli.plan:plan", "Show which core computes which rows, and how evenly."),
        "st": Verb("cannery.cli.st:st", "Run system tests from case files."),
    }
)

USAGE_ERROR = 2
INTERRUPTED = 128 + signal.SIGINT
BROKEN_PIPE = 1


def main() -> None:
    """Entry point: what a call refuses is one line on stderr and exit code 2; a traceback is a fault of ours."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot spell ≥ must not end the program
            stream.reconfigure(errors="replace")
    try:
        sys.exit(_run())
    except BrokenPipeError:
        # The interpreter flushes once more at exit: it must find an open file.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(BROKEN_PIPE)


def _run() -> int | str | None:
    try:
        # Not standalone: Typer would print a usage error on several lines and end the process itself.
        ended = command("cannery", VERBS, "CANN operators without an NPU.")(prog_name="cannery", standalone_mode=False)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (OSError, ValueError) as failure:
        line = _one_line(failure)
        if line is None:
            raise
        print(f"cannery: {line}", file=sys.stderr)
        return USAGE_ERROR
    except SystemExit as end:
        sys.stdout.flush()
        return end.code
    except Exception as failure:
        # Typer's usage errors have no public base class; this is what they all have.
        if not hasattr(failure, "format_message"):
            raise
        return _refuse_usage(failure)
    return ended if isinstance(ended, int) else 0


def _refuse_usage(failure: Any) -> int:
    """One line for an option, argument or verb that is wrong; the help where nothing was asked for."""
    context = failure.ctx
    if type(failure).__name__ == "NoArgsIsHelpError":
        print(context.get_help(), file=sys.stderr)
        return USAGE_ERROR
    path = context.command_path if context is not None else "cannery"
    print(f"{path}: {' '.join(failure.format_message().split())} (see {path} --help)", file=sys.stderr)
    return USAGE_ERROR


def _one_line(failure: OSError | ValueError) -> str | None:
    """The failure in one line when it is the caller's: a file that cannot be used, or an error class of cannery."""
    if isinstance(failure, OSError):
        return f"{failure.filename}: {failure.strerror}" if failure.filename is not None else None
    if not type(failure).__module__.startswith("cannery."):
        return None
    return " ".join(str(failure).split())
