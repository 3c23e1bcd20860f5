"""pyACL's way with a runtime call: positional arguments, ints for pointers, the status last.

Source: hicann/runtime `python/pyACL/**` @134e2edb.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from cannery.runtime import CALLS, AclError, Call, Process, RuntimeFault, process
from cannery.runtime.prototype import Parameter
from cannery.runtime.values import CONVERTERS, LOW_64_BITS

T = TypeVar("T")


def spelled(call: Call) -> Callable[..., Any]:
    """The call as pyACL has it: ``(values …, ret)``, a bare ``ret``, or the bare value of a getter."""
    inputs = call.prototype.inputs

    def function(*arguments: Any) -> Any:
        status, values = invoke(call, parsed(call.python, inputs, arguments))
        if not call.prototype.returns_status:
            return values[0] if values else None
        return (*values, status) if call.prototype.outputs else status

    function.__name__ = function.__qualname__ = call.python.rpartition(".")[2]
    function.__doc__ = f"{call.function.__doc__}\n\n{call.prototype.c}"
    return function


def invoke(call: Call, arguments: Sequence[Any]) -> tuple[int, tuple[Any, ...]]:
    """Status and outputs of a call in the runtime of this process."""
    return call.invoke(process(), arguments)


def asked(ask: Callable[[Process], T], nothing: T) -> tuple[T, int]:
    """What a question is answered and the status; the reason of a refusal is kept for ``get_recent_err_msg``."""
    try:
        return ask(process()), int(AclError.ACL_SUCCESS)
    except RuntimeFault as fault:
        return nothing, process().report(fault)


def functions(module: str) -> dict[str, Callable[..., Any]]:
    """Every function of a submodule (``rt``; empty for the top) by name."""
    pairs = ((call.python.rpartition("."), call) for call in CALLS if call.python)
    return {name: spelled(call) for (where, _, name), call in pairs if where == module}


def parsed(name: str, parameters: Sequence[Parameter], arguments: Sequence[Any]) -> list[Any]:
    """The arguments as a call takes them.

    Raises:
        TypeError: a wrong number of arguments, or one of another type; None is not 0.
    """
    if len(arguments) != len(parameters):
        raise TypeError(f"acl.{name} args parse failed: found {len(arguments)} arguments, expected {len(parameters)}")
    return [_parse(name, parameter, value) for parameter, value in zip(parameters, arguments, strict=True)]


def _parse(name: str, parameter: Parameter, value: Any) -> Any:
    try:
        return _converted(parameter, value)
    except TypeError:
        found = f"{parameter.name} is {type(value).__name__}"
        raise TypeError(f"acl.{name} args parse failed: found {found}, expected {parameter.kind.value}") from None


def _converted(parameter: Parameter, value: Any) -> Any:
    converted = CONVERTERS[parameter.kind](value)
    # As the C parser does: an unsigned argument keeps the low 64 bits.
    return converted & LOW_64_BITS if parameter.type in ("size_t", "uint64_t") else converted
