"""The operator and the one that plans its work."""

from __future__ import annotations

from cannery.pytorch.ops import function

dense_lightning_indexer_kl_loss_grad = function("dense_lightning_indexer_kl_loss_grad")
dense_lightning_indexer_kl_loss_grad_metadata = function("dense_lightning_indexer_kl_loss_grad_metadata")

__all__ = ["dense_lightning_indexer_kl_loss_grad", "dense_lightning_indexer_kl_loss_grad_metadata"]
