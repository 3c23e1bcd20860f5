"""``ge.graph.Operator``."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["Operator"]


class Operator:
    """What the original hands to the callbacks of custom operators; it cannot be constructed, there or here."""

    def __new__(cls, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError("Operator: it is only given to callbacks of custom operators, which cannery does not have")
