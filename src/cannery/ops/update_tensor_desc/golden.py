"""What UpdateTensorDesc must give, by the TestSpec contract of ops-test-kit; independent of the engines.

Words that the operator leaves alone hold whatever the path put there (a kernel case file 1, a graph 0), so the
comparison blanks them; that they are preserved is tested apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

__spec__ = {"update_tensor_desc": "UpdateTensorDescSpec"}

RANK_WORD = 3


def _flat(shape: Any) -> list[int]:
    return [0] * RANK_WORD + [len(shape), *shape]


class UpdateTensorDescSpec:
    """Golden, comparison and third-party implementation of the operator."""

    tolerance = {"int64": {"standard": "binary_equal"}}

    @staticmethod
    def golden(x: Any, *, shape: Any = None, **kwargs: Any) -> list[np.ndarray]:
        """int64 zeros of that shape, with rank and dims in their words."""
        words = _flat(shape)
        out = np.zeros(int(np.prod(shape, dtype=object)), np.int64)
        out[: len(words)] = words
        try:
            return [out.reshape(shape)]
        except ValueError:
            return [out]

    @staticmethod
    def pre_compare(npu_out: np.ndarray, golden_out: np.ndarray) -> list[np.ndarray]:
        """Blank the words outside the window that the golden gives the length of."""
        rank = int(golden_out.reshape(-1)[RANK_WORD])
        kept = npu_out.copy().reshape(-1)
        kept[:RANK_WORD] = 0
        kept[RANK_WORD + 1 + rank :] = 0
        return [kept.reshape(npu_out.shape), golden_out]

    class ThirdPartyImpl:
        """The same by torch operators; no other library has such an operator."""

        def __init__(self, *, shape: Any = None, **kwargs: Any) -> None:
            self.shape = list(shape)

        def __call__(self, x: Any, *, device: Any = None, **kwargs: Any) -> torch.Tensor:
            words = torch.tensor(_flat(self.shape), dtype=torch.int64, device=device)
            out = torch.zeros(int(np.prod(self.shape, dtype=object)), dtype=torch.int64, device=device)
            out[: len(words)] = words
            return out.reshape(self.shape)

    third_party = {"torch": ThirdPartyImpl}
