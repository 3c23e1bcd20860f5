"""The places where PyTorch's own code asks for a compiled backend, answered in Python.

Each patch leaves everything but the ``npu`` device as it was.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import wraps
from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch
from torch.multiprocessing import reductions
from torch.utils import _device as device_contexts
from torch.utils import backend_registration
from torch.utils.dlpack import DLDeviceType

from cannery.extras.npu.compiling import install_compiler
from cannery.extras.npu.machine import NAME, machine
from cannery.extras.npu.refusals import DATA_PARALLEL, refused


def apply() -> None:
    """Apply them all."""
    machine().leave_first_device = _follow_current_device
    # `with torch.device(…)` knows factories by what they are when it is first asked: ask before any is replaced.
    device_contexts._device_constructors()
    for patch in (_storages, _generators, _backward, _accelerator, _data_parallel, _dlpack, _queues, install_compiler):
        patch()


def on_npu(device: Any) -> bool:
    """Whether a ``device`` argument names this device."""
    return device is not None and not isinstance(device, int) and str(device).partition(":")[0] == NAME


def _storages() -> None:
    """Storages are made by an allocator, and there is none in Python: make a tensor and take its storage."""
    made: Any = torch.UntypedStorage.__new__

    def new(cls: Any, *args: Any, device: Any = None, **kwargs: Any) -> Any:
        if not on_npu(device):
            return made(cls, *args, **kwargs) if device is None else made(cls, *args, device=device, **kwargs)
        content = args[0] if args else 0
        size = content if isinstance(content, int) else len(content)
        storage = torch.empty(size, dtype=torch.uint8, device=device).untyped_storage()
        if not isinstance(content, int):
            storage.copy_(torch.UntypedStorage(content))
        return storage

    resize: Any = torch.UntypedStorage.resize_

    def resize_(self: Any, size: int) -> Any:
        """Shrinking keeps the memory, so that growing back finds it, as sharded modules do at every step."""
        if not on_npu(self.device):
            return resize(self, size)
        if size > self.nbytes():
            raise NotImplementedError(
                f"torch.UntypedStorage.resize_ on npu: found {size} bytes, expected at most the {self.nbytes()} it "
                "was made with: resize the tensor"
            )
        return self

    torch.UntypedStorage.resize_ = resize_  # type: ignore[method-assign]
    torch.UntypedStorage.__new__ = new  # type: ignore[method-assign]
    # `storage.npu()` and `storage.is_npu`; PyTorch's setup makes those of tensors and modules only.
    backend_registration._generate_storage_methods_for_privateuse1_backend(NAME)


class _GeneratorType(type(torch._C.Generator)):  # type: ignore[misc]
    """Generators of any device are instances, those made in C++ too."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, torch._C.Generator)


def _generators() -> None:
    """``torch.Generator("npu")``: the CPU's algorithm, and the device's name."""

    base: Any = torch._C.Generator

    class Generator(base, metaclass=_GeneratorType):
        def __new__(cls, device: Any = None) -> Any:
            if not on_npu(device):
                return torch._C.Generator() if device is None else torch._C.Generator(device=device)
            made = super().__new__(cls, "cpu")
            made.npu_index = machine().index_of(torch.device(device))
            return made

        @property
        def device(self) -> torch.device:
            return torch.device(NAME, self.npu_index)

    torch.Generator = Generator  # type: ignore[misc]


def _follow_current_device() -> None:
    """Let ``"npu"`` without a number mean the current device.

    Where PyTorch's C++ side completes a device, it asks a guard that Python cannot be, and gets 0. So these calls are
    completed before they get there; and only in a process that has left device 0, to leave all others as they are.
    """
    places: tuple[tuple[Any, tuple[str, ...]], ...] = (
        (torch, ("tensor", "as_tensor", "asarray", "scalar_tensor")),
        (torch.Tensor, ("to", "new_tensor", "type")),
    )
    for place, names in places:
        for name in names:
            setattr(place, name, _completing(getattr(place, name)))
    _complete_device_contexts()


