"""The gradient in plain PyTorch: any device, any precision, tile by tile."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from cannery.ops._lightning_indexer.operands import Operands
from cannery.ops._lightning_indexer.rounding import round_half_away
from cannery.ops._lightning_indexer.score import TILE_KEYS, Finite, RowBlock, Tile, row_blocks, tiles


@dataclass(frozen=True)
class Buffers:
    """Target and results of a call, flattened and contiguous; results are zero on entry.

    Attributes:
        p, y: (T, columns) target and softmax.
        lse: (T,).
        dq: (T, H, D) in the dtype of q.
        dk: (T2, D) in working precision.
        dw: (T, H).
        loss: (T,) or None where it is not wanted.
    """

    p: torch.Tensor
    lse: torch.Tensor
    dq: torch.Tensor
    dk: torch.Tensor
    dw: torch.Tensor
    y: torch.Tensor
    loss: torch.Tensor | None


@dataclass(frozen=True)
class _Rows:
    """A block's operands in working precision, with the sum of each row's visible target."""

    q: torch.Tensor
    finite_q: Finite
    w: torch.Tensor
    k: Finite
    lse: torch.Tensor
    mass: torch.Tensor


def kl_loss_grad(call: Operands, buffers: Buffers, *, deterministic: bool) -> None:
    """Write dq, dw and y, and add to dk, for the rows of ``call``."""
    for block in row_blocks(call):
        rows = _gather(call, buffers, block)
        dq = torch.zeros_like(rows.q)
        for tile in tiles(rows.q, rows.w, rows.k, block):
            dq += _tile(rows, block, tile, buffers, call.q.dtype, deterministic)
        buffers.dq[block.token] = dq.to(buffers.dq.dtype)


def _gather(call: Operands, buffers: Buffers, block: RowBlock) -> _Rows:
    q = call.q[block.token].to(call.working)
    k = call.k[block.k_start : block.k_start + block.keys].to(call.working)
    seen = torch.arange(block.keys, device=q.device) < block.visible
    target = torch.where(seen, buffers.p[block.token, : block.keys], 0)
    # In parts: torch splits one long sum by the number of threads.
    mass = torch.stack([part.sum(1, keepdim=True) for part in target.split(TILE_KEYS, 1)]).sum(0)
    lse, w = buffers.lse[block.token][:, None], call.w[block.token]
    return _Rows(q, Finite.of(q), w.to(q.dtype), Finite.of(k), lse.to(q.dtype), mass.to(q.dtype))


def _tile(
    rows: _Rows, block: RowBlock, tile: Tile, buffers: Buffers, dtype: torch.dtype, deterministic: bool
) -> torch.Tensor:
    """One tile's share: writes y, adds to dw, dk and the loss, returns its part of dq."""
    columns, seen = slice(tile.first, tile.last), tile.seen
    p = torch.where(seen, buffers.p[block.token, columns], 0).to(rows.q.dtype)
    y = torch.where(seen, (tile.logits - rows.lse).exp(), 0)
    di = torch.where(seen, y * rows.mass - p, 0)
    buffers.y[block.token, columns] = y.to(buffers.y.dtype)
    buffers.dw[block.token] += torch.matmul(tile.positive, di[..., None])[..., 0].to(buffers.dw.dtype)
    if buffers.loss is not None:
        cross = torch.where(p != 0, p * (p.log() - (tile.logits - rows.lse)), 0)
        buffers.loss[block.token] += cross.sum(1).to(buffers.loss.dtype)
    # dI * w where the score is positive, in one pass: what relu's own gradient does.
    ds = torch.ops.aten.threshold_backward(di[:, None] * rows.w[..., None], tile.positive, 0)
    ds = round_half_away(ds, dtype).to(ds.dtype) if dtype.itemsize == 2 else ds
    _add_dk(buffers.dk[block.k_start : block.k_start + block.keys][columns], ds, rows, seen, deterministic)
    dq = torch.matmul(ds.flatten(0, 1), rows.k.values[columns]).unflatten(0, ds.shape[:2])
    return _spoil(dq, seen, rows.k.bad[columns])


def _add_dk(dk: torch.Tensor, ds: torch.Tensor, rows: _Rows, seen: torch.Tensor, deterministic: bool) -> None:
    if deterministic:
        for ds_row, q_row in zip(ds, rows.finite_q.values, strict=True):
            dk += torch.matmul(ds_row.T, q_row)
    else:
        dk += torch.matmul(ds.flatten(0, 1).T, rows.finite_q.values.flatten(0, 1))
    _spoil(dk, seen.T, rows.finite_q.bad)


def _spoil(x: torch.Tensor, seen: torch.Tensor, bad: torch.Tensor) -> torch.Tensor:
    """Set the leading elements of ``x`` that see something bad to NaN; ``seen`` (len(x), len(bad))."""
    hit = (seen & bad).any(1)
    return x.masked_fill_(hit.view(-1, *[1] * (x.dim() - 1)), torch.nan)
