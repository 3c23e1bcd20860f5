"""What FastSoftMax must give, by the TestSpec contract of ops-test-kit; independent of the engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

__spec__ = {"fast_soft_max": "FastSoftMaxSpec"}


class FastSoftMaxSpec:
    """Golden and third-party implementation: a fused vector operation."""

    tolerance = {"float16": {"standard": "stat_rel_err"}}
    op_type = "VECTOR_FUSION"

    @staticmethod
    def golden(x: Any, *, headNum: int, qSeqLen: Sequence[int], **kwargs: Any) -> list[Any]:
        """Row by row: exp(x - max) over its sum, in float64; numpy in, numpy out."""
        out, start = np.empty_like(x), 0
        for length in qSeqLen:
            for _ in range(headNum * length):
                row = x[start : start + length].astype(np.float64)
                powers = np.exp(row - row.max())
                out[start : start + length] = powers / powers.sum()
                start += length
        return [out]

    class ThirdPartyImpl:
        """The same by torch's softmax on blocks of [headNum, s, s]."""

        def __init__(self, *, headNum: int, qSeqLen: Sequence[int], **kwargs: Any) -> None:
            self.heads, self.lengths = headNum, list(qSeqLen)

        def __call__(self, x: torch.Tensor, **kwargs: Any) -> torch.Tensor:
            blocks = x.split([self.heads * length**2 for length in self.lengths])
            shaped = [b.view(self.heads, s, s).float() for b, s in zip(blocks, self.lengths, strict=True)]
            return torch.cat([block.softmax(-1).to(x.dtype).flatten() for block in shaped])

    third_party = {"torch": ThirdPartyImpl}
