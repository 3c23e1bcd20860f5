"""The operator and the one that plans its work."""

from __future__ import annotations

from cannery.pytorch.ops import function

dense_lightning_indexer_softmax_lse = function("dense_lightning_indexer_softmax_lse")
dense_lightning_indexer_softmax_lse_metadata = function("dense_lightning_indexer_softmax_lse_metadata")

__all__ = ["dense_lightning_indexer_softmax_lse", "dense_lightning_indexer_softmax_lse_metadata"]
