"""What an operator's author may write: fields held against rules when they are constructed."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any

from cannery.core import Refusal


class DefinitionError(Refusal, ValueError):
    """A definition that cannot be used. The parameter names the operator and the field."""


@dataclass(frozen=True)
class Rule:
    """What a field must hold: ``expected`` says it in words."""

    field: str
    holds: Callable[[Any], bool]
    expected: str


def hold(where: str, record: object, rules: Iterable[Rule]) -> None:
    """Check the fields of a record, in order; ``where`` names the record.

    Raises:
        DefinitionError: the first field that does not hold.
    """
    for rule in rules:
        hold_value(f"{where}: {rule.field}", getattr(record, rule.field), rule.holds, rule.expected)


def hold_value(what: str, value: object, holds: Callable[[Any], bool], expected: str) -> None:
    """Check one value.

    Raises:
        DefinitionError: it does not hold.
    """
    if not holds(value):
        raise DefinitionError(what, reprlib.repr(value), expected)


def hold_unique(where: str, field: str, names: Sequence[str]) -> None:
    """Check that no name stands twice.

    Raises:
        DefinitionError: naming the first that does.
    """
    twice = next((name for index, name in enumerate(names) if name in names[:index]), None)
    if twice is not None:
        raise DefinitionError(f"{where}: {field}", f"{twice!r} twice", "each name once")


def is_name(value: object) -> bool:
    """Whether Python and C can spell it."""
    return isinstance(value, str) and value.isascii() and value.isidentifier() and not iskeyword(value)


def is_function_or_none(value: object) -> bool:
    """Whether it can be called, or is not there."""
    return value is None or callable(value)


def is_a(*kinds: type) -> Callable[[Any], bool]:
    """A rule: an instance of one of these."""
    return lambda value: isinstance(value, kinds)


def is_tuple_of(kind: type, least: int = 0) -> Callable[[Any], bool]:
    """A rule: a tuple of such members, ``least`` or more."""
    return lambda value: (
        isinstance(value, tuple) and len(value) >= least and all(isinstance(member, kind) for member in value)
    )
