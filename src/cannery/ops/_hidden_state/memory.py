"""Both operators read while they write: input and output must not share memory."""

from __future__ import annotations

import torch

from cannery.core import Stage, Tensor
from cannery.operator import CallContext


def apart(
    context: CallContext, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> tuple[torch.Tensor, torch.Tensor]:
    """x and output, which lie apart. The original does not look, and its result is undefined when they do not.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage launch: they overlap.
    """
    assert inputs[0] is not None
    x, out = inputs[0].torch, outputs[0].torch
    if x.device == out.device and _overlap(_span(x), _span(out)):
        raise context.error(Stage.LAUNCH, "output", "memory that x occupies as well", "a buffer apart from x")
    return x, out


def _span(tensor: torch.Tensor) -> range:
    """The addresses between a tensor's first byte and its last; none where there is no memory (device ``meta``)."""
    start = tensor.data_ptr()
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return range(start, start + (last + 1) * tensor.itemsize) if start else range(0)


def _overlap(a: range, b: range) -> bool:
    return max(a.start, b.start) < min(a.stop, b.stop)
