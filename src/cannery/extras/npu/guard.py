"""What stands before every operator of ``torch_npu``: tensors are on the device, and the rules of the operator hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Signature, signature
from types import MappingProxyType
from typing import Any

import torch

from cannery.extras.npu.attention_rules import ATTENTION
from cannery.extras.npu.grouped import GROUPED
from cannery.extras.npu.machine import NAME
from cannery.extras.npu.rules import FUSED, Arguments, Rules, tensors_in

RULES: Mapping[str, Rules] = MappingProxyType(
    {**FUSED, "npu_fusion_attention": ATTENTION, "npu_grouped_matmul": GROUPED}
)
# Meta tensors have no memory anywhere: operators tell shapes of them.
_PLACES = frozenset({NAME, "meta"})


def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """An operator that refuses what the device refuses.

    Raises:
        NotImplementedError: its tensors are on the host.
        RuntimeError: they are on several devices, are no tensors, or break one of ``RULES``.
    """
    name, parameters, rules = function.__name__, signature(function), RULES.get(function.__name__)
    tensors = frozenset(p.name for p in parameters.parameters.values() if p.annotation == "Tensor")

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        arguments = _bound(parameters, args, kwargs)
        _check_types(name, tensors, arguments)
        _check_places(name, arguments)
        if rules is not None:
            rules.check(name, arguments)
        return function(*args, **kwargs)

    return call


def through(function: Callable[..., Any]) -> Callable[..., Any]:
    """An operator of ``torch.ops.npu`` as a function of the package: PyTorch holds the arguments against its schema."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(torch.ops.npu, function.__name__)(*args, **kwargs)

    return call


def _bound(parameters: Signature, args: Any, kwargs: Any) -> Arguments:
    bound = parameters.bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.arguments


def _check_types(name: str, tensors: frozenset[str], arguments: Arguments) -> None:
    for parameter in tensors:
        value = arguments[parameter]
        if not isinstance(value, torch.Tensor):
            raise RuntimeError(
                f"npu::{name}() Expected a value of type 'Tensor' for argument '{parameter}' but instead found type "
                f"'{type(value).__name__}'."
            )


def _check_places(name: str, arguments: Arguments) -> None:
    devices = {tensor.device for value in arguments.values() for tensor in tensors_in(value)}
    if not devices or (len(devices) == 1 and next(iter(devices)).type in _PLACES):
        return
    if any(device.type in _PLACES for device in devices):
        places = " and ".join(sorted(map(str, devices), reverse=True))
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but found at least two devices, {places}! (when checking "
            f"the arguments of npu::{name})"
        )
    raise NotImplementedError(
        f"Could not run 'npu::{name}' with arguments from the '{next(iter(devices)).type.upper()}' backend: it is an "
        "operator of the device, so move the tensors there with .npu()"
    )
