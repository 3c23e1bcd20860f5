"""Where the fields of a tiling structure lie, for kernels that read it word by word."""

from __future__ import annotations

from typing import Any

import numpy as np


def word_of(structure: np.dtype[Any], field: str) -> int:
    """The index of a field's first 32-bit word."""
    assert structure.fields is not None
    return int(structure.fields[field][1]) // 4
