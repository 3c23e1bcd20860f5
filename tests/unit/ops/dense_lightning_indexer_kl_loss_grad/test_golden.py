"""The golden itself, against the sparse sibling's formulas, and its comparison."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from cannery.ops.dense_lightning_indexer_kl_loss_grad.golden import DEFAULT
from cannery.ops.dense_lightning_indexer_kl_loss_grad.golden import DenseLightningIndexerKLLossGradSpec as Spec


def formulas(call: Any, lse: torch.Tensor) -> list[np.ndarray]:
    """One row after the other, as the kernel's documentation has the steps; BSND, causal."""
    q, k, w, p = (x.double().numpy() for x in (call.q, call.k, call.w, call.p))
    out = [np.zeros_like(x) for x in (q, k, w, p)]
    batch, s1, s2 = q.shape[0], q.shape[1], k.shape[1]
    for b in range(batch):
        for t in range(s1):
            n = max(0, s2 - s1 + t + 1)
            s = q[b, t] @ k[b, :n, 0].T
            y = np.exp(w[b, t] @ np.maximum(s, 0) - lse[b, 0, t].item())
            di = y * p[b, t, 0, :n].sum() - p[b, t, 0, :n]
            ds = di * w[b, t][:, None] * (s > 0)
            out[0][b, t] = ds @ k[b, :n, 0]
            out[1][b, :n, 0] += ds.T @ q[b, t]
            out[2][b, t] = np.maximum(s, 0) @ di
            out[3][b, t, 0, :n] = y
    return out


def test_autograd_and_the_written_formulas_agree(draw: Any) -> None:
    call = draw((2, 9), (2, 7), dim=16, mask_mode=3)
    lse = call.lse()
    golden = Spec.golden(call.q, call.k, call.w, call.p, lse, mask_mode=3)
    for found, expected in zip(golden, formulas(call, lse), strict=True):
        assert np.allclose(found, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("spoil", [lambda x: x * 1.2, lambda x: x + np.where(x == 0, 1e-9, 0), lambda x: x * np.nan])
def test_the_comparison_refuses_wrong_numbers_filled_zeros_and_nan(spoil: Any) -> None:
    expected = np.linspace(-2, 2, 1001)
    assert DEFAULT.verdict(expected * 1.001, expected)["pass"]
    assert not DEFAULT.verdict(spoil(expected), expected)["pass"]


def test_drawn_inputs_become_a_call_that_fits_together(draw: Any) -> None:
    call = draw((2, 9), (2, 7), dim=128, dtype=torch.float32)
    q, k, w, p = (x.numpy() for x in (call.q, call.k, call.w, call.p))
    inputs = Spec.customize_inputs(q, k, w, p, np.zeros((2, 1, 9), np.float32), mask_mode=3)
    assert inputs[-1][:5].tolist() == [18, 1, 0, 14, 18]
    visible = inputs[3][:, :, 0] * np.tri(9, 7, -2, dtype=np.float32)
    assert np.allclose(visible.sum(-1)[:, 2:], 0.7)
    assert np.allclose(inputs[4], call_lse(call), atol=1e-5)


def call_lse(call: Any) -> np.ndarray:
    call.geometry["mask_mode"] = 3
    lse: np.ndarray = call.lse().numpy()
    return lse
