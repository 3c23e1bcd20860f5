"""What UnpadWithHiddenState must give, by the TestSpec contract of ops-test-kit; independent of the engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

__spec__ = {"unpad_with_hidden_state": "UnpadWithHiddenStateSpec"}


class UnpadWithHiddenStateSpec:
    """Golden, comparison and third-party implementation of the operator: a pure move, compared bit for bit."""

    tolerance = {"float16": {"standard": "binary_equal"}}
    op_type = "MOVE"

    @staticmethod
    def golden(x: Any, *, qSeqLen: Sequence[int], maxSeqLen: int = 4096, **kwargs: Any) -> list[Any]:
        """The first ``qSeqLen[i]`` rows of every sample, one after the other; numpy in, numpy out, likewise torch."""
        rows = [x[sample, :length] for sample, length in enumerate(qSeqLen)]
        return [torch.cat(rows) if isinstance(x, torch.Tensor) else np.concatenate(rows)]

    class ThirdPartyImpl:
        """The same by a boolean mask over the padded rows, as PyTorch programs write it."""

        def __init__(self, *, qSeqLen: Sequence[int], maxSeqLen: int = 4096, **kwargs: Any) -> None:
            self.lengths = torch.tensor(list(qSeqLen))
            self.max_seq_len = maxSeqLen

        def __call__(self, x: torch.Tensor, **kwargs: Any) -> torch.Tensor:
            mask = torch.arange(self.max_seq_len) < self.lengths[:, None]
            return x[mask.to(x.device)]

    third_party = {"torch": ThirdPartyImpl}
