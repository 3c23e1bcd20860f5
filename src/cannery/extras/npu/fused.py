"""Fused operators of ``torch_npu`` that training code calls most, written in PyTorch's own operators.

Norms and activations compute in float32 and round once to the input's dtype, as the kernels do.

Source: Ascend/op-plugin `docs/zh/custom_APIs/torch_npu`, `op_plugin/config/op_plugin_functions.yaml` @517f2e7d; the
permutation as MindSpeed's `moe_token_permute` documents it.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def _rms(x: Tensor, gamma: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    dims = tuple(range(x.dim() - gamma.dim(), x.dim()))
    wide = x.float()
    rstd = torch.rsqrt(wide.square().mean(dims, keepdim=True) + epsilon)
    return (wide * rstd * gamma.float()).to(x.dtype), rstd


def npu_rms_norm(self: Tensor, gamma: Tensor, epsilon: float = 1e-06) -> tuple[Tensor, Tensor]:
    """``x / sqrt(mean(x²) + epsilon) * gamma`` over gamma's dimensions, and the reciprocal root (float32)."""
    return _rms(self, gamma, epsilon)


def npu_add_rms_norm(x1: Tensor, x2: Tensor, gamma: Tensor, epsilon: float = 1e-06) -> tuple[Tensor, Tensor, Tensor]:
    """The RMS norm of a sum: result, reciprocal root, sum."""
    total = x1 + x2
    result, rstd = _rms(total, gamma, epsilon)
    return result, rstd, total


def _rotated(x: Tensor, mode: str) -> Tensor:
    if mode == "half":
        first, second = x.chunk(2, -1)
        return torch.cat((-second, first), -1)
    if mode == "interleave":
        return torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
    if mode == "quarter":
        raise NotImplementedError("torch_npu.npu_apply_rotary_pos_emb(rotary_mode='quarter') is not there in cannery")
    raise ValueError(f"rotary_mode: found {mode!r}, expected 'half' or 'interleave'")


def npu_rotary_mul(
    self: Tensor, r1: Tensor, r2: Tensor, rotary_mode: str = "half", rotate: Tensor | None = None
) -> Tensor:
    """Rotary position embedding ``x * cos + rotated(x) * sin``; halves, or neighbours with "interleave".

    The tables are taken in the input's dtype. ``rotate`` is the matrix (D, D) that rotates, in place of the mode.
    """
    rotated = _rotated(self, rotary_mode) if rotate is None else self @ rotate.to(self.dtype)
    return self * r1.to(self.dtype) + rotated * r2.to(self.dtype)


def npu_apply_rotary_pos_emb(
    query: Tensor, key: Tensor, cos: Tensor, sin: Tensor, layout: str = "BSND", rotary_mode: str = "half"
) -> tuple[Tensor, Tensor]:
    """Rotary position embedding of query and key, in place."""
    query.copy_(npu_rotary_mul(query, cos, sin, rotary_mode))
    key.copy_(npu_rotary_mul(key, cos, sin, rotary_mode))
    return query, key


def npu_swiglu(self: Tensor, dim: int = -1) -> Tensor:
    """``silu(first half) * second half`` along a dimension."""
    gate, value = self.float().chunk(2, dim)
    return (functional.silu(gate) * value).to(self.dtype)


def npu_fast_gelu(self: Tensor) -> Tensor:
    """``x * sigmoid(1.702 x)``, the approximation that FastGelu computes."""
    wide = self.float()
    return (wide * torch.sigmoid(1.702 * wide)).to(self.dtype)


def npu_gelu(self: Tensor, *, approximate: str = "none") -> Tensor:
    """GELU, exact or by tanh."""
    return functional.gelu(self, approximate=approximate)


def npu_silu(self: Tensor) -> Tensor:
    """``x * sigmoid(x)``."""
    return functional.silu(self)


def npu_mish(self: Tensor) -> Tensor:
    """``x * tanh(softplus(x))``."""
    return functional.mish(self)


def npu_linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``x · weightᵀ + bias``."""
    return functional.linear(input, weight, bias)


def npu_transpose(self: Tensor, perm: list[int], require_contiguous: bool = True) -> Tensor:
    """Dimensions in another order, laid out anew."""
    return self.permute(perm).contiguous() if require_contiguous else self.permute(perm)


def npu_broadcast(self: Tensor, size: list[int]) -> Tensor:
    """The tensor repeated to a shape."""
    return self.expand(size).contiguous()


def npu_confusion_transpose(self: Tensor, perm: list[int], shape: list[int], transpose_first: bool) -> Tensor:
    """Transposed then reshaped, or the other way round."""
    return self.permute(perm).reshape(shape) if transpose_first else self.reshape(shape).permute(perm).contiguous()


def npu_scaled_masked_softmax(x: Tensor, mask: Tensor, scale: float = 1.0, fixed_triu_mask: bool = False) -> Tensor:
    """Softmax of ``x * scale``, with -10000 where the mask is set. The device has no ``fixed_triu_mask`` yet."""
    return torch.softmax((x.float() * scale).masked_fill(mask.bool(), -10000.0), -1).to(x.dtype)


def npu_moe_token_permute(
    tokens: Tensor, indices: Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """Tokens (T, H) in the order of their experts (T,) or (T, k); and where each choice went, int32.

    Args:
        num_out_tokens: so many of the choices; 0 and None are all, a negative number leaves so many out.

    Raises:
        NotImplementedError: ``padded_mode``.
    """
    _refuse_padded("npu_moe_token_permute", padded_mode)
    experts = 1 if indices.dim() == 1 else indices.shape[1]
    order = torch.argsort(indices.reshape(-1), stable=True)
    places = torch.argsort(order, stable=True).to(torch.int32)
    return tokens.index_select(0, order[: num_out_tokens or None] // experts), places


def npu_moe_token_unpermute(
    permuted_tokens: Tensor,
    sorted_indices: Tensor,
    probs: Tensor | None = None,
    padded_mode: bool = False,
    restore_shape: list[int] | None = None,
) -> Tensor:
    """Tokens back in their order, the choices of one token weighted and summed. A dropped token counts as 0.

    Raises:
        NotImplementedError: ``padded_mode``.
    """
    _refuse_padded("npu_moe_token_unpermute", padded_mode)
    missing = sorted_indices.numel() - permuted_tokens.shape[0]
    padded = functional.pad(permuted_tokens, (0, 0, 0, max(missing, 0)))
    rows = padded.index_select(0, sorted_indices.long())
    if probs is None:
        return rows
    choices = rows.reshape(probs.shape[0], probs.shape[1], -1).float() * probs.float().unsqueeze(-1)
    return choices.sum(1).to(permuted_tokens.dtype)


def _refuse_padded(name: str, padded_mode: bool) -> None:
    if padded_mode:
        raise NotImplementedError(f"torch_npu.{name}(padded_mode=True) is not there in cannery")
