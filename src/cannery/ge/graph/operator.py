"""``ge.graph.Operator``."""

from __future__ import annotations

from typing import NoReturn

from cannery.core.published import module_getattr, with_published

__all__ = ["Operator"]


@with_published("cannery.ge", "ge.graph.Operator", "cannery has no callbacks of custom operators")
class Operator:
    """What the original hands to the callbacks of custom operators; it cannot be constructed, there or here."""

    def __new__(cls, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError("Operator: it is only given to callbacks of custom operators, which cannery does not have")


__getattr__ = module_getattr("cannery.ge", "ge.graph.operator", "it is not of use without the original's library")
