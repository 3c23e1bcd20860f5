"""``hccl``: collectives on the device's tensors, over gloo.

A collective of tensors on the device comes to the kernels below, which call it again for the aliases on the host, in a
process group whose host backend is the gloo that stands for hccl. Tensors of the host stay without a backend, as they
are with hccl alone.

Source: Ascend/pytorch `torch_npu/distributed/__init__.py` @9e73e708.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.utils._pytree import tree_map

from cannery.extras.npu.alias import on_host
from cannery.extras.npu.kernels import KEY
from cannery.extras.npu.machine import NAME

BACKENDS = ("hccl", "lccl")


def register_backends() -> torch.library.Library | None:
    """Register the backends and the collectives' kernels; None where this torch has no distributed package."""
    if not dist.is_available():
        return None
    for name in BACKENDS:
        dist.Backend.register_backend(name, _gloo, devices=[NAME])
    library = torch.library.Library("c10d", "IMPL")
    for name in torch._C._dispatch_get_registrations_for_dispatch_key(KEY):
        if name.startswith("c10d::"):
            packet, _, overload = name.removeprefix("c10d::").partition(".")
            op = getattr(getattr(torch.ops.c10d, packet), overload or "default")
            library.impl(name.removeprefix("c10d::"), _collective(op), KEY, allow_override=True)
    return library


def _gloo(store: Any, rank: int, size: int, timeout: timedelta) -> Any:
    return dist.ProcessGroupGloo(store, rank, size, timeout=timeout)


def _collective(op: Any) -> Callable[..., Any]:
    written = {i for i, argument in enumerate(op._schema.arguments) if argument.alias_info is not None}

    def kernel(*args: Any, **kwargs: Any) -> Any:
        hosts, named = tree_map(_as_on_host, (args, kwargs))
        result = op(*hosts, **named)
        if not isinstance(result, tuple):
            return result
        # (tensors, work): the tensors are the device's own.
        own = [args[i] for i in sorted(written) if i < len(args)]
        return (own[0], *result[1:]) if own else result

    return kernel


def _as_on_host(value: Any) -> Any:
    if isinstance(value, Tensor):
        return on_host(value)
    if isinstance(value, torch.ScriptObject) and "ProcessGroup" in value._type().qualified_name():
        return _on_host(dist.ProcessGroup.unbox(value)).boxed()
    return value


def _on_host(group: Any) -> Any:
    """The group with its device backend as the host's; made once a group."""
    made = group.__dict__.get("_cannery_on_host") if hasattr(group, "__dict__") else None
    if made is None:
        made = dist.ProcessGroup(group.rank(), group.size())  # type: ignore[call-arg]
        backend = group._get_backend(torch.device(NAME))
        made._register_backend(torch.device("cpu"), dist.ProcessGroup.BackendType.GLOO, backend)
    return made
