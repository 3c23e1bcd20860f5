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
        if tensors and all(tensor.is_cpu for tensor in tensors):
            return on_cpu(*args, **kwargs)
        _check_same_device(tensors)
        # Without a tensor the result is on the current device, as the original's is.
        index = tensors[0].get_device() if tensors else machine().thread.device
        hosts, named = tree_map(lambda v: on_host(v) if isinstance(v, Tensor) else v, (args, kwargs))
        with target(machine().chip(index, usual)):
            return placed(on_cpu(*hosts, **named), index)

    return kernel


def _check_same_device(tensors: list[Tensor]) -> None:
    devices = sorted({str(tensor.device) for tensor in tensors})
    if len(devices) > 1:
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but found at least two devices, {' and '.join(devices)}!"
        )
