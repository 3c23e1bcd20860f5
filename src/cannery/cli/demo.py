"""``cannery demo``: the shipped cases of every operator, then a real ragged batch packed and unpacked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from cannery.cli.corpus import RaggedBatch
    from cannery.cli.packing import Packing
    from cannery.st.result import CaseResult

MIB = 1 << 20
MARKS = {True: "ok  ", False: "FAIL"}


def demo() -> None:
    """Run the shipped case files of every operator, then pack a real ragged batch and print what that saves."""
    from cannery.cli.corpus import ragged_batch
    from cannery.cli.packing import pack

    is_fine = _run_shipped_cases()
    batch = ragged_batch()
    _print_batch(batch)
    found = pack(batch)
    _print_packing(found)
    if not (is_fine and all(found.checks.values())):
        raise typer.Exit(1)


def shipped_cases() -> Iterator[tuple[str, list[Path]]]:
    """Every operator that comes with case files, and their paths."""
    from cannery.cli.knowledge import case_files
    from cannery.operator import all_operators

    found = ((name, case_files(operator)) for name, operator in all_operators().items())
    yield from ((name, paths) for name, paths in found if paths)


def _run_shipped_cases() -> bool:
    from cannery.st.files import load_cases
    from cannery.st.runner import run_cases

    typer.echo("CANN's operators on this machine, their own case files against their goldens:")
    is_fine = True
    for name, paths in shipped_cases():
        results = list(run_cases(case for path in paths for case in load_cases(path).cases))
        failed = [result for result in results if result.has_failed]
        passed = sum(result.has_passed for result in results)
        typer.echo(f"  {MARKS[not failed]}  {name:<40} {passed} of {len(results)} cases passed")
        _print_failures(failed)
        is_fine = is_fine and not failed
    return is_fine


def _print_failures(failed: list[CaseResult]) -> None:
    for result in failed:
        typer.echo(f"        {result.case.name}: {result.status}: {result.log}")


def _print_batch(batch: RaggedBatch) -> None:
    from cannery.cli.corpus import MAX_TOKENS, WIDTH

    places = len(batch.lengths) * MAX_TOKENS
    shortest = min(batch.lengths)
    typer.echo(
        f"\nA real ragged batch: {len(batch.names)} source files of this Python's standard library,\n"
        f"cut at {MAX_TOKENS} tokens, each token a row of {WIDTH} × float16:\n"
        f"  {sum(batch.lengths)} tokens in {places} places ({sum(batch.lengths) / places:.1%}); the shortest is "
        f"{batch.names[batch.lengths.index(shortest)]} with {shortest},\n"
        f"  {sum(tokens > MAX_TOKENS for tokens in batch.tokens)} files were cut"
    )


def _print_packing(found: Packing) -> None:
    typer.echo("\nUnpadded and padded back:")
    for check, is_true in found.checks.items():
        typer.echo(f"  {MARKS[is_true]}  {check}")
    typer.echo("\nSaved:")
    _print_saving("bytes", "MiB", found.padded_bytes / MIB, found.packed_bytes / MIB)
    padded, packed = (found.seconds[f"layer norm, {what}"] * 1000 for what in ("padded", "packed"))
    _print_saving("time of a layer norm", "ms", padded, packed)
    unpad, pad = (found.seconds[what] * 1000 for what in ("unpad", "pad"))
    typer.echo(f"  {'price, once':<22} unpad {unpad:.0f} ms, pad {pad:.0f} ms")


def _print_saving(what: str, unit: str, before: float, after: float) -> None:
    share = (before - after) / before if before else 0.0
    typer.echo(f"  {what:<22} {before:.0f} {unit} padded, {after:.0f} {unit} packed: {share:.1%} less")
