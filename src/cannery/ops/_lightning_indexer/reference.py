"""The indexer written out densely in float64, for goldens: no tiles, no prefixes, the mask as the inequality it is.

Shares nothing with the engines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch


@dataclass(frozen=True)
class Piece:
    """One batch.

    Attributes:
        rows, keys: its used rows and keys, as slices of the flattened tensors.
        mask: (rows, keys) bool, which key each row sees.
    """

    rows: slice
    keys: slice
    mask: torch.Tensor


def double(x: Any) -> torch.Tensor:
    """Any array as a float64 tensor of its own."""
    return torch.from_numpy(np.array(x, np.float64)) if not isinstance(x, torch.Tensor) else x.detach().double().clone()


def lengths_of(call: SimpleNamespace) -> tuple[Any, ...]:
    """Both cu_seqlens in ascending order, both seqused, cmp_residual_k, or None each, as data of a case are drawn."""
    ends = (call.cu_seqlens_q, call.cu_seqlens_k)
    drawn = (None if offsets is None else np.sort(offsets) for offsets in ends)
    return (*drawn, call.seqused_q, call.seqused_k, call.cmp_residual_k)


def pieces(q: Any, k: Any, call: SimpleNamespace) -> Iterator[Piece]:
    """The batches of a call."""
    used_q, used_k, residual = call.seqused_q, call.seqused_k, call.cmp_residual_k
    ends_q, ends_k = _ends(q, call.cu_seqlens_q, call.layout_q), _ends(k, call.cu_seqlens_k, call.layout_k)
    for b in range(len(ends_q) - 1):
        n_q = ends_q[b + 1] - ends_q[b] if used_q is None else int(used_q[b])
        n_k = ends_k[b + 1] - ends_k[b] if used_k is None else int(used_k[b])
        row, key = torch.arange(n_q)[:, None], torch.arange(n_k)
        left_over = 0 if residual is None else int(residual[b])
        seen = (key + 1) * call.cmp_ratio <= n_k * call.cmp_ratio + left_over + (row + 1) - n_q
        yield Piece(
            slice(ends_q[b], ends_q[b] + n_q),
            slice(ends_k[b], ends_k[b] + n_k),
            seen if call.mask_mode == 3 else torch.ones_like(seen),
        )


def scores(q: torch.Tensor, k: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """I (rows, keys) of q (rows, H, D), k (keys, D), w (rows, H)."""
    return torch.einsum("th,thj->tj", w, torch.einsum("thd,jd->thj", q, k).relu())


def _ends(tensor: Any, cu: Any, layout: str) -> list[int]:
    if layout == "TND":
        return [int(end) for end in cu]
    return [b * tensor.shape[1] for b in range(tensor.shape[0] + 1)]
