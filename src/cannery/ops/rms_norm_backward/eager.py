"""Both gradients in float64, rounded once, on any device that has it."""

from __future__ import annotations

import torch

from cannery.core import Tensor
from cannery.operator import CallContext, TilingResult
from cannery.ops._threads.workers import one_thread


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> None:
    """Write dx and dgamma. dx may be dy or x itself."""
    dy, x, rstd, gamma = (tensor.torch for tensor in inputs if tensor is not None)
    row = gamma.numel()
    dx, dgamma = _gradients(_rows(dy, row), _rows(x, row), _rows(rstd, 1), gamma.double().flatten())
    outputs[0].torch.copy_(dx.view(x.shape))
    outputs[1].torch.copy_(dgamma.view(gamma.shape))


def _rows(tensor: torch.Tensor, length: int) -> torch.Tensor:
    return tensor.double().reshape(-1, length)


def _gradients(
    dy: torch.Tensor, x: torch.Tensor, rstd: torch.Tensor, gamma: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """dx (rows, row) and dgamma (row,) from dy and x (rows, row), rstd (rows, 1) and gamma (row,)."""
    scaled = dy * gamma * rstd
    with one_thread():
        mean = (scaled * rstd.square() * x).mean(-1, keepdim=True)
        dgamma = (dy * x * rstd).sum(0)
    return scaled - x * mean, dgamma
