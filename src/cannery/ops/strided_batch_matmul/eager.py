"""The products in float64, rounded once, on any device that has it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from cannery.core import Tensor
from cannery.operator import CallContext, TilingResult
from cannery.operator.frameworks import atb
from cannery.ops._threads.workers import run_each, workers
from cannery.ops.strided_batch_matmul.blocks import Block, samples

PART_PRODUCTS = 1 << 22  # products of a part that threads share


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> None:
    """Write C's blocks; what lies between them is preserved. Everything is computed before anything is written."""
    atb.check_tiled(context, tiling)
    a, b = (tensor.torch.reshape(-1) for tensor in inputs if tensor is not None)
    c = outputs[0].torch.view(-1)
    products = list(_products(context, a, b))
    with workers() as run:
        run_each(
            run, lambda part: _multiply(*part), [(product, rows) for product in products for rows in _parts(product)]
        )
    for product in products:
        product.block.of(c).copy_(product.values)


@dataclass(frozen=True)
class _Product:
    """Room for one block of C, and its factors (m, k) and (k, n)."""

    block: Block
    left: torch.Tensor
    right: torch.Tensor
    values: torch.Tensor


def _products(context: CallContext, a: torch.Tensor, b: torch.Tensor) -> Iterator[_Product]:
    for sample in samples(context):
        for head in range(context.attrs["headNum"]):
            left, right = sample.head("A", head).of(a), sample.head("B", head).of(b)
            left = left.t() if context.attrs["transposeA"] else left
            right = right.t() if context.attrs["transposeB"] else right
            block = sample.head("C", head)
            yield _Product(block, left, right, a.new_empty(block.rows, block.columns))


def _parts(product: _Product) -> list[slice]:
    """Runs of rows, as long on any number of threads."""
    step = max(1, PART_PRODUCTS // (product.right.numel() or 1))
    return [slice(row, row + step) for row in range(0, product.block.rows, step)]


def _multiply(product: _Product, rows: slice) -> None:
    product.values[rows] = (product.left[rows].double() @ product.right.double()).to(product.values.dtype)
