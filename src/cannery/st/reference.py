"""What the outputs of a row are judged by, made before the engine runs, from copies of the inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cannery.operator import CallContext
from cannery.st.arguments import Arguments, arguments, to_array
from cannery.st.case import Case, Standard
from cannery.st.compare import Tolerance, route
from cannery.st.compare.verdict import Array
from cannery.st.data import DataError, read_file
from cannery.st.inputs import Inputs
from cannery.st.invoke import InvokeError, call_golden, call_third_party
from cannery.st.spec import TestSpec

NEEDS_PROMOTION = frozenset({"mix_tolerance", "cross_check"})


@dataclass(frozen=True)
class Reference:
    """Standards, goldens, and the third party's outputs if a standard asks.

    Attributes:
        chosen: the standard of each output.
        given: what the golden was given.
        goldens: one array an output.
        thirds: the same, by the third party.
    """

    chosen: tuple[Tolerance, ...]
    given: Arguments
    goldens: tuple[Array, ...]
    thirds: tuple[Array, ...] | None


def make_reference(case: Case, spec: TestSpec, context: CallContext, inputs: Inputs, compare: str | None) -> Reference:
    """Golden and third party of a row; ``compare`` is the command line's standard.

    Raises:
        DataError, InvokeError: they cannot be made.
    """
    chosen = tuple(route(desc.dtype, compare, spec.tolerance) for desc in context.outputs)
    given = arguments(case, context, inputs.tensors)
    standards = {tolerance.standard for tolerance in chosen} if case.standard is Standard.TTK else set()
    goldens = _goldens(case, spec, context, given, bool(standards & NEEDS_PROMOTION))
    thirds = _thirds(case, spec, context, given) if "cross_check" in standards else None
    return Reference(chosen, given, goldens, thirds)


def _goldens(
    case: Case, spec: TestSpec, context: CallContext, given: Arguments, is_promoted: bool
) -> tuple[Array, ...]:
    if any(case.golden_files):
        return _read_files(case.golden_files, context)
    if spec.golden is None:
        raise InvokeError(
            f"golden: found none for {case.operator.name}, expected one in its assets or in a plugin folder"
        )
    return call_golden(spec.golden, given, len(context.outputs), is_promoted)


def _thirds(case: Case, spec: TestSpec, context: CallContext, given: Arguments) -> tuple[Array, ...] | None:
    if any(case.third_party_files):
        return _read_files(case.third_party_files, context)
    return None if spec.third_party is None else call_third_party(spec.third_party, given, len(context.outputs))


def _read_files(paths: Sequence[Path | None], context: CallContext) -> tuple[Array, ...]:
    if len(paths) != len(context.outputs) or not all(paths):
        raise DataError(f"files of outputs: found {len(paths)}, expected {len(context.outputs)}, one an output")
    pairs = zip(paths, context.outputs, strict=True)
    return tuple(to_array(read_file(path, desc.dtype, desc.shape)) for path, desc in pairs if path is not None)
