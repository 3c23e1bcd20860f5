"""The PyTorch face: functions and modules for model code, and CANN's operators in ``torch.ops.cann_ops_transformer``.

Importing this registers the operators; what is named below is loaded when first used. Tools that stand above this face
add names to it by entry points of the group ``cannery.pytorch``: ``indexer_report``, ``row_schedules``, ``save_call``.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from cannery.pytorch import ops as ops
from cannery.pytorch.target import target as target

if TYPE_CHECKING:
    from cannery.pytorch.lightning_indexer import LightningIndexerKLLoss
    from cannery.pytorch.ragged import pad, unpad

__all__ = ["LightningIndexerKLLoss", "ops", "pad", "target", "unpad"]

GROUP = "cannery.pytorch"
_LAZY = {"LightningIndexerKLLoss": "lightning_indexer", "pad": "ragged", "unpad": "ragged"}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    for entry in entry_points(group=GROUP, name=name):
        return entry.load()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
