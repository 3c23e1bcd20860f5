"""The operators of ``torch_npu``: as functions of the package, and as ``torch.ops.npu``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import torch

from cannery.extras.npu import attention, formats, fused, grouped
from cannery.extras.npu.guard import guarded, through
from cannery.extras.npu.refusals import OPERATORS, refused

_PURE: tuple[Callable[..., Any], ...] = (
    attention.npu_fusion_attention,
    fused.npu_add_rms_norm,
    fused.npu_broadcast,
    fused.npu_confusion_transpose,
    fused.npu_fast_gelu,
    fused.npu_gelu,
    fused.npu_linear,
    fused.npu_mish,
    fused.npu_moe_token_permute,
    fused.npu_moe_token_unpermute,
    fused.npu_rms_norm,
    fused.npu_rotary_mul,
    fused.npu_scaled_masked_softmax,
    fused.npu_silu,
    fused.npu_swiglu,
    fused.npu_transpose,
    formats.npu_dtype_cast,
)
# Lists of tensors by keyword, in-place effects and formats are not for a schema: these are functions only.
_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    grouped.npu_grouped_matmul,
    fused.npu_apply_rotary_pos_emb,
    formats.get_npu_format,
    formats.get_storage_size,
    formats.npu_dtype_cast_,
    formats.npu_format_cast,
    formats.npu_format_cast_,
)


@cache
def operators() -> Mapping[str, Any]:
    """Every operator by name, those that are refused as well."""
    own = {function.__name__: through(function) for function in _PURE}
    own |= {function.__name__: guarded(function) for function in _FUNCTIONS}
    return MappingProxyType({**refused("torch_npu", OPERATORS), **own})


def register_operators() -> torch.library.Library:
    """Define ``torch.ops.npu``. The library that is returned must live as long as they are used."""
    library = torch.library.Library("npu", "FRAGMENT")
    for function in _PURE:
        name = function.__name__
        library.define(name + torch.library.infer_schema(function, mutates_args=()))
        library.impl(name, guarded(function), "CompositeImplicitAutograd")
    return library


def leave_stubs() -> None:
    """The names that operators once had in ``torch`` itself: calling one raises RuntimeError with the present name."""
    for name in operators():
        if not hasattr(torch, name):
            setattr(torch, name, _moved(name))


def _moved(name: str) -> Callable[..., Any]:
    def moved(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"torch.{name} is deprecated and will be removed: call torch_npu.{name}")

    moved.__name__ = name
    return moved
