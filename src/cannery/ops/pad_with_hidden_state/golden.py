"""What PadWithHiddenState must give, by the TestSpec contract of ops-test-kit; independent of the engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

__spec__ = {"pad_with_hidden_state": "PadWithHiddenStateSpec"}


class PadWithHiddenStateSpec:
    """Golden, comparison and third-party implementation of the operator: a pure move, compared bit for bit."""

    tolerance = {"float16": {"standard": "binary_equal"}}
    op_type = "MOVE"

    @staticmethod
    def golden(x: Any, *, qSeqLen: Sequence[int], maxSeqLen: int = 4096, **kwargs: Any) -> list[Any]:
        """Every sample's rows, then zeros up to ``maxSeqLen`` rows; numpy in, numpy out, likewise torch."""
        shape = (len(qSeqLen), maxSeqLen, x.shape[1])
        out = x.new_zeros(shape) if isinstance(x, torch.Tensor) else np.zeros(shape, x.dtype)
        start = 0
        for sample, length in enumerate(qSeqLen):
            out[sample, :length] = x[start : start + length]
            start += length
        return [out]

    class ThirdPartyImpl:
        """The same by a boolean mask over the padded rows, as PyTorch programs write it."""

        def __init__(self, *, qSeqLen: Sequence[int], maxSeqLen: int = 4096, **kwargs: Any) -> None:
            self.lengths = torch.tensor(list(qSeqLen))
            self.max_seq_len = maxSeqLen

        def __call__(self, x: torch.Tensor, **kwargs: Any) -> torch.Tensor:
            mask = (torch.arange(self.max_seq_len) < self.lengths[:, None]).to(x.device)
            out = x.new_zeros((*mask.shape, x.shape[1]))
            out[mask] = x
            return out

    third_party = {"torch": ThirdPartyImpl}
