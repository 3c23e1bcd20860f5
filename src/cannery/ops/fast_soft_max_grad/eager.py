"""The gradient in float32, rounded once, on any device."""

from __future__ import annotations

import torch

from cannery.core import Tensor
from cannery.operator import CallContext, TilingResult
from cannery.operator.frameworks import atb
from cannery.ops._train.squares import Squares


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> None:
    """Write dx. It may be y or dy itself."""
    atb.check_tiled(context, tiling)
    assert inputs[0] is not None
    assert inputs[1] is not None
    squares, dx = Squares.of(context, "qSeqLen"), outputs[0].torch
    pairs = zip(*(squares.blocks(tensor.torch.reshape(-1)) for tensor in (inputs[0], inputs[1])), strict=True)
    dx.copy_(torch.cat([_gradient(y.float(), dy.float()).to(dx.dtype).view(-1) for y, dy in pairs]))


def _gradient(y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    return y * (dy - (y * dy).sum(-1, keepdim=True))
