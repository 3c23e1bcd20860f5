"""Which values attributes of nodes and graphs may have."""

from __future__ import annotations

from typing import Any

from cannery.core import DataType
from cannery.ge.graph.tensor import Tensor

SINGLE = (str, float, bool, DataType, int, Tensor)
LISTED = ((int, float), str)
"""A bool or a data type in a list is an integer."""


def attribute(value: Any) -> Any:
    """The value: a string, a number, a bool, a data type, a tensor, a list of numbers or of strings, or lists of them.

    Source: hicann/ge `api/python/ge/ge/graph/_attr.py` @ffdcbc9f.

    Raises:
        ValueError: it is none.
    """
    if not (_fits_list(value) if isinstance(value, (list, tuple)) else isinstance(value, SINGLE)):
        raise ValueError(f"Unsupported attribute type: {type(value)} for value: {value!r:.200}")
    return value


def _fits_list(items: list[Any] | tuple[Any, ...]) -> bool:
    if any(isinstance(item, (list, tuple)) for item in items):
        return all(isinstance(item, (list, tuple)) and _fits_list(item) for item in items)
    return any(all(isinstance(item, kind) for item in items) for kind in LISTED)
