"""Operators whose kernel is not simply the CPU's: views, copies between devices, sizes, convolutions, cells."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

from cannery.extras.npu.alias import BLOCK, HOST, on_host
from cannery.extras.npu.kernels import Kernel, placed
from cannery.extras.npu.machine import NAME, machine

aten = torch.ops.aten
_CPU_KEY = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)


def metadata_kernel(op: OpOverload) -> Kernel:
    """The CPU's kernel itself: it makes a tensor over the same storage and never looks at the elements."""

    return partial(op._handle.redispatch_boxed, _CPU_KEY)


def copy_(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Between any two devices, at once."""
    on_host(self).copy_(on_host(src))
    return self


def copy_from(self: Tensor, dst: Tensor, non_blocking: bool = False) -> Tensor:
    """``copy_`` with the source first."""
    return copy_(dst, self)


def to_copy(
    self: Tensor,
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: torch.device | None = None,
    pin_memory: bool | None = None,
    non_blocking: bool = False,
    memory_format: torch.memory_format | None = None,
) -> Tensor:
    """A copy, on another device or of another dtype."""
    host = aten._to_copy(on_host(self), dtype=dtype, layout=layout, memory_format=memory_format)
    target = self.device if device is None else device
    if target.type == NAME:
        return machine().place(host, machine().index_of(target))
    return host if target.type == "cpu" else host.to(target)


def resize_(self: Tensor, size: list[int], *, memory_format: torch.memory_format | None = None) -> Tensor:
    """In place; memory is added at the end where the storage has not enough."""
    elements = torch.Size(size).numel()
    end = (int(self.storage_offset()) + elements) * self.element_size()
    if elements and end > self.untyped_storage().nbytes():
        _grow(self, end)
    redispatched: Tensor = aten.resize_.default.redispatch(_CPU_KEY, self, size, memory_format=memory_format)
    return redispatched


def zeros(size: list[int], *, dtype: torch.dtype | None = None, device: torch.device | None = None, **_: Any) -> Tensor:
    """What stands for zeros without having memory elsewhere has memory here."""
    return machine().place(torch.zeros(size, dtype=dtype), machine().index_of(device))


def _grow(tensor: Tensor, size: int) -> None:
    old = tensor.untyped_storage()
    bytes_ = torch.empty(size, dtype=torch.uint8)
    if old.nbytes():
        flat = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(old, 0, (old.nbytes(),), (1,))
        bytes_[: old.nbytes()] = on_host(flat)
    new = machine().place(bytes_, tensor.get_device()).untyped_storage()
    aten.set_.source_Storage_storage_offset(tensor, new, tensor.storage_offset(), tensor.shape, tensor.stride())


def convolution(*args: Any) -> Tensor:
    """Forward, by the CPU's choice of algorithm."""
    result: Tensor = placed(aten.convolution(*map(_host, args)), args[0].get_device())
    return result


def convolution_backward(*args: Any) -> Any:
    """``grad, input, weight, stride, … , groups, output_mask``; the CPU's form has the bias's sizes in between."""
    grad, inp, weight, *rest, mask = args
    outputs = grad.shape[1] if inp.dim() == weight.dim() else grad.shape[0]
    results = aten.convolution_backward(*map(_host, (grad, inp, weight)), [outputs], *rest, mask)
    return placed(results, grad.get_device())


def _host(value: Any) -> Any:
    return on_host(value) if isinstance(value, Tensor) else value


def lstm_cell(
    input_gates: Tensor, hidden_gates: Tensor, cx: Tensor, input_bias: Any = None, hidden_bias: Any = None
) -> tuple[Tensor, Tensor, Tensor]:
    """h, c, and the activated gates, which the gradient needs."""
    gates = _biased(on_host(input_gates) + on_host(hidden_gates), input_bias, hidden_bias)
    i, f, g, o = gates.chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    c = f * on_host(cx) + i * g
    result: tuple[Tensor, Tensor, Tensor] = placed((o * c.tanh(), c, torch.cat([i, f, g, o], 1)), cx.get_device())
    return result


def _biased(gates: Tensor, *biases: Tensor | None) -> Tensor:
    for bias in biases:
        gates = gates if bias is None else gates + on_host(bias)
    return gates


def lstm_cell_backward(
    grad_hy: Tensor | None, grad_cy: Tensor | None, cx: Tensor, cy: Tensor, workspace: Tensor, has_bias: bool
) -> Any:
    """Gradients of the gates, of c before, and of the bias."""
    if grad_hy is None and grad_cy is None:
        return None, None, None
    i, f, g, o = on_host(workspace).chunk(4, 1)
    tanh_c, before = on_host(cy).tanh(), on_host(cx)
    grad_h = torch.zeros_like(tanh_c) if grad_hy is None else on_host(grad_hy)
    grad_c = grad_h * o * (1 - tanh_c * tanh_c)
    grad_c = grad_c if grad_cy is None else grad_c + on_host(grad_cy)
    parts = (grad_c * g * i * (1 - i), grad_c * before * f * (1 - f), grad_c * i * (1 - g * g))
    gates = torch.cat([*parts, grad_h * tanh_c * o * (1 - o)], 1)
    return placed((gates, grad_c * f, gates.sum(0) if has_bias else None), cx.get_device())


def gru_cell(
    input_gates: Tensor, hidden_gates: Tensor, hx: Tensor, input_bias: Any = None, hidden_bias: Any = None
) -> tuple[Tensor, Tensor]:
    """h, and the five activations that the gradient needs."""
    ir, iz, inn = _biased(on_host(input_gates), input_bias).chunk(3, 1)
    hr, hz, hn = _biased(on_host(hidden_gates), hidden_bias).chunk(3, 1)
    r, z = (ir + hr).sigmoid(), (iz + hz).sigmoid()
    n = (inn + r * hn).tanh()
    before = on_host(hx)
    result: tuple[Tensor, Tensor] = placed((n + z * (before - n), torch.cat([r, z, n, before, hn], 1)), hx.get_device())
    return result


def gru_cell_backward(grad_hy: Tensor, workspace: Tensor, has_bias: bool) -> Any:
    """Gradients of both gates, of h before, and of both biases."""
    r, z, n, before, hn = on_host(workspace).chunk(5, 1)
    grad = on_host(grad_hy)
    grad_n = grad * (1 - z) * (1 - n * n)
    grad_z = grad * (before - n) * z * (1 - z)
    grad_r = grad_n * hn * r * (1 - r)
    inputs, hidden = torch.cat([grad_r, grad_z, grad_n], 1), torch.cat([grad_r, grad_z, grad_n * r], 1)
    sums = (inputs.sum(0), hidden.sum(0)) if has_bias else (None, None)
    return placed((inputs, hidden, grad * z, *sums), grad_hy.get_device())


def pin_memory(self: Tensor, device: torch.device | None = None) -> Tensor:
    """A copy in memory that counts as pinned."""
    copy = self.clone(memory_format=torch.preserve_format)
    copy.untyped_storage().__dict__[BLOCK] = "pinned"
    return copy


def is_pinned(self: Tensor, device: torch.device | None = None) -> bool:
    """Whether the memory came from ``pin_memory``."""
    return self.untyped_storage().__dict__.get(BLOCK) == "pinned"


def takes_the_place(self: Tensor, source: Tensor) -> bool:
    """Whether ``self.data = source`` is possible: between host and device as well, as a module's move does it.

    Source: Ascend/pytorch `torch_npu/csrc/aten/ops/HasCompatibleShallowCopyType.cpp` @9e73e708.
    """
    # What the tensor was is asked for no more, and must not be kept.
    self.__dict__.pop(HOST, None)
    is_dense = source.layout is torch.strided and not source.is_quantized and not source.is_nested
    return is_dense and source.device.type in ("cpu", NAME)


def nothing(*args: Any) -> None:
    """What orders work between streams: all work is done at once."""


METADATA = (
    "as_strided",
    "view",
    "view.dtype",
    "_reshape_alias",
    "unfold",
    "set_",
    "set_.source_Storage",
    "set_.source_Storage_storage_offset",
    "set_.source_Tensor",
    "is_set_to",
)

KERNELS: Mapping[str, Kernel] = MappingProxyType(
    {
        "copy_": copy_,
        "_copy_from": copy_from,
        "_copy_from_and_resize": copy_from,
        "_to_copy": to_copy,
        "resize_": resize_,
        "_efficientzerotensor": zeros,
        "record_stream": nothing,
        "_has_compatible_shallow_copy_type": takes_the_place,
    }
)

# Kernels that compute: their tensors are on one device.
COMPUTING: Mapping[str, Kernel] = MappingProxyType(
    {
        "convolution_overrideable": convolution,
        "convolution_backward_overrideable": convolution_backward,
        "_thnn_fused_lstm_cell": lstm_cell,
        "_thnn_fused_lstm_cell_backward_impl": lstm_cell_backward,
        "_thnn_fused_gru_cell": gru_cell,
        "_thnn_fused_gru_cell_backward": gru_cell_backward,
    }
)
