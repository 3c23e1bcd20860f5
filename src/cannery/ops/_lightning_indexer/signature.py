"""The signature of a TestSpec's functions, from the operator's definition.

By the contract of ops-test-kit (hicann/ops-test-kit `ttk/test_spec/README.md` @36750932) a golden takes the tensors by
place or name in the definition's order, the attributes by name, and whatever else the kit tells by name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature
from types import SimpleNamespace
from typing import Any, TypeVar

from cannery.operator import OperatorDefinition

T = TypeVar("T")
DEFAULT_CHIP = "Ascend950"


def takes(definition: OperatorDefinition) -> Callable[[Callable[[SimpleNamespace], T]], Callable[..., T]]:
    """Give a function of one argument the parameters of an operator; it gets them as members of that argument.

    Inputs are None and attributes have the definition's default where the caller leaves them out. ``full_soc_version``
    is a member too; the rest of what the kit tells is passed over.
    """
    signature = _signature(definition)

    def decorate(function: Callable[[SimpleNamespace], T]) -> Callable[..., T]:
        @wraps(function)
        def call(*tensors: Any, **named: Any) -> T:
            bound = signature.bind(*tensors, **named)
            bound.apply_defaults()
            return function(SimpleNamespace(**bound.arguments))

        call.__signature__ = signature  # type: ignore[attr-defined]  # what inspect reads
        return call

    return decorate


def _signature(definition: OperatorDefinition) -> Signature:
    """Inputs by place or name, then attributes by name, those that a caller has to give first among them."""
    tensors = [
        Parameter(param.name, Parameter.POSITIONAL_OR_KEYWORD, default=None if param.optional else Parameter.empty)
        for param in definition.inputs
    ]
    attributes = [
        Parameter(attribute.name, Parameter.KEYWORD_ONLY, default=attribute.default)
        for attribute in definition.attributes
    ]
    chip = Parameter("full_soc_version", Parameter.KEYWORD_ONLY, default=DEFAULT_CHIP)
    return Signature([*tensors, *attributes, chip, Parameter("rest", Parameter.VAR_KEYWORD)])