def _complete_device_contexts() -> None:
    """``with torch.device("npu")`` gives factories the device behind the calls that are completed."""
    context: Any = device_contexts.DeviceContext
    fill_in = context.__torch_function__

    def torch_function(self: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        options = dict(kwargs or {})
        if options.get("device") is None and func in device_contexts._device_constructors():
            options["device"] = _completed(self.device, machine().thread.device)
        return fill_in(self, func, types, args, options)

    context.__torch_function__ = torch_function


def _completing(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        index = machine().thread.device
        if not index:
            return function(*args, **kwargs)
        completed = (_completed(value, index) for value in args)
        return function(*completed, **{name: _completed(value, index) for name, value in kwargs.items()})

    return call


def _completed(value: Any, index: int) -> Any:
    is_incomplete = isinstance(value, (str, torch.device)) and str(value) == NAME
    return torch.device(NAME, index) if is_incomplete else value


def _backward() -> None:
    """Run the backward pass in the thread that asks for it.

    PyTorch starts a thread a device for it at the first backward pass of a process, which may come before this device
    does; and one thread at a time holds the interpreter anyway. The thread's stream limits hold for it, too.
    """
    run = torch.autograd._engine_run_backward  # type: ignore[attr-defined]

    @wraps(run)
    def run_here(*args: Any, **kwargs: Any) -> Any:
        with torch.autograd.set_multithreading_enabled(False):
            return run(*args, **kwargs)

    torch.autograd._engine_run_backward = run_here  # type: ignore[attr-defined]
    torch.autograd.graph._engine_run_backward = run_here


def _accelerator() -> None:
    """``torch.accelerator``: the calls that would reach a compiled backend go to ``torch.npu``."""
    npu = getattr(torch, NAME)
    for name, replacement in {
        "set_device_index": npu.set_device,
        "set_device_idx": npu.set_device,
        "current_device_index": npu.current_device,
        "current_device_idx": npu.current_device,
        "current_stream": npu.current_stream,
        "set_stream": npu.set_stream,
        "synchronize": npu.synchronize,
        "empty_cache": npu.empty_cache,
        "memory_stats": npu.memory_stats,
        "memory_allocated": npu.memory_allocated,
        "max_memory_allocated": npu.max_memory_allocated,
        "memory_reserved": npu.memory_reserved,
        "max_memory_reserved": npu.max_memory_reserved,
        "reset_peak_memory_stats": npu.reset_peak_memory_stats,
        "get_memory_info": npu.mem_get_info,
    }.items():
        _replace(torch.accelerator, name, replacement)
    _replace(torch.accelerator, "device_index", npu.device)


def _dlpack() -> None:
    """A tensor says which device it exports; PyTorch knows the name of an unnamed PrivateUse1 only."""
    asked = torch.Tensor.__dlpack_device__

    @wraps(asked)
    def dlpack_device(self: torch.Tensor) -> Any:
        return (DLDeviceType.kDLExtDev, self.get_device()) if on_npu(self.device) else asked(self)

    torch.Tensor.__dlpack_device__ = dlpack_device  # type: ignore[method-assign]


def _queues() -> None:
    """A tensor put into a queue of processes arrives as a copy: only the host's own storages can be shared.

    PyTorch would fail in the queue's own thread, and who waits for the tensor would wait for ever.
    """

    def reduce(tensor: torch.Tensor) -> Any:
        if not on_npu(tensor.device):
            return reductions.reduce_tensor(tensor)
        if tensor.requires_grad and not tensor.is_leaf:
            raise RuntimeError("a tensor with a history cannot be sent to another process: send tensor.detach()")
        # Bytes, not shared memory of the host: that would be gone with a sender that ends early.
        content = io.BytesIO()
        torch.save(tensor.detach().cpu(), content)
        return _arrive, (content.getvalue(), tensor.device.index, tensor.requires_grad)

    ForkingPickler.register(torch.Tensor, reduce)


def _arrive(content: bytes, index: int, requires_grad: bool) -> torch.Tensor:
    return torch.load(io.BytesIO(content)).to(f"{NAME}:{index}").requires_grad_(requires_grad)


def _data_parallel() -> None:
    """``DataParallel`` over several devices rests on functions that only a CUDA build has."""
    compiled: Any = torch._C
    refusal = refused("torch.nn", DATA_PARALLEL)["DataParallel"]
    for name in ("_scatter", "_gather", "_broadcast_coalesced"):
        if not hasattr(compiled, name):
            setattr(compiled, name, refusal)


def _replace(module: Any, name: str, replacement: Callable[..., Any]) -> None:
    if hasattr(module, name):
        setattr(module, name, replacement)
