"""What the log-sum-exp must be, by the TestSpec contract of ops-test-kit: dense and in float64."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from cannery.ops._lightning_indexer.dealing import batch_lengths, lse_words
from cannery.ops._lightning_indexer.reference import double, lengths_of, pieces, scores
from cannery.ops._lightning_indexer.signature import takes
from cannery.ops.dense_lightning_indexer_softmax_lse.definition import DEFINITION

__spec__ = {"dense_lightning_indexer_softmax_lse": "DenseLightningIndexerSoftmaxLseSpec"}


class DenseLightningIndexerSoftmaxLseSpec:
    """Golden, comparison and data of the operator."""

    tolerance = {"float32": {"standard": "mix_tolerance"}}

    @staticmethod
    @takes(DEFINITION)
    def golden(call: SimpleNamespace) -> list[np.ndarray]:
        """float32, (1, T) or (B, 1, S); -inf where nothing is seen."""
        q, k, w = (double(x) for x in (call.query_index, call.key_index, call.weight))
        shape = (1, q.shape[0]) if call.layout_q == "TND" else (q.shape[0], 1, q.shape[1])
        flat_q, flat_k, flat_w = q.flatten(0, -3), k.flatten(0, -2), w.flatten(0, -2)
        lse = torch.full(flat_w.shape[:1], -torch.inf, dtype=torch.float64)
        for piece in pieces(q, k, call):
            logits = scores(flat_q[piece.rows], flat_k[piece.keys], flat_w[piece.rows])
            lse[piece.rows] = logits.masked_fill(~piece.mask, -torch.inf).logsumexp(1)
        return [lse.reshape(shape).numpy().astype(np.float32)]

    @staticmethod
    @takes(DEFINITION)
    def customize_inputs(call: SimpleNamespace) -> tuple[Any, ...]:
        """Offsets in ascending order, from 0 to the end of their tensor; the metadata of the call."""
        lengths, q = lengths_of(call), call.query_index
        rows = batch_lengths(call.seqused_q, lengths[0], call.layout_q, *q.shape[:2])
        return (q, call.key_index, call.weight, *lengths, lse_words(sum(rows), call.full_soc_version))
