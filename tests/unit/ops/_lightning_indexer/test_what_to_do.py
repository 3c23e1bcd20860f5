"""Metadata and residuals that a call lacks: the refusal says where they come from."""

from typing import Any

import pytest
import torch

import cannery

Q, K, W = torch.zeros(1, 4, 8, 128).half(), torch.zeros(1, 8, 1, 128).half(), torch.zeros(1, 4, 8)
LSE = "DenseLightningIndexerSoftmaxLse", {"query_index": Q, "key_index": K, "weight": W}
GRAD = (
    "DenseLightningIndexerKLLossGrad",
    {"q": Q, "k": K, "w": W, "attn_softmax_l1_norm": torch.zeros(1, 4, 1, 8), "softmax_lse": torch.zeros(1, 1, 4)},
)
ZEROS = torch.zeros(64, dtype=torch.int32)


@pytest.mark.parametrize(("name", "inputs"), [LSE, GRAD], ids=["lse", "grad"])
def test_a_call_without_its_metadata_is_told_who_makes_it(name: str, inputs: dict[str, Any]) -> None:
    with pytest.raises(cannery.OperatorError, match=rf"found metadata for 0 rows, .*what {name}Metadata returns"):
        cannery.run(name, {**inputs, "metadata": ZEROS})
    with pytest.raises(cannery.OperatorError, match=r"found nothing, .* returns for this call"):
        cannery.run(name, inputs)
    with pytest.raises(
        cannery.OperatorError, match=r"cmp_residual_k: found nothing, .* 0 to cmp_ratio - 1; zeros where"
    ):
        cannery.run(name, {**inputs, "metadata": ZEROS}, {"mask_mode": 3, "cmp_ratio": 4})
