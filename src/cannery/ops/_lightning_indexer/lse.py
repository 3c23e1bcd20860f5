"""The log-sum-exp of the indexer's scores, in tile-sized memory on any device.

Source of the contract: ``recursion-ascend/ops-transformer``, ``attention/dense_lightning_indexer_softmax_lse_v2``,
    a093e95.
"""

from __future__ import annotations

import torch
from typing_extensions import Unpack

from cannery.ops._lightning_indexer.engine import has_kernels
from cannery.ops._lightning_indexer.operands import Geometry, Operands, check, layout, operands
from cannery.ops._lightning_indexer.score import Finite, RowBlock, row_parts, tile, tile_bounds, waves, working_keys
from cannery.ops._threads.workers import run_each, workers


def softmax_lse(
    q: torch.Tensor,
    k: torch.Tensor,
    w: torch.Tensor,
    *,
    fill: float | None = -torch.inf,
    out: torch.Tensor | None = None,
    **geometry: Unpack[Geometry],
) -> torch.Tensor:
    """``max(I) + log(sum(exp(I - max(I))))`` over the keys each row sees, ``I[j] = sum_h w[h] * relu(q[h] . k[j])``.

    Args:
        q: (T, H, D) for TND, (B, S, H, D) for BSND; float16, bfloat16, float32 or float64.
        k: (T2, 1, D) or (B, S2, 1, D), dtype of q; already compressed when cmp_ratio > 1.
        w: (T, H) or (B, S, H); float32, float64 with float64 queries.
        fill: what rows that are not computed or see nothing get; None leaves them as ``out`` has them.
        out: where to write, of the returned shape and dtype.
        geometry: layouts, lengths, mask and rows, see ``Geometry``.

    Returns:
        (1, T) for TND, (B, 1, S) for BSND, dtype of w, natural logarithm.

    Raises:
        ArgumentError: an argument that does not fit the others; nothing is written.
    """
    call = operands(q, k, w, geometry)
    shape = (1, q.shape[0]) if layout(geometry, "q") == "TND" else (q.shape[0], 1, q.shape[1])
    if out is None:
        out = w.new_empty(shape)
    check("out", out, call.precision, shape)
    lse = out.detach().flatten().clone() if fill is None else w.new_full(call.w.shape[:1], fill)
    write_lse(call, lse)
    return out.copy_(lse.view(shape))


def write_lse(call: Operands, lse: torch.Tensor) -> None:
    """Write ``lse`` (T,) where a row of ``call`` has work."""
    if has_kernels(call.q):
        from cannery.ops._lightning_indexer.cpu.driver import softmax_lse as compiled

        compiled(call, lse)
        return
    with workers() as run:
        for wave in waves(call):
            keyed = [(block, working_keys(call, block)) for block in wave]
            parts = [(block, k, rows) for block, k in keyed for rows in row_parts(call, block)]
            run_each(run, lambda part: _write_rows(call, lse, *part), parts)


def _write_rows(call: Operands, lse: torch.Tensor, block: RowBlock, k: Finite, rows: slice) -> None:
    token, visible = block.token[rows], block.visible[rows]
    q, w = call.q[token].to(call.working), call.w[token].to(call.working)
    tiles = (tile(q, w, k, visible, *bounds) for bounds in tile_bounds(block.keys))
    parts = [part.logits.masked_fill(~part.seen, -torch.inf).logsumexp(1) for part in tiles]
    lse[token] = torch.stack(parts).logsumexp(0).to(lse.dtype)
