"""``cannery exec``: run a program written for the NPU stack, unchanged, and say what its kernels do wrong."""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import typer

from cannery.cli import compiled
from cannery.cli.options import setting
from cannery.cli.places import check_apart
from cannery.settings import Settings, variables

FAILED = 1
INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM
_OWN = str(Path(__file__).resolve().parent.parent)
_STARTUP = str(Path(__file__).with_name("startup"))


class ProgramError(ValueError):
    """There is no program to run."""


def exec_program(
    context: typer.Context,
    program: str = typer.Argument(
        "", metavar="SCRIPT", help="The script, the module with -m, or a source in Ascend C.", show_default=False
    ),
    args: list[str] = typer.Argument(
        None, metavar="[ARGS]...", help="Its arguments; of a source: more sources, then -- ARGS.", show_default=False
    ),
    module: bool = typer.Option(False, "-m", help="SCRIPT is the name of a module."),
    check: bool | None = setting("check", None, "Check every launch; exit code 1 when there is an error."),
    json_file: Path | None = typer.Option(None, "--json", metavar="FILE", help="Write findings and launches there."),
    soc: str | None = setting("chip", "NAME", "The chip, whatever the program sets."),
    engine: str | None = setting("engine", "NAME"),
    quirks: bool | None = setting("quirks"),
    seed: int | None = setting("seed", "N"),
    precise: bool | None = setting("precise"),
    saturate: bool | None = setting("saturate"),
    keep: list[str] = typer.Option([], "--keep", metavar="NAME", help="Leave this package as it is installed."),
    include: list[str] = typer.Option([], "-I", metavar="DIR", help="Where a source finds its headers."),
    define: list[str] = typer.Option([], "-D", metavar="NAME[=VALUE]", help="Define a macro for a source."),
    limit: float = typer.Option(
        600.0, "--limit", metavar="SECONDS", help="How long a kernel in C++ may run on one core."
    ),
    list_names: bool = typer.Option(False, "--list", help="List the packages that are substituted, and stop."),
) -> None:
    """Run SCRIPT with the NPU stack's packages resolved to this one's."""
    import cannery.activate as activation
    from cannery.faces import substituted_packages
    from cannery.watch import process_session

    activation.activate(keep)
    if list_names:
        names = substituted_packages().items()
        typer.echo("\n".join(f"{name:<22} {place if name not in keep else 'kept'}" for name, place in names))
        return
    if not program:
        raise ProgramError("SCRIPT: found none, expected a script or -m MODULE")
    options = {"check": check, "soc": soc, "engine": engine, "quirks": quirks, "seed": seed}
    options |= {"precise": precise, "saturate": saturate}
    with process_session(**options) as found:
        settings = _settings()
        _check_program(program, module, json_file)
        json_file = json_file and json_file.resolve()  # the program may change the directory
        _write(json_file, {"findings": [], "launches": []})
        with _terminable(), _inherited(keep, settings):
            if compiled.is_compiled(program) and not module:
                sources = [program, *(args or [])]
                code = compiled.run(sources, context.meta[compiled.ARGUMENTS], include, define, limit)
            else:
                code = _run(program, module, args or [])
        sys.stdout.flush()
        if code is None:
            raise SystemExit(FAILED)
        raise SystemExit(_conclude(found, json_file, code, settings.check))


def _settings() -> Settings:
    """The settings of the run; refused before the program begins."""
    from cannery.settings import current_settings

    settings = current_settings()
    if settings.engine:
        from cannery.operator.staged import check_settings  # which engines there are, only operators know

        check_settings()
    return settings


def _check_program(program: str, module: bool, json_file: Path | None) -> None:
    sys.path[0:1] = ["" if module else str(Path(program).resolve().parent)]
    if module:
        _check_module(program)
    elif not Path(program).exists():
        raise FileNotFoundError(2, os.strerror(2), program)
    check_apart([("--json", json_file)], () if module else [Path(program)])


def _check_module(name: str) -> None:
    """Refuse a module that is not there, or a package that is no program.

    Raises:
        ProgramError: naming it.
    """
    try:
        spec = None if name.startswith(".") else find_spec(name)
        is_package = spec is not None and spec.submodule_search_locations is not None
        is_program = not is_package or find_spec(f"{name}.__main__") is not None
    except ModuleNotFoundError as failure:
        if not f"{name}.".startswith(f"{failure.name}."):
            return
        spec, is_program = None, True
    except Exception:  # of a package around it: the run shows what its lines raise
        return
    if spec is None:
        raise ProgramError(f"-m: found no module {name!r}, expected one that Python finds from here")
    if not is_program:
        raise ProgramError(f"-m: found the package {name!r} without a __main__, expected one, or a module")


def _conclude(found: Any, json_file: Path | None, code: int, check: bool) -> int:
    from cannery.watch import errors, report

    _write(json_file, report.as_json(found))
    findings = found.findings()
    if not check:
        return code
    for finding in findings:
        typer.echo(report.render(finding), err=True)
    if not found.launches:
        typer.echo("cannery: no kernel was launched", err=True)
    elif findings:
        typer.echo(f"cannery: {report.summary(findings, len(found.launches))}", err=True)
    return FAILED if errors(findings) else code


def _write(path: Path | None, value: Any) -> None:
    if path is not None:
        path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def _run(program: str, module: bool, args: Sequence[str]) -> int:
    """Run the program as __main__; its exit code. What it raises is printed as Python prints it."""
    sys.argv = [program, *args]
    try:
        if module:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        return _exit_code(end.code)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BaseException as failure:
        typer.echo(_formatted(failure), err=True, nl=False)
        return FAILED
    return 0


def _exit_code(code: Any) -> int:
    if code is None or isinstance(code, int):
        return int(code or 0)
    typer.echo(str(code), err=True)
    return FAILED


def _formatted(failure: BaseException) -> str:
    """The traceback from the program's first line on, without the lines of this package in between."""
    from cannery.core.tracebacks import chain, entries

    every = entries(failure.__traceback__)
    users = [entry for entry in every if not _own(entry)]
    # A syntax error has no line of the program above it: there is nothing to show but what it says itself.
    failure.__traceback__ = chain(users if users or isinstance(failure, SyntaxError) else every)
    return "".join(traceback.format_exception(type(failure), failure, failure.__traceback__))


def _own(entry: TracebackType) -> bool:
    from cannery.core.tracebacks import file_of

    name = file_of(entry)
    return name.startswith((_OWN, "<frozen runpy>", "<frozen importlib", runpy.__file__))


@contextmanager
def _inherited(keep: Sequence[str], settings: Settings) -> Iterator[None]:
    """Let the Pythons that the program starts resolve the same names, for the same chip: workers, torchrun's ranks."""
    path = os.pathsep.join(filter(None, (_STARTUP, os.environ.get("PYTHONPATH"))))
    given = {"PYTHONPATH": path, "CANNERY_KEEP": " ".join(keep), **variables(settings)}
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


@contextmanager
def _terminable() -> Iterator[None]:
    """Let a polite kill end the program as sys.exit does, so that the report is written."""

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(TERMINATED)

    try:
        before = signal.signal(signal.SIGTERM, end)
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
