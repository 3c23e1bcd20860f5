"""What FastSoftMaxGrad must give, by the TestSpec contract of ops-test-kit; independent of the engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

__spec__ = {"fast_soft_max_grad": "FastSoftMaxGradSpec"}


class FastSoftMaxGradSpec:
    """Golden and third-party implementation: a fused vector operation."""

    tolerance = {"float16": {"standard": "stat_rel_err"}}
    op_type = "VECTOR_FUSION"

    @staticmethod
    def customize_inputs(y: Any, dy: Any, *, headNum: int, qSeqLen: Sequence[int], **kwargs: Any) -> tuple[Any, ...]:
        """Rows of y that are probabilities, as FastSoftMax gives them."""
        made, start = np.empty_like(y), 0
        for length in qSeqLen:
            for _ in range(headNum * length):
                powers = np.exp(y[start : start + length].astype(np.float64))
                made[start : start + length] = powers / powers.sum()
                start += length
        return made, dy

    @staticmethod
    def golden(y: Any, dy: Any, *, headNum: int, qSeqLen: Sequence[int], **kwargs: Any) -> list[Any]:
        """Row by row: y (dy - y · dy), in float64; numpy in, numpy out."""
        out, start = np.empty_like(y), 0
        for length in qSeqLen:
            for _ in range(headNum * length):
                row, gradient = (t[start : start + length].astype(np.float64) for t in (y, dy))
                out[start : start + length] = row * (gradient - row @ gradient)
                start += length
        return [out]

    class ThirdPartyImpl:
        """The same by the gradient PyTorch's own backward of softmax computes."""

        def __init__(self, *, headNum: int, qSeqLen: Sequence[int], **kwargs: Any) -> None:
            self.heads, self.lengths = headNum, list(qSeqLen)

        def __call__(self, y: torch.Tensor, dy: torch.Tensor, **kwargs: Any) -> torch.Tensor:
            sizes = [self.heads * length**2 for length in self.lengths]
            parts = []
            for block, gradient, length in zip(y.split(sizes), dy.split(sizes), self.lengths, strict=True):
                rows = (gradient.view(-1, length).float(), block.view(-1, length).float())
                parts.append(torch.ops.aten._softmax_backward_data(*rows, -1, torch.float32).to(y.dtype).flatten())
            return torch.cat(parts)

    third_party = {"torch": ThirdPartyImpl}
