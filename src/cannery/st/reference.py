"""Around the launch: the inputs of a row, its output memory, and what the outputs are judged by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cannery.core import OperatorError, Tensor
from cannery.operator import CallContext, staged
from cannery.st import judge
from cannery.st.case import Case, Standard, TensorSpec
from cannery.st.compare import Tolerance, Verdict
from cannery.st.compare.verdict import Array
from cannery.st.data import DataError, generator, make_tensor, read_file
from cannery.st.invoke import (
    Arguments,
    InvokeError,
    arguments,
    as_numpy,
    call_customize,
    call_golden,
    call_third_party,
    to_array,
)
from cannery.st.spec import TestSpec


def make_inputs(case: Case, seed: int, spec: TestSpec, context: CallContext) -> tuple[Tensor | None, ...]:
    """The inputs as the operator takes them, flat.

    Raises:
        DataError: they cannot be made.
    """
    drawn = tuple(
        None if tensor is None else make_tensor(tensor, generator(seed, case.name, index))
        for index, tensor in enumerate(case.tensors)
    )
    is_custom = any(tensor is not None and tensor.data.is_custom for tensor in case.tensors)
    if spec.customize_inputs is None or not is_custom:
        return drawn
    try:
        made = call_customize(spec.customize_inputs, arguments(case, context, drawn))
    except InvokeError as failure:
        raise DataError(str(failure)) from None
    flat = [member for value in made for member in (value if isinstance(value, list) else [value])]
    return tuple(
        _customized(index, ours, tensor, value)
        for index, (ours, tensor, value) in enumerate(zip(drawn, case.tensors, flat, strict=True))
    )


def _customized(index: int, drawn: Tensor | None, tensor: TensorSpec | None, value: Any) -> Tensor | None:
    """What ``customize_inputs`` made of an input, if it is that kind of input."""
    if tensor is None or value is None or not tensor.data.is_custom or tensor.data.file is not None:
        return drawn
    made = Tensor.of(value if isinstance(value, torch.Tensor) else np.ascontiguousarray(to_array(value)))
    made = Tensor(made.torch, tensor.desc.format)
    if (made.desc.dtype, made.desc.shape) != (tensor.desc.dtype, tensor.desc.shape):
        raise DataError(f"customize_inputs: input {index}: found {made.desc}, expected {tensor.desc}")
    return made


def make_buffers(case: Case, context: CallContext, inputs: Sequence[Tensor | None]) -> tuple[Tensor, ...]:
    """Output memory as the case file's tool prepares it.

    Raises:
        OperatorError: there is not enough memory.
        DataError: PyTorch has no such data type.
    """
    try:
        buffers = staged.allocate(context, (None,) * len(context.outputs), None, case.output_fill)
    except ValueError as failure:
        if isinstance(failure, OperatorError):
            raise
        raise DataError(str(failure)) from None
    for buffer, source in zip(buffers, case.inplace, strict=False):
        origin = inputs[source] if source is not None else None
        if origin is not None:
            buffer.torch.view(-1).copy_(origin.torch.reshape(-1))
    return buffers


@dataclass(frozen=True)
class Reference:
    """What the outputs are judged by: standards, goldens, and the third party's outputs if a standard asks."""

    chosen: tuple[Tolerance, ...]
    given: Arguments
    goldens: list[Array]
    thirds: list[Array] | None

    @classmethod
    def make(
        cls, case: Case, compare: str | None, spec: TestSpec, context: CallContext, inputs: Sequence[Tensor | None]
    ) -> Reference:
        """Golden and third party, made before the engine runs, from copies of the inputs.

        Raises:
            DataError, InvokeError: they cannot be made.
        """
        chosen = judge.tolerances([desc.dtype for desc in context.outputs], spec, compare)
        given = arguments(case, context, inputs)
        standards = {tolerance.standard for tolerance in chosen}
        is_promoted = case.standard is Standard.TTK and bool(standards & set(judge.NEEDS_PROMOTION))
        goldens = _goldens(case, spec, context, given, is_promoted)
        is_cross = case.standard is Standard.TTK and "cross_check" in standards
        return cls(chosen, given, goldens, _thirds(case, spec, context, given) if is_cross else None)


def _goldens(case: Case, spec: TestSpec, context: CallContext, given: Arguments, is_promoted: bool) -> list[Array]:
    if any(case.golden_files):
        return _read_files(case.golden_files, context)
    if spec.golden is None:
        raise InvokeError(
            f"golden: found none for {case.operator.name}, expected one in its assets or in a plugin folder"
        )
    return call_golden(spec.golden, given, len(context.outputs), is_promoted)


def _thirds(case: Case, spec: TestSpec, context: CallContext, given: Arguments) -> list[Array] | None:
    if any(case.third_party_files):
        return _read_files(case.third_party_files, context)
    return None if spec.third_party is None else call_third_party(spec.third_party, given, len(context.outputs))


def _read_files(paths: Sequence[Path | None], context: CallContext) -> list[Array]:
    if len(paths) != len(context.outputs) or not all(paths):
        raise DataError(f"files of outputs: found {len(paths)}, expected {len(context.outputs)}, one an output")
    pairs = zip(paths, context.outputs, strict=True)
    return [to_array(read_file(path, desc.dtype, desc.shape)) for path, desc in pairs if path is not None]


def judge_outputs(
    case: Case, spec: TestSpec, context: CallContext, buffers: Sequence[Tensor], reference: Reference
) -> list[Verdict]:
    """One verdict an output.

    Raises:
        HookError, StandardError: the comparison cannot be made.
    """
    dtypes = [desc.dtype for desc in context.outputs]
    try:
        flat = [Tensor(buffer.torch.reshape(-1)).numpy() for buffer in buffers]
    except ValueError as failure:
        raise DataError(str(failure)) from None
    goldens = reference.goldens
    outputs, goldens = judge.pre_compare(spec, judge.fitted(flat, goldens), goldens)
    if spec.compare is not None:
        own = judge.own_compare(spec, outputs, goldens, _compare_context(case, reference.given))
        if own is not None:
            return own
    return judge.by_standard(case, spec, reference.chosen, dtypes, outputs, goldens, reference.thirds)


def _compare_context(case: Case, given: Arguments) -> Mapping[str, Any]:
    """What a comparison of the assets may ask to see."""
    return {
        "api_name": case.operator.name,
        "testcase_name": case.name,
        "input_tensors": as_numpy(given).tensors,
        "input_scalars": (),
        "attributes": dict(case.attrs),
        "csv_fields": dict(case.cells),
    }
