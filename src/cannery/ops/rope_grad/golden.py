"""What RopeGrad must give, by the TestSpec contract of ops-test-kit; independent of the engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

__spec__ = {"rope_grad": "RopeGradSpec"}


class RopeGradSpec:
    """Golden and third-party implementation: a fused vector operation."""

    tolerance = {"float16": {"standard": "stat_rel_err"}}
    op_type = "VECTOR_FUSION"

    @staticmethod
    def golden(g1: Any, g2: Any, cos: Any, sin: Any, *, qSeqLen: Sequence[int], **kwargs: Any) -> list[Any]:
        """Token by token and head by head, in float64; numpy in, numpy out."""
        rows = [position for length in qSeqLen for position in range(length)]
        outs = []
        for g in (g1, g2):
            out = np.empty_like(g)
            for token, position in enumerate(rows):
                c, s = cos[position].astype(np.float64), sin[position].astype(np.float64)
                for head in range(0, g.shape[1], 128):
                    low, high = slice(head, head + 64), slice(head + 64, head + 128)
                    out[token, low] = g[token, low] * (c[:64] + s[64:])
                    out[token, high] = g[token, high] * (c[64:] - s[:64])
            outs.append(out)
        return outs

    class ThirdPartyImpl:
        """The same with the tables repeated for every token and head."""

        def __init__(self, *, qSeqLen: Sequence[int], **kwargs: Any) -> None:
            self.lengths = list(qSeqLen)

        def __call__(
            self, g1: torch.Tensor, g2: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, **kwargs: Any
        ) -> list[torch.Tensor]:
            heads = g1.shape[1] // 128
            c, s = (torch.cat([t[:n].float() for n in self.lengths]).repeat(1, heads) for t in (cos, sin))
            turned = s.view(-1, heads, 2, 64).flip(2) * torch.tensor([1.0, -1.0]).view(1, 1, 2, 1)
            return [(g.float() * (c + turned.view(c.shape))).to(g.dtype) for g in (g1, g2)]

    third_party = {"torch": ThirdPartyImpl}
