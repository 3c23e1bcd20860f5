"""Calling what a TestSpec names: its golden, its third party, its own inputs.

Source of the calling conventions: hicann/ops-test-kit `ttk/test_spec/README.md` @36750932.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np
import torch

from cannery.core import DataType, Tensor
from cannery.operator import CallContext
from cannery.operator.definition import snake_case
from cannery.st.case import Case, TensorSpec
from cannery.st.compare.verdict import Array

# Goldens are computed in the next wider type where the standard measures rounding.
PROMOTED: Mapping[torch.dtype, torch.dtype] = MappingProxyType(
    {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.float32: torch.float64}
)


class InvokeError(ValueError):
    """What the TestSpec names failed, or gave something else than one array an output."""


@dataclass(frozen=True)
class Arguments:
    """What a function of a TestSpec can be given.

    Attributes:
        tensors: the inputs in definition order; a list where the input is a list of tensors, None where it is absent.
        names: the definition's names of the inputs.
        attrs: attributes as the row gives them.
        defaults: attributes by the definition, for parameters that have no default of their own.
        extras: what the kit adds: dtypes, formats, shapes, chip, name of the case.
    """

    tensors: tuple[Any, ...]
    names: tuple[str, ...]
    attrs: Mapping[str, Any]
    defaults: Mapping[str, Any]
    extras: Mapping[str, Any]


def arguments(case: Case, context: CallContext, tensors: Sequence[Tensor | None]) -> Arguments:
    """The arguments of a case; tensors as the operator takes them, flat."""
    rest = iter(tensors)
    nested = tuple(
        [next(rest) for _ in slot] if isinstance(slot, tuple) else next(rest) for slot in case.inputs
    )  # fmt: skip
    names = tuple(param.name for param in context.definition.inputs)
    return Arguments(nested, names, case.attrs, context.attrs, _extras(case, context))


def as_numpy(given: Arguments, is_promoted: bool = False) -> Arguments:
    """The same with NumPy arrays that share no memory with the inputs."""

    def convert(tensor: Tensor) -> Array:
        wider = PROMOTED.get(tensor.torch.dtype) if is_promoted else None
        return Tensor.of(tensor.torch.to(wider) if wider else tensor.torch.clone()).numpy()

    return replace(given, tensors=_each(convert, given.tensors))


def as_torch(given: Arguments, is_promoted: bool = False) -> Arguments:
    """The same with PyTorch tensors that share no memory with the inputs."""

    def convert(tensor: Tensor) -> torch.Tensor:
        wider = PROMOTED.get(tensor.torch.dtype) if is_promoted else None
        return tensor.torch.to(wider) if wider else tensor.torch.clone()

    return replace(given, tensors=_each(convert, given.tensors))


def call_golden(golden: Any, given: Arguments, count: int, is_promoted: bool = False) -> list[Array]:
    """One array an output.

    Raises:
        InvokeError: the golden raised, or gave fewer.
    """
    target = _resolve(golden)
    convert = as_torch if _is_torch(target) else as_numpy
    return _arrays(
        "golden", _guarded("golden", lambda: _call(target, convert(given, is_promoted), by_name=False)), count
    )


def call_third_party(third_party: Any, given: Arguments, count: int) -> list[Array]:
    """One array an output, from the PyTorch implementation if there are several.

    Raises:
        InvokeError: it raised, or gave fewer.
    """
    if isinstance(third_party, Mapping):
        third_party = third_party.get("torch", next(iter(third_party.values()), None))
    target = _resolve(third_party)
    result = _guarded("third_party", lambda: _call(target, as_torch(given), by_name=True))
    return _arrays("third_party", result, count)


def call_customize(function: Callable[..., Any], given: Arguments) -> list[Any]:
    """The inputs that the operator's own generator makes of those drawn.

    Raises:
        InvokeError: it raised, or gave another number of inputs.
    """
    result = _guarded("customize_inputs", lambda: _call(function, as_numpy(given), by_name=False))
    made = list(result) if isinstance(result, (list, tuple)) else [result]
    if len(made) != len(given.tensors):
        raise InvokeError(f"customize_inputs: found {len(made)} inputs, expected {len(given.tensors)}")
    return made


def to_array(value: Any) -> Array:
    """An array of what a golden returned: an array, a tensor, a number.

    Raises:
        ValueError: NumPy has no such type.
    """
    if isinstance(value, torch.Tensor):
        return Tensor.of(value.detach().cpu()).numpy()
    array = np.asarray(value)
    if array.dtype == object:
        raise ValueError(f"found {type(value).__name__}, expected an array, a tensor or a number")
    return array


def _each(convert: Callable[[Tensor], Any], tensors: Iterable[Any]) -> tuple[Any, ...]:
    def one(tensor: Any) -> Any:
        if isinstance(tensor, list):
            return [one(member) for member in tensor]
        return None if tensor is None else convert(tensor)

    return tuple(one(tensor) for tensor in tensors)


def _extras(case: Case, context: CallContext) -> Mapping[str, Any]:
    inputs = [slot for slot in case.inputs if isinstance(slot, TensorSpec)]
    outputs = context.outputs
    return MappingProxyType(
        {
            "input_dtypes": tuple(spec.desc.dtype.short for spec in inputs),
            "input_ori_shapes": tuple(tuple(spec.origin_shape) for spec in inputs),
            "input_formats": tuple(spec.desc.format.short for spec in inputs),
            "input_ori_formats": tuple(spec.origin_format.short for spec in inputs),
            "input_ranges": tuple((spec.data.low, spec.data.high) for spec in inputs),
            "output_dtypes": tuple(desc.dtype.short for desc in outputs),
            "output_ori_shapes": tuple(tuple(desc.shape) for desc in outputs),
            "output_formats": tuple(desc.format.short for desc in outputs),
            "output_ori_formats": tuple(desc.format.short for desc in outputs),
            "full_soc_version": context.soc.name,
            "short_soc_version": context.soc.short_name,
            "testcase_name": case.name,
        }
    )


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


def _guarded(what: str, call: Callable[[], Any]) -> Any:
    try:
        with np.errstate(all="ignore"):  # rows of huge, infinite and NaN data mean to overflow
            return call()
    except InvokeError:
        raise
    except Exception as failure:
        raise InvokeError(f"{what}: {type(failure).__name__}: {failure}") from failure


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


def _arrays(what: str, result: Any, count: int) -> list[Array]:
    values = list(result) if isinstance(result, (list, tuple)) else [result]
    if len(values) < count:
        raise InvokeError(f"{what}: found {len(values)} outputs, expected {count}")
    try:
        return [to_array(value) for value in values[:count]]
    except (ValueError, TypeError) as failure:
        raise InvokeError(f"{what}: {failure}") from None


def has_float(tensors: Iterable[TensorSpec | None]) -> bool:
    """Whether an input is of a floating type."""
    return any(spec is not None and DataType.of(spec.desc.dtype).is_floating for spec in tensors)
