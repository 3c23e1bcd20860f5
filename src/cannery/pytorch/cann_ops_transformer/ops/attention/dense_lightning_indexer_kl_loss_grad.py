"""The operator and the one that plans its work."""

from __future__ import annotations

import torch

from cannery.pytorch.ops import NAMESPACE

_OPS = getattr(torch.ops, NAMESPACE)
dense_lightning_indexer_kl_loss_grad = _OPS.dense_lightning_indexer_kl_loss_grad
dense_lightning_indexer_kl_loss_grad_metadata = _OPS.dense_lightning_indexer_kl_loss_grad_metadata

__all__ = ["dense_lightning_indexer_kl_loss_grad", "dense_lightning_indexer_kl_loss_grad_metadata"]
