"""What the functions of a TestSpec are given: inputs as arrays or tensors, attributes, and what the kit adds.

Source of the calling conventions: hicann/ops-test-kit `ttk/test_spec/README.md` @36750932.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import torch

from cannery.core import Tensor
from cannery.operator import CallContext
from cannery.st.case import Case, TensorSpec
from cannery.st.compare.verdict import Array

# Goldens are computed in the next wider type where the standard measures rounding.
PROMOTED: Mapping[torch.dtype, torch.dtype] = MappingProxyType(
    {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.float32: torch.float64}
)


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
