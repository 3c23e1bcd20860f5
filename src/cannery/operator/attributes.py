"""Attributes as callers spell them, turned into what the stages read."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

import numpy as np

from cannery.core import INT64_MAX, DataType, OperatorError, Stage
from cannery.core.loaded import is_torch
from cannery.operator.definition import Attribute, AttrType, OperatorDefinition


def bind_attributes(definition: OperatorDefinition, given: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Every attribute by its original name, converted and with defaults; None means absent.

    Raises:
        OperatorError: at stage check: an unknown, missing or doubly given attribute, or a value of another type.
    """
    if given is not None and not isinstance(given, (dict, Mapping)):
        raise _error(definition, "attributes", type(given).__name__, "a mapping from attribute name to value")
    values: dict[str, Any] = {}
    for name, value in (given or {}).items():
        attribute = _known(definition, name)
        if attribute.name in values:
            raise _error(definition, attribute.name, "it twice, in two spellings", "it once")
        if value is not None:
            values[attribute.name] = _convert(definition, attribute, value)
    missing = [attr.name for attr in definition.attributes if attr.required and attr.name not in values]
    if missing:
        raise _error(definition, missing[0], "nothing", f"a {_type_of(definition, missing[0])}, which is required")
    return MappingProxyType({attr.name: values.get(attr.name, attr.default) for attr in definition.attributes})


def _known(definition: OperatorDefinition, name: object) -> Attribute:
    attribute = definition.attribute(name) if isinstance(name, str) else None
    if attribute is not None:
        return attribute
    names = [attr.name for attr in definition.attributes if not attr.internal]
    near = get_close_matches(str(name), names, n=1)
    hint = f"{near[0]!r}" if near else f"one of {', '.join(names) or 'none, it has no attributes'}"
    raise _error(definition, "attributes", repr(name), hint)


def _type_of(definition: OperatorDefinition, name: str) -> str:
    attribute = definition.attribute(name)
    return attribute.type.value if attribute else ""


def _convert(definition: OperatorDefinition, attribute: Attribute, value: Any) -> Any:
    try:
        return _CONVERTERS[attribute.type](value)
    except (TypeError, ValueError) as failure:
        raise _error(definition, attribute.name, failure, _WANTED[attribute.type]) from None


def _integer(value: Any) -> int:
    if type(value) is not int and _is_truth(value):
        raise TypeError(repr(value))
    try:
        number = operator.index(value)
    except (TypeError, RuntimeError):
        raise TypeError(repr(value)) from None
    if not -INT64_MAX - 1 <= number <= INT64_MAX:
        raise ValueError(f"{number}, which does not fit int64")
    return number


def _is_truth(value: Any) -> bool:
    """Whether it is a bool, which Python and torch would take for an integer."""
    if is_torch(value, "Tensor"):
        return DataType.of(value.dtype) is DataType.DT_BOOL
    return isinstance(value, (bool, np.bool_))


def _float(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(repr(value))
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{value!r:.40}…, which does not fit a float") from None
    if math.isnan(number):
        raise TypeError(repr(value))
    return number


def _bool(value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(repr(value))
    return bool(value)


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(repr(value))
    return value


def _integers(value: Any) -> tuple[int, ...]:
    if isinstance(value, (list, tuple)):
        return tuple(_integer(item) for item in value)
    is_tensor = is_torch(value, "Tensor")
    if is_tensor and value.is_meta:
        raise TypeError("a tensor without data")
    if is_tensor or isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise TypeError(repr(value))
    return tuple(_integer(item) for item in value)


_CONVERTERS: Mapping[AttrType, Callable[[Any], Any]] = MappingProxyType(
    {
        AttrType.INT: _integer,
        AttrType.FLOAT: _float,
        AttrType.BOOL: _bool,
        AttrType.STRING: _string,
        AttrType.LIST_INT: _integers,
    }
)
_WANTED = MappingProxyType(
    {
        AttrType.INT: "an integer",
        AttrType.FLOAT: "a number",
        AttrType.BOOL: "True or False",
        AttrType.STRING: "a string",
        AttrType.LIST_INT: "a flat list of integers",
    }
)


def _error(definition: OperatorDefinition, parameter: str, found: object, expected: object) -> OperatorError:
    code = definition.contract.codes[Stage.CHECK]
    return OperatorError(Stage.CHECK, definition.name, parameter, found, expected, code)
