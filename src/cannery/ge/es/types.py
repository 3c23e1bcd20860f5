"""Kinds of graph inputs."""

from __future__ import annotations

from enum import Enum

__all__ = ["InputType"]


class InputType(str, Enum):
    """The type of an input's node. Only DATA and REF_DATA can be used here; nothing writes to either."""

    DATA = "Data"
    REF_DATA = "RefData"
    AIPP_DATA = "AippData"
    ANY_DATA = "AnyData"
