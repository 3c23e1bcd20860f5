"""The crops, bit for bit, on any device."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from cannery.core import Tensor
from cannery.operator import CallContext, TilingResult
from cannery.operator.frameworks import atb
from cannery.ops._train.squares import Squares


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> None:
    """Write the crops, and nothing behind the output's end, whatever a wrapped count says."""
    atb.check_tiled(context, tiling)
    assert inputs[0] is not None
    x, out = inputs[0].torch, outputs[0].torch
    room = out.shape[0]
    pieces = list(_crops(x, Squares.of(context, "seqLen"), room))
    out.view(-1)[:room].copy_(torch.cat(pieces)[:room])


def _crops(x: torch.Tensor, squares: Squares, room: int) -> Iterator[torch.Tensor]:
    for sample, length in enumerate(squares.lengths):
        if room <= 0:
            return
        heads = min(squares.heads, -(-room // length**2))
        yield x[sample, 0, :length, :length].expand(heads, length, length).reshape(-1)
        room -= heads * length**2
