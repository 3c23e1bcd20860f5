"""PyTorch, where something has loaded it: that takes a second, which a program that does not use it need not wait."""

from __future__ import annotations

import sys
from typing import Any


def is_torch(value: object, kind: str) -> bool:
    """Whether a value is of ``torch.<kind>``. Nothing is before torch is loaded."""
    found: Any = getattr(sys.modules.get("torch"), kind, None)
    return found is not None and isinstance(value, found)
