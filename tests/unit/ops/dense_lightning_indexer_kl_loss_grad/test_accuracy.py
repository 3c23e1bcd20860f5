"""The gradient against float64 autograd of the loss, and against values worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from cannery.ops._lightning_indexer.lse import softmax_lse
from cannery.ops.dense_lightning_indexer_kl_loss_grad.eager import kl_loss_grad
from cannery.ops.dense_lightning_indexer_kl_loss_grad.golden import DenseLightningIndexerKLLossGradSpec as Spec

DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.float16]
RELATIVE = {torch.float64: 1e-12, torch.float32: 2e-6, torch.bfloat16: 4e-3, torch.float16: 4e-3}


def distance(found: torch.Tensor, expected: torch.Tensor) -> float:
    return float((found.double() - expected).norm() / expected.norm().clamp_min(1e-300))


def causal(s1: int, s2: int, ratio: int = 1, residual: int = 0) -> torch.Tensor:
    """The mask as the inequality it is."""
    key, row = torch.arange(s2), torch.arange(s1)[:, None]
    return (key + 1) * ratio <= s2 * ratio + residual + (row + 1) - s1


def autograd(call: Any, mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Gradients of the KL loss over the visible set of a BSND call, and the loss of each row."""
    leaves = [x.double().requires_grad_() for x in (call.q, call.k, call.w)]
    score = torch.einsum("bthd,bjd->bthj", leaves[0], leaves[1][:, :, 0]).relu()
    logits = torch.einsum("bth,bthj->btj", leaves[2], score)
    logits = logits.masked_fill(~mask, -torch.inf)[:, mask.any(1)]
    seen = mask[mask.any(1)]
    p = call.p[:, mask.any(1), 0].double() * seen
    log_y = logits.log_softmax(-1).masked_fill(~seen, 0)
    loss = (p * (p.clamp_min(1e-300).log() - log_y)).sum(-1)
    return (*torch.autograd.grad(loss.sum(), leaves), loss.detach())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("s1", "s2", "heads", "ratio", "residual"),
    [
        (70, 70, 8, 1, 0),
        (150, 200, 5, 1, 0),
        (200, 37, 3, 4, 1),
        (33, 131, 64, 1, 0),
        (3, 2, 128, 1, 0),
        (97, 64, 1, 2, 1),
    ],
)
@pytest.mark.usefixtures("computation")
def test_gradients_are_those_of_the_loss(
    draw: Any, dtype: torch.dtype, s1: int, s2: int, heads: int, ratio: int, residual: int
) -> None:
    call = draw((2, s1), (2, s2), heads=heads, dtype=dtype, mask_mode=3, cmp_ratio=ratio, residual=[residual] * 2)
    mask = causal(s1, s2, ratio, residual)
    loss = torch.empty(2, s1, dtype=call.w.dtype)
    found = call.run(loss=loss)
    *expected, losses = autograd(call, mask)
    assert [distance(a, e) < RELATIVE[dtype] for a, e in zip(found, expected, strict=False)] == [True] * 3
    assert distance(loss[:, mask.any(1)], losses) < 1e-5
    assert loss[:, ~mask.any(1)].eq(0).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.usefixtures("computation")
def test_packed_call_with_used_lengths_agrees_with_the_golden(draw: Any, dtype: torch.dtype) -> None:
    call = draw(
        (60,),
        (40,),
        heads=6,
        dtype=dtype,
        columns=25,
        layout_q="TND",
        layout_k="TND",
        cu_q=[0, 20, 20, 53],
        cu_k=[0, 9, 20, 40],
        seqused_q=[17, 0, 33],
        seqused_k=[9, 3, 18],
        residual=[1, 0, 2],
        mask_mode=3,
        cmp_ratio=3,
    )
    lse = call.lse()
    g = call.geometry
    lengths = (g["cu_q"], g["cu_k"], g["seqused_q"], g["seqused_k"], g["residual"])
    attributes = {name: g[name] for name in ("layout_q", "layout_k", "mask_mode", "cmp_ratio")}
    goldens = Spec.golden(call.q, call.k, call.w, call.p, lse, *lengths, **attributes)
    found = [result.float().numpy() for result in call.run()]
    assert [verdict["error_info"] for verdict in Spec.compare(*found, *goldens)] == [""] * 4


