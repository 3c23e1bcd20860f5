"""The operators as functions: ``from cann_ops_transformer.ops import dense_lightning_indexer_kl_loss_grad``."""

from __future__ import annotations

from typing import Any

from cannery.pytorch.ops import function, torch_operators


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return torch_operators()
    if name in torch_operators():
        return function(name)
    raise AttributeError(f"module 'cann_ops_transformer.ops' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *torch_operators()})
