"""The operators of ``torch.ops`` on tensors of the device: for its chip, with the cores its stream may use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves, tree_map

from cannery.extras.npu.alias import on_host
from cannery.extras.npu.kernels import KEY, placed
from cannery.extras.npu.machine import machine
from cannery.operator import Operator, all_operators
from cannery.operator.staged import default_soc
from cannery.pytorch.ops import Libraries, host_kernel
from cannery.pytorch.schema import TorchSchema, is_offered
from cannery.pytorch.target import target
from cannery.soc import Soc

_FREE = "_cannery_free"


def register_transformer() -> Libraries:
    """Add the device's kernels to the operators of ``torch.ops``. What is returned must live as long as they do."""
    libraries = Libraries("IMPL")

    def offer(operator: Operator) -> None:
        if is_offered(operator):
            _register(libraries.of(operator), operator)

    all_operators().follow(offer)
    return libraries


def _register(library: torch.library.Library, operator: Operator) -> None:
    definition = operator.definition
    # The dispatcher leaves out arguments equal to the schema's defaults: they are what is meant then.
    defaults = definition.torch.defaults if definition.torch else {}
    kernel = _kernel(default_soc(definition), host_kernel(operator, TorchSchema.of(definition), defaults))
    library.impl(definition.snake_name, kernel, KEY)
    if all(param.optional for param in definition.inputs):
        # Called without a tensor, the dispatcher knows no device, and finds the catch-all.
        library.impl(definition.snake_name, kernel, "CompositeExplicitAutograd", allow_override=True)


def _kernel(usual: Soc, on_cpu: Callable[..., Any]) -> Callable[..., Any]:
    def kernel(*args: Any, **kwargs: Any) -> Any:
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        bound = [tensor for tensor in tensors if not hasattr(tensor, _FREE)]
        hosts, named = tree_map(lambda v: on_host(v) if isinstance(v, Tensor) else v, (args, kwargs))
        if bound and all(tensor.is_cpu for tensor in bound):
            return on_cpu(*hosts, **named)
        _check_same_device(bound)
        # Without a tensor the result is on the current device, as the original's is.
        index = next((tensor.get_device() for tensor in bound or tensors), machine().thread.device)
        with target(machine().chip(index, usual)):
            result = placed(on_cpu(*hosts, **named), index)
        return result if tensors else _freed(result)

    return kernel


def _freed(result: Any) -> Any:
    """Mark what a call without a tensor gave: where the program computes was not known, so any device takes it."""
    for leaf in tree_leaves(result):
        if isinstance(leaf, Tensor):
            setattr(leaf, _FREE, True)
    return result


def _check_same_device(tensors: list[Tensor]) -> None:
    devices = sorted({str(tensor.device) for tensor in tensors})
    if len(devices) > 1:
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but found at least two devices, {' and '.join(devices)}!"
        )
