"""The older place of the operator: a module that is the function as well, as both have this name in ``ops``."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from cannery.pytorch.cann_ops_transformer.ops.attention import dense_lightning_indexer_softmax_lse_v2 as _place

dense_lightning_indexer_softmax_lse = _place.dense_lightning_indexer_softmax_lse
dense_lightning_indexer_softmax_lse_metadata = _place.dense_lightning_indexer_softmax_lse_metadata

__all__ = ["dense_lightning_indexer_softmax_lse", "dense_lightning_indexer_softmax_lse_metadata"]


class _FunctionModule(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return dense_lightning_indexer_softmax_lse(*args, **kwargs)


sys.modules[__name__].__class__ = _FunctionModule
