"""Checks as tables: what must hold, what was found, what was expected; the first rule that fails is the error."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from cannery.core import Stage
from cannery.operator import CallContext

C = TypeVar("C")


@dataclass(frozen=True)
class Rule(Generic[C]):
    """One condition on a call.

    Attributes:
        parameter: the input, output or attribute at fault when it fails.
        holds: the condition.
        found: what the call has, for the error.
        expected: what would be accepted, in words or worked out from the call.
    """

    parameter: str
    holds: Callable[[C], bool]
    found: Callable[[C], Any]
    expected: str | Callable[[C], Any]


def judge(context: CallContext, stage: Stage, rules: Iterable[Rule[C]], call: C) -> None:
    """Raise the error of the first rule that does not hold.

    Raises:
        OperatorError: with the stage's code of the operator's contract.
    """
    for rule in rules:
        if not rule.holds(call):
            expected = rule.expected if isinstance(rule.expected, str) else rule.expected(call)
            raise context.error(stage, rule.parameter, rule.found(call), expected)
