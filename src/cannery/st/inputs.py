"""First stage of a row with data: its inputs, and the memory of its outputs as the case file's tool prepares it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import torch

from cannery.core import OperatorError, Tensor
from cannery.operator import CallContext
from cannery.operator.tensors import allocate
from cannery.st.arguments import arguments, to_array
from cannery.st.case import Case, TensorSpec
from cannery.st.data import DataError, generator, make_tensor
from cannery.st.invoke import InvokeError, call_customize
from cannery.st.spec import TestSpec


@dataclass(frozen=True)
class Inputs:
    """What an engine reads and where it writes.

    Attributes:
        tensors: as the operator takes them, flat; None where an optional one is absent.
        buffers: one an output.
    """

    tensors: tuple[Tensor | None, ...]
    buffers: tuple[Tensor, ...]

    @property
    def output_bytes(self) -> int:
        """Bytes of all outputs."""
        return sum(buffer.torch.nbytes for buffer in self.buffers)


def make_inputs(case: Case, spec: TestSpec, context: CallContext, seed: int) -> Inputs:
    """Inputs and output memory of a row whose outputs are inferred.

    Raises:
        DataError: they cannot be made, or cannot fit.
        OperatorError: there is not enough memory for the outputs.
    """
    _check_memory(case, context)
    tensors = _tensors(case, spec, context, seed)
    return Inputs(tensors, _buffers(case, context, tensors))


def _check_memory(case: Case, context: CallContext) -> None:
    """A row that cannot fit is refused before it takes the machine down."""
    wanted = case.input_bytes + sum(prod(desc.shape) * desc.dtype.itemsize for desc in context.outputs)
    present = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if wanted > present:
        raise DataError(f"found {wanted} bytes of tensors, expected at most {present}, this machine's memory")


def _tensors(case: Case, spec: TestSpec, context: CallContext, seed: int) -> tuple[Tensor | None, ...]:
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
        raise DataError(str(failure)) from failure.__cause__
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


def _buffers(case: Case, context: CallContext, tensors: Sequence[Tensor | None]) -> tuple[Tensor, ...]:
    try:
        buffers = allocate(context, (None,) * len(context.outputs), None, case.output_fill)
    except ValueError as failure:
        if isinstance(failure, OperatorError):
            raise
        raise DataError(str(failure)) from None
    for buffer, source in zip(buffers, case.inplace, strict=False):
        origin = tensors[source] if source is not None else None
        if origin is not None:
            buffer.torch.view(-1).copy_(origin.torch.reshape(-1))
    return buffers
