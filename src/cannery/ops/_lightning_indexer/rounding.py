"""CAST_ROUND: half away from zero, saturating, as the vector unit casts fp32 down."""

from __future__ import annotations

import torch


def round_half_away(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Cast float32 ``x`` to ``dtype``: float16 and bfloat16 round half away from zero and saturate, wider types just
    cast.

    Source: ``CAST_ROUND`` in ``vf_process_vec2_dense_kl_loss_grad.h`` of ``recursion-ascend/ops-transformer``, a093e95.
    """
    rule = _RULES.get(dtype)
    return x.to(dtype) if rule is None else rule(x)


def _to_bfloat16(x: torch.Tensor) -> torch.Tensor:
    limit = torch.finfo(torch.bfloat16).max
    # Half a bfloat16 step, added to the magnitude, carries into the bits that stay when the tail is half or more.
    # A NaN is made the plain one first: the payload of some would carry into the sign.
    bits = x.clamp(-limit, limit).nan_to_num_(torch.nan, limit, -limit).view(torch.int32)
    return bits.add_(0x8000).bitwise_and_(-0x10000).view(torch.float32).to(torch.bfloat16)


def _to_float16(x: torch.Tensor) -> torch.Tensor:
    limit = torch.finfo(torch.float16).max
    x = x.clamp(-limit, limit)
    normal = ((x.view(torch.int32) + 0x1000) & -0x2000).view(torch.float32)
    scaled = x * 2.0**24
    whole = scaled.trunc()
    tiny = (whole + (scaled - whole).abs().ge(0.5) * scaled.sign()) * 2.0**-24
    out = torch.where(x.abs() < 2.0**-14, tiny, normal).clamp(-limit, limit)
    return torch.where(x.isnan(), x, out).to(torch.float16)


_RULES = {torch.bfloat16: _to_bfloat16, torch.float16: _to_float16}
