"""The operators that packages of ``ge.es`` have: those that are installed, whatever repository they come from."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import cache
from typing import Any

from cannery.ge.es.functions import operator_function
from cannery.operator import Operator, all_operators


def operators_getattr(module: str) -> Callable[[str], Any]:
    """``__getattr__`` of a package: a function of every operator that is installed; others are refused by name.

    The original generates a package for each repository of operators. Here all of them have the same operators.
    """

    def get(name: str) -> Any:
        if name == "__all__":
            return list(all_operators())
        if not name[:1].isupper():  # no operator's name, but one that pickle asks every module for, for example
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        operators = all_operators()
        if name not in operators:
            near = get_close_matches(name, operators, n=2) or list(operators)
            raise NotImplementedError(f"{module}.{name}: found no such operator, expected one of {', '.join(near)}")
        return _function(operators[name])

    return get


@cache
def _function(operator: Operator) -> Callable[..., Any]:
    return operator_function(operator)
