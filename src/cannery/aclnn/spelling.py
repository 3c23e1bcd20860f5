"""How Python spells a C function of aclnn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import index
from types import MappingProxyType
from typing import Any

from cannery.runtime import Call, process
from cannery.runtime.prototype import Kind, Parameter
from cannery.runtime.values import CONVERTERS, to_address, to_text


def spelled(call: Call) -> Callable[..., Any]:
    """The call as a function: ``(status, values …)``, a bare status, or the bare handle of a creator."""
    parse = _parser(call)
    shape = _returns_status_and_values if call.prototype.outputs else _returns_status
    if not call.prototype.returns_status:
        shape = _returns_value

    def function(*arguments: Any) -> Any:
        return shape(*call.invoke(process(), parse(arguments)))

    function.__name__ = function.__qualname__ = call.name
    function.__doc__ = call.prototype.c
    return function


def _returns_status_and_values(status: int, values: tuple[Any, ...]) -> Any:
    return (status, *values)


def _returns_status(status: int, values: tuple[Any, ...]) -> Any:
    return status


def _returns_value(status: int, values: tuple[Any, ...]) -> Any:
    return values[0] if values else 0


def _parser(call: Call) -> Callable[[Sequence[Any]], list[Any]]:
    """What turns the arguments into one value an input.

    It raises TypeError for a wrong number of arguments, or one of another type.
    """
    inputs = call.prototype.inputs
    converters = [_converter(parameter) for parameter in inputs]
    length_in_c = sum(1 + parameter.is_counted for parameter in inputs)

    def parse(arguments: Sequence[Any]) -> list[Any]:
        if len(arguments) == length_in_c != len(inputs):
            arguments = _without_lengths(inputs, arguments)
        if len(arguments) != len(inputs):
            names = ", ".join(parameter.name for parameter in inputs)
            raise TypeError(f"{call.name}: found {len(arguments)} arguments, expected {len(inputs)}: {names}")
        try:
            return [convert(value) for convert, value in zip(converters, arguments, strict=True)]
        except TypeError:
            raise _wrong_type(call.name, inputs, arguments) from None

    return parse


def _without_lengths(inputs: Sequence[Parameter], arguments: Sequence[Any]) -> list[Any]:
    """Arguments that stand as in C, each array cut to the length behind it."""
    given = iter(arguments)
    values = []
    for parameter in inputs:
        value = next(given)
        if parameter.is_counted:
            count = index(next(given))
            value = value if value is None and count else list(value or ())[:count]
        values.append(value)
    return values


def _converter(parameter: Parameter) -> Callable[[Any], Any]:
    convert = _CONVERTERS[parameter.kind]
    if not parameter.is_array:
        return convert
    return lambda value: None if value is None else [convert(item) for item in value]


def _wrong_type(name: str, inputs: Sequence[Parameter], arguments: Sequence[Any]) -> TypeError:
    for parameter, value in zip(inputs, arguments, strict=True):
        try:
            _converter(parameter)(value)
        except TypeError:
            wanted = f"a list of {parameter.kind.value}" if parameter.is_array else parameter.kind.value
            return TypeError(f"{name}: {parameter.name}: found {type(value).__name__}, expected {wanted}")
    return TypeError(f"{name}: an argument of the wrong type")


def _address(value: Any) -> int:
    return 0 if value is None else to_address(value)


def _string(value: Any) -> str | None:
    if value is None:
        return None
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else to_text(value)


_CONVERTERS: Mapping[Kind, Callable[[Any], Any]] = MappingProxyType(
    {**CONVERTERS, Kind.ADDRESS: _address, Kind.STRING: _string}
)
