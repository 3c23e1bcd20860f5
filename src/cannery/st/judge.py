"""Last stage of a row: outputs against goldens, by the TestSpec's hooks, then by the standard of each output."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cannery.core import DataType, Tensor
from cannery.operator import CallContext
from cannery.st.arguments import as_numpy
from cannery.st.call import Outputs
from cannery.st.case import Case, Standard
from cannery.st.compare import Verdict, compare_atb, compare_by
from cannery.st.compare.comparators import Terms
from cannery.st.compare.verdict import Array
from cannery.st.data import DataError
from cannery.st.reference import Reference
from cannery.st.spec import TestSpec
from cannery.st.usercode import user_code

COMPARE_CONTEXT = "compare_context"


class HookError(ValueError):
    """A hook of the TestSpec raised, or gave something that is not in its contract."""


def judge(
    case: Case, spec: TestSpec, context: CallContext, outputs: Outputs, reference: Reference
) -> tuple[Verdict, ...]:
    """One verdict an output.

    Raises:
        DataError: NumPy has no such type.
        HookError, StandardError: the comparison cannot be made.
    """
    try:
        flat = [Tensor(output.torch.reshape(-1)).numpy() for output in outputs.tensors]
    except ValueError as failure:
        raise DataError(str(failure)) from None
    arrays, goldens = _pre_compare(spec, _fitted(flat, reference.goldens), list(reference.goldens))
    own = _own_compare(case, spec, arrays, goldens, reference)
    if own is not None:
        return own
    dtypes = [desc.dtype for desc in context.outputs]
    if case.standard is Standard.ATB:
        return tuple(_by_atb(case, spec, *judged) for judged in zip(arrays, goldens, dtypes, strict=True))
    return _by_ttk(case, dtypes, arrays, goldens, reference)


def _fitted(outputs: Sequence[Array], goldens: Sequence[Array]) -> list[Array]:
    """The flat outputs in the goldens' shapes, where the sizes agree."""
    pairs = zip(outputs, goldens, strict=True)
    return [out.reshape(golden.shape) if out.size == golden.size else out for out, golden in pairs]


def _pre_compare(spec: TestSpec, outputs: list[Array], goldens: list[Array]) -> tuple[list[Array], list[Array]]:
    """What the hook makes of outputs and goldens; None from it means it changed them in place."""
    if spec.pre_compare is None:
        return outputs, goldens
    goldens = [golden.copy() for golden in goldens]
    result = _guarded("pre_compare", spec.pre_compare, *outputs, *goldens)
    if result is None:
        return outputs, goldens
    count = len(outputs)
    if not isinstance(result, (list, tuple)) or len(result) != 2 * count:
        found = len(result) if isinstance(result, (list, tuple)) else type(result).__name__
        raise HookError(f"pre_compare: found {found}, expected None or {2 * count} arrays: outputs, then goldens")
    return list(result[:count]), list(result[count:])


def _own_compare(
    case: Case, spec: TestSpec, outputs: list[Array], goldens: list[Array], reference: Reference
) -> tuple[Verdict, ...] | None:
    """The verdicts of the spec's own comparison; None where it leaves them to the standard."""
    if spec.compare is None:
        return None
    code = spec.compare.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    keywords = {COMPARE_CONTEXT: _compare_context(case, reference)} if COMPARE_CONTEXT in names else {}
    result = _guarded("compare", spec.compare, *outputs, *goldens, **keywords)
    if result is None:
        return None
    return tuple(_own_verdict(answer) for answer in (result if isinstance(result, (list, tuple)) else [result]))


def _compare_context(case: Case, reference: Reference) -> Mapping[str, Any]:
    """What a comparison of the assets may ask to see."""
    return {
        "api_name": case.operator.name,
        "testcase_name": case.name,
        "input_tensors": as_numpy(reference.given).tensors,
        "input_scalars": (),
        "attributes": dict(case.attrs),
        "csv_fields": dict(case.cells),
    }


def _by_ttk(
    case: Case, dtypes: Sequence[DataType], outputs: Sequence[Array], goldens: Sequence[Array], reference: Reference
) -> tuple[Verdict, ...]:
    verdicts = []
    for index, (tolerance, dtype) in enumerate(zip(reference.chosen, dtypes, strict=True)):
        terms = Terms(
            dtype,
            tolerance.parameters,
            case.tolerances[index] if index < len(case.tolerances) else None,
            case.absolute[index] if index < len(case.absolute) else Terms.atol,
            reference.thirds[index] if reference.thirds is not None else None,
            case.has_float,
        )
        verdicts.append(compare_by(tolerance.standard, outputs[index], goldens[index], terms))
    return tuple(verdicts)


def _by_atb(case: Case, spec: TestSpec, output: Array, golden: Array, dtype: DataType) -> Verdict:
    op_type = _told("op_type", spec.op_type, case.attrs) or _op_type(dtype, spec)
    accumulations = _told("accumulations", spec.accumulations, case.attrs)
    return compare_atb(output, golden, dtype, str(getattr(op_type, "name", op_type)), int(accumulations))


def _told(what: str, value: Any, attrs: Mapping[str, Any]) -> Any:
    return _guarded(what, value, dict(attrs)) if callable(value) else value


def _op_type(dtype: DataType, spec: TestSpec) -> str:
    """The kind of work of an operator whose assets do not tell it."""
    tolerance = spec.tolerance.get(dtype)
    if tolerance is not None and tolerance.standard == "binary_equal":
        return "MOVE"
    return "COMPUTE_FLOAT" if dtype.is_floating else "COMPUTE_INTEGER"


def _own_verdict(answer: Any) -> Verdict:
    if not isinstance(answer, Mapping) or "pass" not in answer or "precision" not in answer:
        raise HookError(f"compare: found {answer!r}, expected a dict with 'pass' and 'precision'")
    passed = bool(answer["pass"])
    info = str(answer.get("error_info") or ("" if passed else "the operator's own comparison refuses it"))
    metrics = answer.get("metrics")
    # What a hook measured may be of any type; a verdict is plain.
    plain = json.loads(json.dumps(metrics, default=str, skipkeys=True)) if isinstance(metrics, Mapping) else {}
    diffs = answer.get("diff_indices")
    return Verdict(
        "compare",
        passed,
        answer["precision"] if isinstance(answer["precision"], str) else float(answer["precision"]),  # type: ignore[arg-type]
        info,
        plain,
        tuple(int(index) for index in diffs[:100]) if diffs is not None else (),
    )


def _guarded(what: str, hook: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    with user_code(what, HookError):
        return hook(*arguments, **keywords)
