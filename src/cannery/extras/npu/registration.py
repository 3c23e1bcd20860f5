"""Making ``npu`` a device of this process: what ``import torch_npu`` does, once, and for good."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import torch
from torch.utils import backend_registration

from cannery.extras.npu import patches, special
from cannery.extras.npu.alias import state_without_alias
from cannery.extras.npu.autocast import autocast_kernels
from cannery.extras.npu.distributed import register_backends
from cannery.extras.npu.functions import register_operators
from cannery.extras.npu.kernels import KEY, Fallback, kernel_of, on_one_device
from cannery.extras.npu.machine import NAME, machine
from cannery.extras.npu.transformer import register_transformer

# Operators for which PyTorch would otherwise choose a decomposition: one call of the CPU's kernel is faster, and its
# result is the CPU's, bit for bit.
_DECOMPOSED = ("CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional", "CompositeImplicitAutograd")
_WHOLE = ("aten::_foreach_", "aten::_amp_foreach_", "aten::_fused_")
# Metadata and factories, which PyTorch composes for any device.
_LEFT = frozenset({"aten::is_pinned", "aten::_pin_memory", "aten::is_same_size"})


@dataclass(frozen=True)
class Registration:
    """The libraries that hold the kernels; unloading them would take the kernels away."""

    libraries: tuple[object, ...]


@cache
def register(module: ModuleType) -> Registration:
    """Register the device with ``module`` as ``torch.npu``. Only the first call does anything.

    Raises:
        ImportError: this torch cannot have a device written in Python, or another package has made itself the device.
    """
    _require_free()
    backend_registration._setup_privateuseone_for_python_backend(NAME, module, _hooks(), _guard())
    torch.Tensor.__getstate__ = state_without_alias  # type: ignore[attr-defined]
    with warnings.catch_warnings():
        # Replacing a kernel warns; here it is meant.
        warnings.simplefilter("ignore", UserWarning)
        libraries = (*_libraries(), register_operators(), register_transformer(), register_backends())
    patches.apply()
    os.register_at_fork(after_in_child=machine().forked)
    return Registration(libraries)


def _require_free() -> None:
    if not hasattr(backend_registration, "_setup_privateuseone_for_python_backend"):
        raise ImportError(
            f"torch_npu (cannery): found torch {torch.__version__}, expected one whose devices can be written in "
            "Python, such as 2.13: upgrade torch, or keep the name with `cannery exec --keep torch_npu`"
        )
    taken = torch._C._get_privateuse1_backend_name()
    if taken != "privateuseone":
        raise ImportError(
            f"torch_npu (cannery): found the device {taken!r} registered by another package, expected none: PyTorch "
            "has room for one. Where the genuine torch_npu is installed, keep it: `cannery exec --keep torch_npu`"
        )


def _hooks() -> Any:
    """What PyTorch's C++ side asks."""

    class Hooks(torch._C._acc.PrivateUse1Hooks):
        def is_available(self) -> bool:
            return machine().count > 0

        def has_primary_context(self, dev_id: int) -> bool:
            return machine().is_initialized

        def is_built(self) -> bool:
            return True

    return Hooks()


def _guard() -> Any:
    """What PyTorch asks the type of the device, twenty times a backward pass."""
    npu = torch._C._autograd.DeviceType.PrivateUse1

    class Guard(torch._C._acc.DeviceGuard):
        def type_(self) -> Any:
            return npu

    return Guard()


def _libraries() -> Iterator[torch.library.Library]:
    everything = torch.library.Library("_", "IMPL")
    everything.fallback(Fallback(), KEY)
    everything.fallback(torch.library.fallthrough_kernel, "AutocastPrivateUse1")
    yield everything
    aten = torch.library.Library("aten", "IMPL")
    for name in special.METADATA:
        aten.impl(name, special.metadata_kernel(overload(name)), KEY)
    for name, kernel in special.KERNELS.items():
        aten.impl(name, kernel, KEY)
    for name, kernel in special.COMPUTING.items():
        aten.impl(name, on_one_device(overload(name), kernel), KEY)
    for name in _decomposed():
        aten.impl(name, kernel_of(overload(name)), KEY)
    for name, kernel in autocast_kernels().items():
        aten.impl(name, kernel, "AutocastPrivateUse1")
    aten.impl("_has_compatible_shallow_copy_type", special.takes_the_place, "CPU")
    aten.impl("_pin_memory", special.pin_memory, "CPU")
    aten.impl("is_pinned", special.is_pinned, "CPU")
    yield aten


def overload(name: str) -> Any:
    """``aten::add.Tensor`` or ``add.Tensor`` as the object that is called."""
    packet, _, rest = name.removeprefix("aten::").partition(".")
    return getattr(getattr(torch.ops.aten, packet), rest or "default")


def _decomposed() -> list[str]:
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    own = {f"aten::{name}" for name in (*special.METADATA, *special.KERNELS, *special.COMPUTING)} | _LEFT
    on_cpu = torch._C._dispatch_get_registrations_for_dispatch_key("CPU")
    composed = torch._C._dispatch_get_registrations_for_dispatch_key("CompositeExplicitAutograd")
    names = {n for n in on_cpu if n.startswith("aten::") and any(has(n, key) for key in _DECOMPOSED)}
    names |= {n for n in composed if n.startswith(_WHOLE) and not n.endswith("out")}
    return sorted(name.removeprefix("aten::") for name in names - own if not has(name, KEY) and not _is_view(name))


def _is_view(name: str) -> bool:
    """Whether results share memory with arguments that are not written: those are made of the metadata kernels."""
    returns = overload(name)._schema.returns
    return any(r.alias_info is not None and not r.alias_info.is_write for r in returns)
