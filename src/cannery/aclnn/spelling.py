"""How Python spells a C function of aclnn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import index
from types import MappingProxyType
from typing import Any

from cannery.runtime import Call, process
from cannery.runtime.prototype import Kind, Parameter

_MASK = (1 << 64) - 1


def spelled(call: Call) -> Callable[..., Any]:
    """The call as a function: ``(status, values …)``, a bare status, or the bare handle of a creator."""

    def function(*arguments: Any) -> Any:
        status, values = call.invoke(process(), parsed(call, arguments))
        if not call.prototype.returns_status:
            return values[0] if values else 0
        return (status, *values) if call.prototype.outputs else status

    function.__name__ = function.__qualname__ = call.name
    function.__doc__ = call.prototype.c
    return function


def parsed(call: Call, arguments: Sequence[Any]) -> list[Any]:
    """The arguments as a call takes them: one an input.

    Raises:
        TypeError: a wrong number of arguments, or one of another type.
    """
    inputs = call.prototype.inputs
    if len(arguments) == sum(1 + parameter.is_counted for parameter in inputs):
        arguments = _without_lengths(inputs, arguments)
    if len(arguments) != len(inputs):
        names = ", ".join(parameter.name for parameter in inputs)
        raise TypeError(f"{call.name}: found {len(arguments)} arguments, expected {len(inputs)}: {names}")
    return [_parse(call.name, parameter, value) for parameter, value in zip(inputs, arguments, strict=True)]


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


def _parse(name: str, parameter: Parameter, value: Any) -> Any:
    convert = _CONVERTERS[parameter.kind]
    try:
        if not parameter.is_array:
            return convert(value)
        return None if value is None else [convert(item) for item in value]
    except TypeError:
        found = f"{parameter.name} is {type(value).__name__}"
        wanted = f"a list of {parameter.kind.value}" if parameter.is_array else parameter.kind.value
        raise TypeError(f"{name}: found {found}, expected {wanted}") from None


def _address(value: Any) -> int:
    return 0 if value is None else index(value) & _MASK


def _string(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, bytes):
        raise TypeError
    return value.decode()


def _real(value: Any) -> float:
    if isinstance(value, (str, bytes)):
        raise TypeError
    return float(value)


_CONVERTERS: Mapping[Kind, Callable[[Any], Any]] = MappingProxyType(
    {Kind.INTEGER: index, Kind.ADDRESS: _address, Kind.FLOAT: _real, Kind.BOOL: bool, Kind.STRING: _string}
)
