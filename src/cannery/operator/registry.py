"""The operators there are: everything the entry-point group ``cannery.operators`` names, ours and third parties'.

An entry point is an ``Operator``, an iterable of them, or a function that returns one.
"""

from __future__ import annotations

import copyreg
import pickle
import warnings
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any

from cannery.operator.context import Operator

GROUP = "cannery.operators"


class UnknownOperatorError(ValueError):
    """No operator has that name; the message lists the nearest ones."""


@cache
def all_operators() -> Mapping[str, Operator]:
    """Every operator by CANN's type, sorted by it. A broken third-party entry point is warned about and left out."""
    found: dict[str, Operator] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda e: (e.value != "cannery.ops:operators", e.name)):
        for operator in _load(entry):
            if operator.name in found:
                warnings.warn(f"operator {operator.name} of {entry.value} is already there: left out", stacklevel=2)
                continue
            found[operator.name] = operator
    return MappingProxyType(dict(sorted(found.items())))


def find_operator(name: str) -> Operator:
    """The operator of that CANN type ("UpdateTensorDesc"), snake name or ATB name ("…Operation").

    Raises:
        UnknownOperatorError: there is none.
    """
    operators = all_operators()
    if not isinstance(name, str):
        raise UnknownOperatorError(f"operator: found {name!r}, expected a name such as 'UpdateTensorDesc'")
    for candidate in (name, name.removesuffix("Operation")):
        if candidate in operators:
            return operators[candidate]
    by_snake = {operator.definition.snake_name: operator for operator in operators.values()}
    if name in by_snake:
        return by_snake[name]
    nearest = get_close_matches(name, [*operators, *by_snake], n=3, cutoff=0.4) or list(operators)
    raise UnknownOperatorError(f"operator: found {name!r}, expected a known one; the nearest are {', '.join(nearest)}")


def _by_name(operator: Operator) -> tuple[Callable[[str], Operator], tuple[str]]:
    """An operator is pickled as a function is: by its name, which the other process looks up."""
    if all_operators().get(operator.name) is not operator:
        raise pickle.PicklingError(
            f"operator {operator.name}: found one that no entry point of {GROUP} names, expected a registered one"
        )
    return find_operator, (operator.name,)


copyreg.pickle(Operator, _by_name)


def _load(entry: EntryPoint) -> Iterable[Operator]:
    try:
        return _as_operators(entry.load())
    except Exception as failure:
        if entry.value == "cannery.ops:operators":
            raise
        warnings.warn(f"entry point {entry.name} = {entry.value} of {GROUP} was left out: {failure}", stacklevel=3)
        return ()


def _as_operators(loaded: Any) -> tuple[Operator, ...]:
    if callable(loaded):
        loaded = loaded()
    operators = (loaded,) if isinstance(loaded, Operator) else tuple(loaded)
    stranger = next((item for item in operators if not isinstance(item, Operator)), None)
    if stranger is not None:
        raise TypeError(f"found {type(stranger).__name__}, expected cannery.operator.Operator")
    return operators
