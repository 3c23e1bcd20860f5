"""Tensors on the virtual device and on the host over the same memory.

DLPack names devices, and PyTorch reads its "extension device" as PrivateUse1. A capsule whose device field is changed
between export and import therefore gives a tensor of the other device over the same memory: no copy, and the storage
is a real one, so views, version counters and serialisation work as they do for any device.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

import torch
from torch import Tensor

HOST: Final = "_cannery_host"
BLOCK: Final = "_cannery_block"
_CPU_DEVICE, _EXTENSION_DEVICE = 1, 12  # kDLCPU, kDLExtDev
_NAME = b"dltensor"
_DEVICE_OFFSET = 8  # of DLTensor.device, behind the data pointer: type, then id, 32 bits each

# A prototype of one's own: setting the attributes of ctypes.pythonapi would change them for everybody.
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_word_at = ctypes.c_int64.from_address
_export, _import = torch._C._to_dlpack, torch._C._from_dlpack


def _moved(tensor: Tensor, device: int) -> Tensor:
    capsule: Any = _export(tensor)
    _word_at(_pointer_of(capsule, _NAME) + _DEVICE_OFFSET).value = device
    moved: Tensor = _import(capsule)
    return moved


def on_device(host: Tensor, index: int) -> Tensor:
    """A tensor of ``npu:index`` over the memory of a CPU tensor, which it keeps."""
    tensor = _moved(host, index << 32 | _EXTENSION_DEVICE)
    # Kept: the next operator on this tensor finds its host side ready.
    tensor.__dict__[HOST] = host
    return tensor


def on_host(tensor: Tensor) -> Tensor:
    """A CPU tensor over the memory of a tensor of the device; a CPU tensor is itself."""
    if tensor.is_cpu:
        return tensor
    kept = tensor.__dict__.get(HOST)
    if (
        kept is not None
        and kept.data_ptr() == tensor.data_ptr()
        and kept.shape == tensor.shape
        and kept.stride() == tensor.stride()
        and kept.dtype is tensor.dtype
    ):
        return kept
    # `tensor.data = other` and in-place view operators change what the Python object stands for.
    # The alias keeps what is exported: were that the tensor itself, which keeps the alias, neither would ever die.
    kept = tensor.__dict__[HOST] = _with_bits_of(tensor, _moved(tensor.detach(), _CPU_DEVICE))
    return kept


def _with_bits_of(tensor: Tensor, moved: Tensor) -> Tensor:
    """Lazy conjugation and negation, which DLPack leaves behind."""
    moved = moved.conj() if tensor.is_conj() else moved
    return torch._neg_view(moved) if tensor.is_neg() else moved


def state_without_alias(tensor: Tensor) -> Any:
    """What ``__getstate__`` gives: a tensor's attributes without those of this module."""
    state = {name: value for name, value in tensor.__dict__.items() if name not in (HOST, BLOCK)}
    return state or None
