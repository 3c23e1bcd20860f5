"""The operators as functions: ``from cann_ops_transformer.ops import dense_lightning_indexer_kl_loss_grad``."""

from __future__ import annotations

from cannery.pytorch.cann_ops_transformer.ops.attention.dense_lightning_indexer_kl_loss_grad import (
    dense_lightning_indexer_kl_loss_grad,
    dense_lightning_indexer_kl_loss_grad_metadata,
)
from cannery.pytorch.cann_ops_transformer.ops.attention.dense_lightning_indexer_softmax_lse_v2 import (
    dense_lightning_indexer_softmax_lse,
    dense_lightning_indexer_softmax_lse_metadata,
)

__all__ = [
    "dense_lightning_indexer_kl_loss_grad",
    "dense_lightning_indexer_kl_loss_grad_metadata",
    "dense_lightning_indexer_softmax_lse",
    "dense_lightning_indexer_softmax_lse_metadata",
]
