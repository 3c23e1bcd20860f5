"""The operator and the one that plans its work."""

from __future__ import annotations

import torch

from cannery.pytorch.ops import NAMESPACE

_OPS = getattr(torch.ops, NAMESPACE)
dense_lightning_indexer_softmax_lse = _OPS.dense_lightning_indexer_softmax_lse
dense_lightning_indexer_softmax_lse_metadata = _OPS.dense_lightning_indexer_softmax_lse_metadata

__all__ = ["dense_lightning_indexer_softmax_lse", "dense_lightning_indexer_softmax_lse_metadata"]
