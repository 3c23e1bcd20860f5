"""The tensors of a gradient call beside q, k and w."""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class GradTensors:
    """Target and results of a call, flattened and contiguous; results are zero on entry.

    Attributes:
        p, y: (T, columns) target and softmax.
        lse: (T,).
        dq: (T, H, D) in the dtype of q.
        dk: (T2, D) in working precision.
        dw: (T, H).
        loss: (T,) or None where it is not wanted.
    """

    p: torch.Tensor
    lse: torch.Tensor
    dq: torch.Tensor
    dk: torch.Tensor
    dw: torch.Tensor
    y: torch.Tensor
    loss: torch.Tensor | None
