"""Which names a kernel uses, itself or through the functions that it calls."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any


def names(function: FunctionType, name: str) -> bool:
    """Whether a function, or one that it can call, names something so."""
    waiting, seen = [function], set[FunctionType]()
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        used = set(_used(current.__code__))
        if name in used:
            return True
        waiting += _functions(current, used)
    return False


def _used(code: CodeType) -> Iterator[str]:
    """Names of globals and attributes in a body and in the bodies inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _used(constant)


def _functions(function: FunctionType, used: set[str]) -> Iterator[FunctionType]:
    found: list[Any] = [function.__globals__[name] for name in used if name in function.__globals__]
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:  # the name is bound later, or never
            continue
    for module in [value for value in found if isinstance(value, ModuleType)]:
        found += [vars(module)[name] for name in used if name in vars(module)]
    for value in found:
        inner = getattr(value, "__wrapped__", value)
        if isinstance(inner, FunctionType) and not inner.__module__.startswith("cannery."):
            yield inner
