"""What GenAttentionMask must give, by the TestSpec contract of ops-test-kit; independent of the engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

__spec__ = {"gen_attention_mask": "GenAttentionMaskSpec"}


class GenAttentionMaskSpec:
    """Golden and third-party implementation: a pure move, compared bit for bit."""

    tolerance = {"float16": {"standard": "binary_equal"}}
    op_type = "MOVE"

    @staticmethod
    def golden(x: Any, *, seqLen: Sequence[int], headNum: int = 1, **kwargs: Any) -> list[Any]:
        """Every sample's crop, as often as there are heads; numpy in, numpy out."""
        return [np.concatenate([x[i, 0, :s, :s].ravel() for i, s in enumerate(seqLen) for _ in range(headNum)])]

    class ThirdPartyImpl:
        """The same by a boolean mask over the padded masks."""

        def __init__(self, *, seqLen: Sequence[int], headNum: int = 1, **kwargs: Any) -> None:
            self.lengths, self.heads = torch.tensor(list(seqLen)), headNum

        def __call__(self, x: torch.Tensor, **kwargs: Any) -> torch.Tensor:
            inside = torch.arange(x.shape[-1]) < self.lengths[:, None]
            mask = (inside[:, None, :, None] & inside[:, None, None, :]).to(x.device)
            return x.expand(-1, self.heads, -1, -1)[mask.expand(-1, self.heads, -1, -1)]

    third_party = {"torch": ThirdPartyImpl}
