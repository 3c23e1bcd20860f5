"""The products in float64, rounded once, on any device that has it."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from cannery.core import Tensor
from cannery.operator import CallContext, TilingResult
from cannery.operator.frameworks import atb
from cannery.ops.strided_batch_matmul.blocks import Block, samples


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> None:
    """Write C's blocks; what lies between them is preserved. Everything is computed before anything is written."""
    atb.check_tiled(context, tiling)
    a, b = (tensor.torch.reshape(-1) for tensor in inputs if tensor is not None)
    c = outputs[0].torch.view(-1)
    for block, product in list(_products(context, a, b)):
        block.of(c).copy_(product)


def _products(context: CallContext, a: torch.Tensor, b: torch.Tensor) -> Iterator[tuple[Block, torch.Tensor]]:
    for sample in samples(context):
        for head in range(context.attrs["headNum"]):
            left, right = sample.head("A", head).of(a).double(), sample.head("B", head).of(b).double()
            left = left.t() if context.attrs["transposeA"] else left
            right = right.t() if context.attrs["transposeB"] else right
            yield sample.head("C", head), (left @ right).to(a.dtype)
