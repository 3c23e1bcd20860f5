"""``ge.es.all``: a function of every operator that is installed, made when it is first asked for."""

from __future__ import annotations

from cannery.ge.es.offered import operators_getattr
from cannery.operator import all_operators

__getattr__ = operators_getattr("ge.es.all")


def __dir__() -> list[str]:
    return sorted({*globals(), *all_operators()})
