"""Both gradients in float32, rounded once, on any device; with quirks in float16 throughout."""

from __future__ import annotations

import torch

from cannery.core import Tensor
from cannery.operator import CallContext, TilingResult
from cannery.operator.frameworks import atb
from cannery.ops.rope_grad.definition import HEAD_DIM


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> None:
    """Write dq and dk. They may be g1 and g2 themselves."""
    atb.check_tiled(context, tiling)
    g1, g2, cos, sin = (tensor.torch for tensor in inputs if tensor is not None)
    positions = torch.cat([torch.arange(length, device=g1.device) for length in context.attrs["qSeqLen"]])
    kind = torch.float16 if context.quirks else torch.float32
    factor = _factor(cos.to(kind), sin.to(kind))[positions][:, None]
    heads = tiling.block_dim if context.quirks else g1.shape[1] // HEAD_DIM
    made = [g[: len(positions)].to(kind).reshape(len(positions), -1, HEAD_DIM)[:, :heads] * factor for g in (g1, g2)]
    for out, gradient in zip(outputs, made, strict=True):
        rows = out.torch.view(-1)[: len(positions) * g1.shape[1]].view(len(positions), -1, HEAD_DIM)
        rows[:, :heads].copy_(gradient)


def _factor(cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """What a position's gradient is multiplied by, (S, 128): the sines' halves change places, the second is negated."""
    first, second = sin.chunk(2, dim=-1)
    return cos + torch.cat((second, -first), dim=-1)
