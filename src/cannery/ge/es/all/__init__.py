"""``ge.es.all``: a function of every operator that is installed, made when it is first asked for."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from cannery.ge.es.functions import operator_function
from cannery.operator import all_operators


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return list(all_operators())
    if not name[:1].isupper():  # no operator's name, but one that pickle asks every module for, for example
        raise AttributeError(f"module 'ge.es.all' has no attribute {name!r}")
    operators = all_operators()
    if name not in operators:
        near = get_close_matches(name, operators, n=2) or list(operators)
        raise NotImplementedError(f"ge.es.all.{name}: found no such operator, expected one of {', '.join(near)}")
    globals()[name] = operator_function(operators[name])
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *all_operators()})
