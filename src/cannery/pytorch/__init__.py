"""The PyTorch face: functions and modules for model code, and CANN's operators in ``torch.ops.cann_ops_transformer``.

Importing this registers the operators; what is named below is loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cannery.pytorch import ops as ops
from cannery.pytorch.target import target as target

if TYPE_CHECKING:
    from cannery.pytorch.doctor import indexer_report, save_call
    from cannery.pytorch.lightning_indexer import LightningIndexerKLLoss
    from cannery.pytorch.ragged import pad, unpad
    from cannery.pytorch.schedules import row_schedules

__all__ = [
    "LightningIndexerKLLoss",
    "indexer_report",
    "ops",
    "pad",
    "row_schedules",
    "save_call",
    "target",
    "unpad",
]

_LAZY = {
    **dict.fromkeys(("pad", "unpad"), "ragged"),
    **dict.fromkeys(("LightningIndexerKLLoss",), "lightning_indexer"),
    **dict.fromkeys(("indexer_report", "save_call"), "doctor"),
    **dict.fromkeys(("row_schedules",), "schedules"),
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
