"""An operator computes in the precision that its contract says, whatever the caller's autocast is set to."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def own_precision(device: torch.device) -> AbstractContextManager[object]:
    """A block in which autocast is off for ``device``: else it would turn float32 products inside into 16-bit ones."""
    import torch

    kind = device.type
    if torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind):
        return torch.autocast(kind, enabled=False)
    return nullcontext()
