"""The older place of the operator: a module that is the function as well, as both have this name in ``ops``."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from cannery.pytorch.cann_ops_transformer.ops.attention import dense_lightning_indexer_kl_loss_grad as _place

dense_lightning_indexer_kl_loss_grad = _place.dense_lightning_indexer_kl_loss_grad
dense_lightning_indexer_kl_loss_grad_metadata = _place.dense_lightning_indexer_kl_loss_grad_metadata

__all__ = ["dense_lightning_indexer_kl_loss_grad", "dense_lightning_indexer_kl_loss_grad_metadata"]


class _FunctionModule(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return dense_lightning_indexer_kl_loss_grad(*args, **kwargs)


sys.modules[__name__].__class__ = _FunctionModule
