"""The operators as functions: ``from cann_ops_transformer.ops import dense_lightning_indexer_kl_loss_grad``."""

from __future__ import annotations

import torch

from cannery.pytorch.ops import NAMESPACE

_OPS = getattr(torch.ops, NAMESPACE)

dense_lightning_indexer_kl_loss_grad = _OPS.dense_lightning_indexer_kl_loss_grad
dense_lightning_indexer_kl_loss_grad_metadata = _OPS.dense_lightning_indexer_kl_loss_grad_metadata
dense_lightning_indexer_softmax_lse = _OPS.dense_lightning_indexer_softmax_lse
dense_lightning_indexer_softmax_lse_metadata = _OPS.dense_lightning_indexer_softmax_lse_metadata

__all__ = [
    "dense_lightning_indexer_kl_loss_grad",
    "dense_lightning_indexer_kl_loss_grad_metadata",
    "dense_lightning_indexer_softmax_lse",
    "dense_lightning_indexer_softmax_lse_metadata",
]
