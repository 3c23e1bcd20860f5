"""What the log-sum-exp must be, by the TestSpec contract of ops-test-kit: dense and in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from cannery.ops._lightning_indexer.dealing import lse_words
from cannery.ops._lightning_indexer.reference import double, pieces, scores

__spec__ = {"dense_lightning_indexer_softmax_lse": "DenseLightningIndexerSoftmaxLseSpec"}


class DenseLightningIndexerSoftmaxLseSpec:
    """Golden, comparison and data of the operator."""

    tolerance = {"float32": {"standard": "mix_tolerance"}}

    @staticmethod
    def golden(
        query_index: Any,
        key_index: Any,
        weight: Any,
        cu_seqlens_q: Any = None,
        cu_seqlens_k: Any = None,
        seqused_q: Any = None,
        seqused_k: Any = None,
        cmp_residual_k: Any = None,
        metadata: Any = None,
        *,
        layout_q: str = "BSND",
        layout_k: str = "BSND",
        mask_mode: int = 0,
        cmp_ratio: int = 1,
        **kwargs: Any,
    ) -> list[np.ndarray]:
        """float32, (1, T) or (B, 1, S); -inf where nothing is seen."""
        lengths = (cu_seqlens_q, cu_seqlens_k, seqused_q, seqused_k, cmp_residual_k)
        q, k, w = (double(x) for x in (query_index, key_index, weight))
        shape = (1, q.shape[0]) if layout_q == "TND" else (q.shape[0], 1, q.shape[1])
        flat_q, flat_k, flat_w = q.flatten(0, -3), k.flatten(0, -2), w.flatten(0, -2)
        lse = torch.full(flat_w.shape[:1], -torch.inf, dtype=torch.float64)
        for piece in pieces(q, k, lengths, layout_q, layout_k, mask_mode, cmp_ratio):
            logits = scores(flat_q[piece.rows], flat_k[piece.keys], flat_w[piece.rows])
            lse[piece.rows] = logits.masked_fill(~piece.mask, -torch.inf).logsumexp(1)
        return [lse.reshape(shape).numpy().astype(np.float32)]

    @staticmethod
    def customize_inputs(
        query_index: Any,
        key_index: Any,
        weight: Any,
        cu_seqlens_q: Any = None,
        cu_seqlens_k: Any = None,
        seqused_q: Any = None,
        seqused_k: Any = None,
        cmp_residual_k: Any = None,
        metadata: Any = None,
        *,
        layout_q: str = "BSND",
        full_soc_version: str = "Ascend950",
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """Offsets in ascending order, from 0 to the end of their tensor; the metadata of the call."""
        offsets: list[Any] = [ends if ends is None else np.sort(ends) for ends in (cu_seqlens_q, cu_seqlens_k)]
        total = int(offsets[0][-1]) if layout_q == "TND" else query_index.shape[0] * query_index.shape[1]
        dealt = lse_words(total, full_soc_version)
        return (query_index, key_index, weight, *offsets, seqused_q, seqused_k, cmp_residual_k, dealt)
