"""The gradient in plain PyTorch: any device, any precision, tile by tile."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from cannery.ops._lightning_indexer.grad_tensors import GradTensors
from cannery.ops._lightning_indexer.operands import Operands
from cannery.ops._lightning_indexer.rounding import round_half_away
from cannery.ops._lightning_indexer.score import (
    TILE_KEYS,
    Finite,
    RowBlock,
    key_parts,
    row_parts,
    tile,
    tile_bounds,
    waves,
    working_keys,
)
from cannery.ops._threads.workers import Run, run_each, workers


@dataclass(frozen=True)
class _Block:
    """A block's operands and dq in working precision, with the sum of each row's visible target."""

    where: RowBlock
    k: Finite
    q: torch.Tensor
    finite_q: Finite
    w: torch.Tensor
    lse: torch.Tensor
    mass: torch.Tensor
    dq: torch.Tensor

    @classmethod
    def room_for(cls, call: Operands, where: RowBlock) -> _Block:
        """Unwritten room for the rows of one block, next to its keys; dq is zero."""
        rows, like = len(where.token), call.q.new_empty(0, dtype=call.working)
        q = like.new_empty(rows, *call.q.shape[1:])
        finite_q = Finite(torch.empty_like(q), like.new_empty(rows, dtype=torch.bool))
        w, lse, mass = (like.new_empty(rows, width) for width in (call.w.shape[1], 1, 1))
        return cls(where, working_keys(call, where), q, finite_q, w, lse, mass, torch.zeros_like(q))


@dataclass(frozen=True)
class _Share:
    """Keys ``first .. last - 1`` of a block, and the room for what its rows leave for them: dS (R, H, C)."""

    block: _Block
    first: int
    last: int
    ds: torch.Tensor

    @classmethod
    def room_for(cls, block: _Block, first: int, last: int) -> _Share:
        """Unwritten room."""
        return cls(block, first, last, block.q.new_empty(*block.q.shape[:2], last - first))


def kl_loss_grad(call: Operands, tensors: GradTensors, *, deterministic: bool) -> None:
    """Write dq, dw and y, and add to dk, for the rows of ``call``."""
    with workers() as run:
        for wave in waves(call):
            _compute(run, call, tensors, [_Block.room_for(call, where) for where in wave], deterministic)


def _compute(run: Run, call: Operands, tensors: GradTensors, blocks: list[_Block], deterministic: bool) -> None:
    parts = [(block, rows) for block in blocks for rows in row_parts(call, block.where)]
    run_each(run, lambda part: _gather(call, tensors, *part), parts)
    for first, last in tile_bounds(max(block.where.keys for block in blocks)):
        shares = [_Share.room_for(b, first, min(last, b.where.keys)) for b in blocks if first < b.where.keys]
        by_row = [(share, rows) for share in shares for rows in row_parts(call, share.block.where)]
        run_each(run, lambda part: _rows_pass(call, tensors, *part), by_row)
        by_key = [(share, keys) for share in shares for keys in key_parts(share.block.where, share.last - share.first)]
        run_each(run, lambda part: _keys_pass(tensors.dk, *part, deterministic), by_key)
    for block in blocks:
        tensors.dq[block.where.token] = block.dq.to(tensors.dq.dtype)


def _gather(call: Operands, tensors: GradTensors, block: _Block, rows: slice) -> None:
    token, keys = block.where.token[rows], block.where.keys
    block.q[rows] = call.q[token]
    torch.nan_to_num(block.q[rows], 0, 0, 0, out=block.finite_q.values[rows])
    block.finite_q.bad[rows] = ~block.q[rows].isfinite().flatten(1).all(1)
    block.w[rows], block.lse[rows] = call.w[token], tensors.lse[token][:, None]
    seen = torch.arange(keys, device=token.device) < block.where.visible[rows]
    target = torch.where(seen, tensors.p[token, :keys], 0)
    # In parts of one size: a row's sum is the same in whatever call it comes.
    block.mass[rows] = torch.stack([part.sum(1, keepdim=True) for part in target.split(TILE_KEYS, 1)]).sum(0)


def _rows_pass(call: Operands, tensors: GradTensors, share: _Share, rows: slice) -> None:
    """Some rows against a tile of keys: writes y and dS, adds to dq, dw and the loss."""
    block, token = share.block, share.block.where.token[rows]
    w, columns = block.w[rows], slice(share.first, share.last)
    scores = tile(block.q[rows], w, block.k, block.where.visible[rows], share.first, share.last)
    seen = scores.seen
    p = torch.where(seen, tensors.p[token, columns], 0).to(w.dtype)
    y = torch.where(seen, (scores.logits - block.lse[rows]).exp(), 0)
    di = torch.where(seen, y * block.mass[rows] - p, 0)
    tensors.y[token, columns] = y.to(tensors.y.dtype)
    tensors.dw[token] += torch.matmul(scores.positive, di[..., None])[..., 0].to(tensors.dw.dtype)
    if tensors.loss is not None:
        cross = torch.where(p != 0, p * (p.log() - (scores.logits - block.lse[rows])), 0)
        tensors.loss[token] += cross.sum(1).to(tensors.loss.dtype)
    # dI * w where the score is positive, in one pass: what relu's own gradient does.
    ds = share.ds[rows]
    torch.ops.aten.threshold_backward.grad_input(di[:, None] * w[..., None], scores.positive, 0, grad_input=ds)
    if _some(~w.isfinite()):  # 0 * inf would reach the keys that the row does not see
        ds.masked_fill_(~seen[:, None], 0)
    if call.q.dtype.itemsize == 2:
        ds.copy_(round_half_away(ds, call.q.dtype))
    dq = torch.matmul(ds.flatten(0, 1), block.k.values[columns]).unflatten(0, ds.shape[:2])
    block.dq[rows] += _spoil(dq, seen, block.k.bad[columns])


def _keys_pass(dk: torch.Tensor, share: _Share, keys: slice, deterministic: bool) -> None:
    """Some keys of a tile: adds to dk what all rows of the block give."""
    block, first = share.block, share.first + keys.start
    last = share.first + keys.stop
    into = dk[block.where.k_start :][first:last]
    ds, q = share.ds[..., keys], block.finite_q.values
    if deterministic:
        for ds_row, q_row in zip(ds, q, strict=True):
            into += torch.matmul(ds_row.T, q_row)
    else:
        into += torch.matmul(ds.flatten(0, 1).T, q.flatten(0, 1))
    seen = torch.arange(first, last, device=dk.device)[:, None] < block.where.visible.T
    _spoil(into, seen, block.finite_q.bad)


def _spoil(x: torch.Tensor, seen: torch.Tensor, bad: torch.Tensor) -> torch.Tensor:
    """Set the leading elements of ``x`` that see something bad to NaN; ``seen`` (len(x), len(bad))."""
    if not _some(bad):
        return x
    hit = (seen & bad).any(1)
    return x.masked_fill_(hit.view(-1, *[1] * (x.dim() - 1)), torch.nan)


def _some(wrong: torch.Tensor) -> bool:
    """Whether anything may be wrong; another device than the host is not waited for."""
    return wrong.device.type != "cpu" or bool(wrong.any())