def one_head(logits: list[float], p: list[float], dtype: torch.dtype = torch.float64) -> dict[str, Any]:
    """One row whose scores are ``logits`` (positive); dk[:, 0, 0] is then dI."""
    q = torch.zeros(1, 1, 1, 128, dtype=dtype)
    k = torch.zeros(1, len(logits), 1, 128, dtype=dtype)
    q[..., 0] = 1
    k[0, :, 0, 0] = torch.tensor(logits, dtype=dtype)
    wide = torch.float64 if dtype is torch.float64 else torch.float32
    w = torch.ones(1, 1, 1, dtype=wide)
    return {"q": q, "k": k, "w": w, "p": torch.tensor(p, dtype=wide)[None, None, None]}


def di_of(tensors: dict[str, Any], **more: Any) -> torch.Tensor:
    lse = softmax_lse(tensors["q"], tensors["k"], tensors["w"])
    return kl_loss_grad(**tensors, lse=lse, **more).dk[0, :, 0, 0]


def test_a_target_on_a_hopeless_key_keeps_its_whole_gradient_and_loss() -> None:
    """No epsilon inside the logarithm: scores 30 apart, the target on the lower."""
    loss = torch.empty(1, 1, dtype=torch.float64)
    di = di_of(one_head([1, 31], [1, 0]), loss=loss)
    assert (di - torch.tensor([-1.0, 1.0])).abs().max() < 1e-12
    assert abs(loss.item() - 30.0) < 1e-12


@pytest.mark.parametrize("logits", [[5, 3, 1, 2, 4, 6, 8, 7]])
def test_every_column_counts_also_the_lowest(logits: list[float]) -> None:
    p = [0.0] * 8
    p[2] = 1.0
    y = torch.tensor(logits, dtype=torch.float64).softmax(0)
    assert torch.allclose(di_of(one_head(logits, p)), y - torch.tensor(p), atol=1e-14, rtol=0)


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_target_that_does_not_sum_to_one_scales_the_softmax(dtype: torch.dtype) -> None:
    di = di_of(one_head([1, 2], [0.2, 0.3], dtype))
    y = torch.tensor([1.0, 2.0]).double().softmax(0)
    expected = y * 0.5 - torch.tensor([0.2, 0.3]).double()
    assert (di - expected).abs().max() < 1e-6
    assert (di - torch.tensor([-0.0655, 0.0655])).abs().max() < 1e-4


@pytest.mark.usefixtures("computation")
def test_all_zero_target_gives_zero_gradients(draw: Any) -> None:
    call = draw((1, 32), (1, 128), dtype=torch.bfloat16, mask_mode=3, cmp_ratio=4, residual=[0])
    call.p.zero_()
    assert [result.count_nonzero().item() for result in call.run()[:3]] == [0, 0, 0]


@pytest.mark.usefixtures("computation")
def test_softmax_is_not_normalised_again(draw: Any) -> None:
    call = draw((1, 9), (1, 11), dtype=torch.float32)
    shifted = kl_loss_grad(call.q, call.k, call.w, call.p, call.lse() - 1)
    assert torch.allclose(shifted.softmax_out.sum(-1), torch.full((1, 9, 1), math.e), rtol=1e-5)


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize(("dtype", "small"), [(torch.float16, 2.0**-10), (torch.bfloat16, 2.0**-120)])
def test_ds_rounds_half_away_from_zero_and_saturates(dtype: torch.dtype, small: float) -> None:
    """One key, y = 0 and p = -1: dI is 1, dS the rounded weight and, as k is 1 there, so is dq."""
    finfo = torch.finfo(dtype)
    w = torch.tensor([[1 + finfo.eps / 2, -(1 + finfo.eps / 2), 1 + finfo.eps / 4, finfo.max * (1 + finfo.eps / 4)]])
    q, k = torch.zeros(1, 4, 128, dtype=dtype), torch.zeros(1, 1, 128, dtype=dtype)
    q[..., 0], k[..., 0] = small, 1
    lengths: dict[str, Any] = {"layout_q": "TND", "layout_k": "TND", "cu_q": [0, 1], "cu_k": [0, 1]}
    found = kl_loss_grad(q, k, w, -torch.ones(1, 1, 1), torch.full((1, 1), 1e4), **lengths)
    assert found.dq[0, :, 0].double().tolist() == [1 + finfo.eps, -(1 + finfo.eps), 1, finfo.max]
