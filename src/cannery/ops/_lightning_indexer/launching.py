"""From a staged call to the functions that compute: lengths by their short names, complaints as errors of the call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from cannery.core import Stage, Tensor
from cannery.operator import CallContext

from .geometry import ArgumentError

_LENGTHS = {
    "cu_q": "cu_seqlens_q",
    "cu_k": "cu_seqlens_k",
    "seqused_q": "seqused_q",
    "seqused_k": "seqused_k",
    "residual": "cmp_residual_k",
}


def named_tensors(context: CallContext, inputs: tuple[Tensor | None, ...]) -> dict[str, torch.Tensor | None]:
    """Every input by its name, None where absent."""
    padded = (*inputs, *[None] * (len(context.definition.inputs) - len(inputs)))
    pairs = zip(context.definition.inputs, padded, strict=True)
    return {param.name: None if tensor is None else tensor.torch for param, tensor in pairs}


def length_arguments(context: CallContext, tensors: Mapping[str, torch.Tensor | None]) -> dict[str, Any]:
    """Lengths, layouts, mask and ratio as ``segments`` and the computing functions name them."""
    return {name: tensors[original] for name, original in _LENGTHS.items()} | dict(context.attrs)


@contextmanager
def call_errors(context: CallContext, spelling: Mapping[str, str]) -> Iterator[None]:
    """Raise an ArgumentError as the call's own error, with the parameter as the operator spells it.

    Raises:
        OperatorError: at stage launch.
    """
    try:
        yield
    except ArgumentError as fault:
        parameter = spelling.get(fault.parameter, fault.parameter)
        raise context.error(Stage.LAUNCH, parameter, fault.found, fault.expected) from None
