"""Mixed precision: which operators run in the lower type, which in float32, which in the widest of their arguments.

Source of the lists: PyTorch's operators under ``torch.autocast("cuda")`` (docs/source/amp.md), which the original
follows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.utils._pytree import tree_map

from cannery.extras.npu.machine import NAME

LOWER = """
    _convolution conv1d conv2d conv3d conv1d.padding conv2d.padding conv3d.padding conv_transpose1d
    conv_transpose2d.input conv_transpose3d.input convolution prelu addmm addmv addr matmul einsum mm mv linalg_vecdot
    linear addbmm baddbmm bmm chain_matmul linalg_multi_dot _thnn_fused_lstm_cell _thnn_fused_gru_cell lstm_cell
    gru_cell rnn_tanh_cell rnn_relu_cell scaled_dot_product_attention
""".split()  # noqa: SIM905
FLOAT32 = """
    acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow.Tensor_Scalar pow.Tensor_Tensor
    pow.Scalar softplus layer_norm native_layer_norm group_norm frobenius_norm.dim nuclear_norm nuclear_norm.dim
    cosine_similarity poisson_nll_loss cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss kl_div l1_loss
    smooth_l1_loss huber_loss mse_loss margin_ranking_loss multilabel_margin_loss soft_margin_loss
    triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits dist pdist cdist renorm logsumexp
    cross_entropy_loss softmax.int log_softmax.int cumprod cumsum prod sum sum.dim_IntList norm.Scalar
    norm.ScalarOpt_dim linalg_vector_norm
""".split()  # noqa: SIM905
WIDEST = """
    addcdiv addcmul atan2 bilinear cross dot grid_sampler index_put tensordot scatter_add vdot cat stack
""".split()  # noqa: SIM905
_OFF = torch._C.DispatchKeySet(torch._C._dispatch_key_parse("AutocastPrivateUse1"))
_WIDTH = MappingProxyType({torch.float16: 1, torch.bfloat16: 1, torch.float32: 2})


def _cast(value: Any, dtype: torch.dtype) -> Any:
    """A floating-point tensor of the device in another type; float64 and everything else as it is."""
    if isinstance(value, Tensor) and value.is_floating_point() and value.dtype is not torch.float64:
        return value.to(dtype) if value.device.type == NAME and value.dtype is not dtype else value
    return value


def _lower(args: Any) -> torch.dtype:
    return torch.get_autocast_dtype(NAME)


def _float32(args: Any) -> torch.dtype:
    return torch.float32


def _widest(args: Any) -> torch.dtype:
    found = [torch.get_autocast_dtype(NAME)]
    tree_map(lambda value: found.append(value.dtype) if isinstance(value, Tensor) else None, args)
    return max((dtype for dtype in found if dtype in _WIDTH), key=lambda dtype: _WIDTH[dtype])


def _kernel(op: OpOverload, choose: Callable[[Any], torch.dtype]) -> Callable[..., Any]:
    def kernel(*args: Any, **kwargs: Any) -> Any:
        with torch._C._ExcludeDispatchKeyGuard(_OFF):
            dtype = choose((args, kwargs))
            arguments, named = tree_map(lambda value: _cast(value, dtype), (args, kwargs))
            return op(*arguments, **named)

    return kernel


def autocast_kernels() -> Mapping[str, Callable[..., Any]]:
    """A kernel for each listed operator that this torch has."""
    rows = ((LOWER, _lower), (FLOAT32, _float32), (WIDEST, _widest))
    pairs = ((name, choose) for names, choose in rows for name in names)
    return {name: _kernel(op, choose) for name, choose in pairs if (op := _overload(name)) is not None}


def _overload(name: str) -> OpOverload | None:
    packet, _, rest = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet, None), rest or "default", None)
