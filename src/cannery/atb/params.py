"""Parameter structures, derived from the operators' definitions.

``UnpadWithHiddenStateParam(qSeqLen=[3, 5], maxSeqLen=8)`` has the members of the original's structure with their
defaults. Two are equal when all but the reserved bytes are, as in the original.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import field, make_dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from cannery.atb.adapted import as_atb
from cannery.operator import ATB, Attribute, AttrType, Operator, OperatorDefinition, all_operators
from cannery.operator.context import CallContext

SUFFIX = "Param"
_TYPES: Mapping[AttrType, type] = MappingProxyType(
    {AttrType.INT: int, AttrType.FLOAT: float, AttrType.BOOL: bool, AttrType.STRING: str, AttrType.LIST_INT: list}
)


def param_classes() -> dict[str, type]:
    """Every parameter class by name."""
    return {name: _param_class(operator) for name, operator in atb_operators().items()}


def atb_operators() -> dict[str, Operator]:
    """The operators that are ATB's or have its face, by the name of their parameter class."""
    return {operator.name + SUFFIX: as_atb(operator) for operator in all_operators().values() if is_offered(operator)}


def find_class(name: str) -> type | None:
    """The parameter class of that name; None when there is none."""
    operator = _operator_named(name)
    return None if operator is None else _param_class(operator)


def is_offered(operator: Operator) -> bool:
    """Whether ATB has the operator."""
    return operator.definition.contract is ATB or "atb" in operator.definition.faces


def spelling(operator: Operator) -> str:
    """How a program of torch_atb calls an operator; empty for one that is not ATB's."""
    if not is_offered(operator):
        return ""
    members = ", ".join(attr.snake_name for attr in operator.definition.attributes if not attr.internal)
    return f"torch_atb.Operation(torch_atb.{operator.name}{SUFFIX}({members})).forward([…])"


@cache
def _param_class(operator: Operator) -> type:
    definition = operator.definition
    name = definition.name + SUFFIX
    fields = [(attr.name, _TYPES[attr.type], _field(attr)) for attr in definition.attributes]
    namespace = {"__doc__": _doc(definition), "__module__": "cannery.atb"}
    return make_dataclass(name, fields, namespace=namespace)


def operator_of(param: Any) -> Operator | None:
    """The operator that takes this parameter; None when there is none."""
    found = _operator_named(type(param).__name__)
    return found if found is not None and type(param) is _param_class(found) else None


def attributes_of(param: Any, *, reserved: bool = True) -> dict[str, Any]:
    """The members by name; without ``reserved``, only those that a user sets."""
    operator = operator_of(param)
    assert operator is not None
    attributes = operator.definition.attributes
    return {attr.name: getattr(param, attr.name) for attr in attributes if reserved or not attr.internal}


def param_of(operator: Operator, call: CallContext) -> Any:
    """The parameter that says what a bound call does."""
    attributes = operator.definition.attributes
    values = {attr.name: _plain(call.attrs[attr.name]) for attr in attributes if not attr.internal}
    return _param_class(operator)(**values)


def copy_of(param: Any) -> Any:
    """A copy that shares nothing."""
    return deepcopy(param)


def _operator_named(name: str) -> Operator | None:
    """The one of ``atb_operators``, without going through all of them."""
    operator = all_operators().get(name.removesuffix(SUFFIX)) if name.endswith(SUFFIX) else None
    return as_atb(operator) if operator is not None and is_offered(operator) else None


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _field(attr: Attribute) -> Any:
    default = _plain(attr.default)
    if isinstance(default, list):
        return field(default_factory=lambda: list(default), compare=not attr.internal, repr=not attr.internal)
    return field(default=default, compare=not attr.internal, repr=not attr.internal)


def _doc(definition: OperatorDefinition) -> str:
    members = [f"    {attr.name}: {attr.doc} {attr.limits}." for attr in definition.attributes if not attr.internal]
    return "\n".join((definition.summary, "", "Attributes:", *members)) if members else definition.summary
