"""``transfer_to_npu``: scripts written for ``cuda`` run on ``npu``, by replacing names of PyTorch, once and for good.

Source: Ascend/pytorch `torch_npu/contrib/transfer_to_npu.py` @9e73e708.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

import torch

from cannery.extras.npu.machine import NAME

_FACTORIES = """
    tensor as_tensor empty empty_like empty_strided zeros zeros_like ones ones_like full full_like rand rand_like randn
    randn_like randint randint_like randperm arange range linspace logspace eye tril_indices triu_indices autocast
    scalar_tensor asarray load set_default_device normal hann_window hamming_window bartlett_window blackman_window
    kaiser_window sparse_coo_tensor
""".split()  # noqa: SIM905
_TENSOR = """
    to new_tensor new_empty new_empty_strided new_full new_ones new_zeros pin_memory is_pinned type
""".split()  # noqa: SIM905


def transfer() -> None:
    """Replace them. A second call changes nothing more."""
    npu = getattr(torch, NAME)
    if torch.cuda is npu:
        return
    warnings.warn(
        "torch.cuda, the device 'cuda' and the backend 'nccl' now stand for torch.npu, 'npu' and 'hccl'",
        ImportWarning,
        stacklevel=2,
    )
    _replace(torch, _FACTORIES)
    _replace(torch.Tensor, _TENSOR)
    _replace(torch.nn.Module, ("to", "to_empty"))
    _replace(torch.amp, ("autocast", "GradScaler", "custom_fwd", "custom_bwd"))
    _generator()
    _device()
    _cuda(npu)
    _distributed()
    _triton()


def _renamed(value: Any) -> Any:
    if isinstance(value, str) and value.partition(":")[0] == "cuda":
        return NAME + value[len("cuda") :]
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device(NAME, value.index)
    if isinstance(value, dict):
        return {_renamed(key): _renamed(item) for key, item in value.items()}
    return value


def _renaming(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def renamed(*args: Any, **kwargs: Any) -> Any:
        return function(*map(_renamed, args), **{name: _renamed(value) for name, value in kwargs.items()})

    return renamed


def _replace(place: Any, names: Any) -> None:
    for name in names:
        found = getattr(place, name, None)
        if isinstance(found, type):
            found.__init__ = _renaming(found.__init__)  # type: ignore[misc]  # it must stay a class
        elif found is not None:
            setattr(place, name, _renaming(found))


def _generator() -> None:
    kind: Any = torch.Generator
    kind.__new__ = staticmethod(_renaming(kind.__new__))


def _device() -> None:
    """``torch.device("cuda")`` names the device; instances stay those of the C class."""
    made = torch.device

    class DeviceType(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, made)

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            return made(*map(_renamed, args), **{name: _renamed(value) for name, value in kwargs.items()})

    torch.device = DeviceType("device", (), {"__module__": "torch"})  # type: ignore[misc, assignment]


def _cuda(npu: Any) -> None:
    # PyTorch's own code, Inductor first of all, asks torch.cuda for names that an NPU has nothing for.
    for name in [name for name in dir(torch.cuda) if not hasattr(npu, name)]:
        setattr(npu, name, getattr(torch.cuda, name))
    torch.cuda = sys.modules["torch.cuda"] = npu
    sys.modules["torch.cuda.amp"] = npu.amp
    tensor: Any = torch.Tensor
    module: Any = torch.nn.Module
    tensor.cuda, tensor.is_cuda = tensor.npu, tensor.is_npu
    module.cuda = module.npu
    torch.jit.script = lambda obj, *args, **kwargs: obj


def _distributed() -> None:
    if not torch.distributed.is_available():
        return
    start = torch.distributed.init_process_group

    def backend_of(value: Any) -> Any:
        return value.replace("nccl", "hccl").replace("cuda", NAME) if isinstance(value, str) else value

    @wraps(start)
    def init_process_group(backend: Any = None, *args: Any, **kwargs: Any) -> Any:
        return start(backend_of(backend), *args, **kwargs)

    distributed: Any = torch.distributed
    distributed.init_process_group = init_process_group
    distributed.is_nccl_available = lambda: True


def _triton() -> None:
    import torch.utils._triton

    triton: Any = torch.utils._triton
    triton.has_triton = lambda: False
