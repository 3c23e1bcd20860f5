"""Softmax in float32, rounded once, on any device."""

from __future__ import annotations

import torch

from cannery.core import Tensor
from cannery.operator import CallContext, TilingResult
from cannery.operator.frameworks import atb
from cannery.ops._train.squares import Squares


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> None:
    """Write the probabilities. y may be x itself."""
    atb.check_tiled(context, tiling)
    assert inputs[0] is not None
    x, y = inputs[0].torch.reshape(-1), outputs[0].torch
    rows = Squares.of(context, "qSeqLen").blocks(x)
    y.copy_(torch.cat([_softmax(block.float()).to(y.dtype).view(-1) for block in rows]))


def _softmax(rows: torch.Tensor) -> torch.Tensor:
    # torch.softmax starts its threads for the smallest block already, and waits for all of them.
    powers = (rows - rows.amax(-1, keepdim=True)).exp_()
    return powers.div_(powers.sum(-1, keepdim=True))
