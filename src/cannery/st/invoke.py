"""Calling what a TestSpec names: its golden, its third party, its own inputs.

Source of the calling conventions: hicann/ops-test-kit `ttk/test_spec/README.md` @36750932.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from cannery.operator.definition import snake_case
from cannery.st.arguments import Arguments, as_numpy, as_torch, to_array
from cannery.st.compare.verdict import Array
from cannery.st.usercode import user_code


class InvokeError(ValueError):
    """What the TestSpec names failed, or gave something else than one array an output."""


def call_golden(golden: Any, given: Arguments, count: int, is_promoted: bool = False) -> tuple[Array, ...]:
    """One array an output.

    Raises:
        InvokeError: the golden raised, or gave fewer.
    """
    with _asked("golden"):
        target = _resolve(golden)
        convert = as_torch if _is_torch(target) else as_numpy
        result = _call(target, convert(given, is_promoted), by_name=False)
    return _arrays("golden", result, count)


def call_third_party(third_party: Any, given: Arguments, count: int) -> tuple[Array, ...]:
    """One array an output, from the PyTorch implementation if there are several.

    Raises:
        InvokeError: it raised, or gave fewer.
    """
    if isinstance(third_party, Mapping):
        third_party = third_party.get("torch", next(iter(third_party.values()), None))
    with _asked("third_party"):
        result = _call(_resolve(third_party), as_torch(given), by_name=True)
    return _arrays("third_party", result, count)


def call_customize(function: Callable[..., Any], given: Arguments) -> list[Any]:
    """The inputs that the operator's own generator makes of those drawn.

    Raises:
        InvokeError: it raised, or gave another number of inputs.
    """
    with _asked("customize_inputs"):
        result = _call(function, as_numpy(given), by_name=False)
    made = list(result) if isinstance(result, (list, tuple)) else [result]
    if len(made) != len(given.tensors):
        raise InvokeError(f"customize_inputs: found {len(made)} inputs, expected {len(given.tensors)}")
    return made


def _resolve(target: Any) -> Any:
    """What an API path such as ``torch.nn.functional.gelu`` names; anything else is itself."""
    if not isinstance(target, str):
        return target
    parts = target.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            found: Any = import_module(".".join(parts[:length]))
            for part in parts[length:]:
                found = getattr(found, part)
        except (ImportError, AttributeError):
            continue
        return found
    raise InvokeError(f"found {target!r}, expected the path of a function that can be imported")


def _is_torch(target: Any) -> bool:
    module = getattr(target, "__module__", None) or type(target).__module__
    return str(module).split(".")[0] == "torch"


@contextmanager
def _asked(what: str) -> Iterator[None]:
    # Rows of huge, infinite and NaN data mean to overflow.
    with user_code(what, InvokeError), np.errstate(all="ignore"):
        yield


def _call(target: Any, given: Arguments, by_name: bool) -> Any:
    if not callable(target):
        raise InvokeError(f"found {type(target).__name__}, expected a function, a class or the path of one")
    if not inspect.isclass(target):
        return _call_function(target, given, by_name)
    # What the constructor takes by name is attributes for the most part; the tensors go to the call.
    made = _call_function(target, replace(given, tensors=(), names=()), by_name=True)
    return _call_function(made, given, by_name=True)


def _call_function(function: Any, given: Arguments, by_name: bool) -> Any:
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        # Built in C: it tells no parameters.
        return function(*given.tensors, **given.attrs)
    bound = _Binder(given, by_name).bind(signature)
    return function(*bound.args, **bound.kwargs)


class _Binder:
    """Hands tensors, attributes and extras to the parameters of one function."""

    def __init__(self, given: Arguments, by_name: bool) -> None:
        self._tensors = dict(enumerate(given.tensors))
        self._places = {name: place for place, name in enumerate(given.names) if place < len(given.tensors)}
        self._attrs = dict(given.attrs)
        self._given = given
        self._by_name = by_name

    def bind(self, signature: inspect.Signature) -> inspect.BoundArguments:
        values: dict[str, Any] = {}
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_POSITIONAL:
                values[parameter.name] = tuple(self._tensors.values())
            elif parameter.kind is parameter.VAR_KEYWORD:
                values[parameter.name] = {**self._given.extras, **self._attrs}
            else:
                self._give(parameter, values)
        return inspect.BoundArguments(signature, values)

    def _give(self, parameter: inspect.Parameter, values: dict[str, Any]) -> None:
        found = self._find(parameter)
        if found:
            values[parameter.name] = found[0]
        elif parameter.default is parameter.empty:
            raise InvokeError(f"parameter {parameter.name!r}: found nothing to give it, expected an input or attribute")

    def _find(self, parameter: inspect.Parameter) -> tuple[Any, ...]:
        """The value for a parameter in a tuple of one; empty when there is none."""
        name, is_keyword = parameter.name, parameter.kind is parameter.KEYWORD_ONLY
        place = self._places.get(name)
        if place in self._tensors and (self._by_name or is_keyword):
            return (self._tensors.pop(place),)
        spelled = next((key for key in self._attrs if name in (key, snake_case(key)) or key == snake_case(name)), None)
        if spelled is not None and place is None:
            return (self._attrs.pop(spelled),)
        if name == "device":
            return ("cpu",)
        if name in self._given.extras:
            return (self._given.extras[name],)
        has_default = parameter.default is not parameter.empty
        if self._tensors and not is_keyword and not (has_default and self._by_name):
            return (self._tensors.pop(min(self._tensors)),)
        defaults = {} if has_default else self._given.defaults
        return next(((value,) for key, value in defaults.items() if name in (key, snake_case(key))), ())


def _arrays(what: str, result: Any, count: int) -> tuple[Array, ...]:
    values = list(result) if isinstance(result, (list, tuple)) else [result]
    if len(values) < count:
        raise InvokeError(f"{what}: found {len(values)} outputs, expected {count}")
    try:
        return tuple(to_array(value) for value in values[:count])
    except (ValueError, TypeError) as failure:
        raise InvokeError(f"{what}: {failure}") from None
