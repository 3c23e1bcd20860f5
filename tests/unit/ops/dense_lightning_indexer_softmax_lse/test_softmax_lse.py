"""The log-sum-exp of the scores: both computations against float64, blind rows, layouts, threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import cannery
from cannery import OperatorError, Stage
from cannery.core import AclnnStatus
from cannery.ops._lightning_indexer import engine
from cannery.ops._lightning_indexer import lse as eager
from cannery.ops._lightning_indexer.geometry import ArgumentError
from cannery.ops._lightning_indexer.lse import softmax_lse
from cannery.ops.dense_lightning_indexer_softmax_lse.golden import DenseLightningIndexerSoftmaxLseSpec as Spec

PACKED: dict[str, Any] = {
    "layout_q": "TND",
    "layout_k": "TND",
    "cu_q": [0, 30, 30, 101],
    "cu_k": [0, 10, 75, 140],
    "seqused_q": [28, 0, 71],
    "seqused_k": [10, 65, 64],
    "residual": [1, 0, 2],
    "mask_mode": 3,
    "cmp_ratio": 3,
}


@pytest.fixture(params=["compiled", "portable"])
def computation(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run by the compiled kernels (where this machine has them) and by plain PyTorch."""
    if request.param == "portable":
        monkeypatch.setattr(eager, "has_kernels", lambda q: False)
    elif not engine.has_kernels(torch.empty(1, 128, dtype=torch.bfloat16)):
        pytest.skip("this machine has no kernels: numba is missing, or the processor's bf16 dot product")


def draw(
    q_lead: tuple[int, ...], k_lead: tuple[int, ...], heads: int, dtype: torch.dtype
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    g = torch.Generator().manual_seed(1)
    wide = torch.float64 if dtype is torch.float64 else torch.float32
    q = torch.randn(*q_lead, heads, 128, generator=g, dtype=wide).to(dtype)
    k = torch.randn(*k_lead, 1, 128, generator=g, dtype=wide).to(dtype)
    return q, k, torch.randn(*q_lead, heads, generator=g, dtype=wide) * 0.05


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize("heads", [1, 8, 13, 64])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_agrees_with_the_golden_and_is_minus_infinity_for_blind_rows(heads: int, dtype: torch.dtype) -> None:
    q, k, w = draw((101,), (140,), heads, dtype)
    found = softmax_lse(q, k, w, **PACKED)
    names = {"cu_q": "cu_seqlens_q", "cu_k": "cu_seqlens_k", "residual": "cmp_residual_k"}
    expected = Spec.golden(q, k, w, **{names.get(name, name): value for name, value in PACKED.items()})[0]
    assert found.shape == (1, 101)
    assert np.array_equal(np.isinf(found.numpy()), np.isinf(expected))
    assert found[0, 28:30].eq(-torch.inf).all()
    seen = np.isfinite(expected)
    assert np.abs(found.numpy()[seen] - expected[seen]).max() < 3e-6


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_large_scores_neither_overflow_nor_vanish(dtype: torch.dtype) -> None:
    q, k, w = draw((1, 5), (1, 200), 4, dtype)
    w = w * 1e4
    expected = torch.einsum("bth,bthj->btj", w.double(), torch.einsum("bthd,bjxd->bthj", q.double(), k.double()).relu())
    found = softmax_lse(q, k, w)
    assert torch.allclose(found[:, 0].double(), expected.logsumexp(-1), rtol=1e-5)
    assert found.abs().max() > 1000


@pytest.mark.usefixtures("computation")
def test_padded_batches_and_packed_batches_give_the_same_bits() -> None:
    q, k, w = draw((2, 40), (2, 70), 8, torch.bfloat16)
    ends = {"layout_q": "TND", "layout_k": "TND", "cu_q": [0, 40, 80], "cu_k": [0, 70, 140]}
    packed = softmax_lse(q.flatten(0, 1), k.flatten(0, 1), w.flatten(0, 1), mask_mode=3, **ends)  # type: ignore[arg-type]
    assert torch.equal(packed.flatten(), softmax_lse(q, k, w, mask_mode=3).flatten())


@pytest.mark.usefixtures("computation")
def test_threads_and_the_order_of_rows_change_no_bit() -> None:
    q, k, w = draw((1, 200), (1, 333), 8, torch.bfloat16)
    before = torch.get_num_threads()
    found = []
    for count in (1, 2, 3):
        torch.set_num_threads(count)
        found.append(softmax_lse(q, k, w, rows=torch.randperm(200)))
    torch.set_num_threads(before)
    assert all(torch.equal(lse, found[0]) for lse in found)


@pytest.mark.usefixtures("computation")
def test_rows_not_computed_get_the_filling_or_keep_the_buffer() -> None:
    q, k, w = draw((1, 6), (1, 3), 8, torch.bfloat16)
    out = torch.full((1, 1, 6), 7.0)
    assert softmax_lse(q, k, w, mask_mode=3, fill=None, out=out) is out
    assert out[0, 0, :3].eq(7).all()
    assert softmax_lse(q, k, w, mask_mode=3, fill=0.5)[0, 0, :3].eq(0.5).all()
    assert softmax_lse(q, k, w, rows=[5])[0, 0, :5].eq(-torch.inf).all()


@pytest.mark.usefixtures("computation")
def test_invisible_keys_may_hold_nan() -> None:
    q, k, w = draw((1, 90), (1, 90), 8, torch.bfloat16)
    expected = softmax_lse(q, k, w, mask_mode=3, rows=40)
    k[:, 40:] = torch.nan
    assert torch.equal(softmax_lse(q, k, w, mask_mode=3, rows=40), expected)
    assert softmax_lse(q, k, w, mask_mode=3)[0, 0, 40:].isnan().all()


def test_a_buffer_of_another_shape_or_dtype_is_refused_unwritten() -> None:
    q, k, w = draw((1, 6), (1, 3), 8, torch.bfloat16)
    for out in (torch.full((1, 6), 7.0), torch.full((1, 1, 6), 7.0, dtype=torch.float64)):
        with pytest.raises(ArgumentError, match=r"^out: found"):
            softmax_lse(q, k, w, out=out)
        assert out.eq(7).all()


def test_drawn_offsets_are_put_in_order_and_metadata_dealt() -> None:
    q, k, w = (x.numpy() for x in draw((64,), (64,), 8, torch.float32))
    ends = np.array([40, 0, 64, 10], np.int32)
    inputs = Spec.customize_inputs(q, k, w, ends, ends, layout_q="TND")
    assert inputs[3].tolist() == [0, 10, 40, 64]
    assert inputs[-1].shape == (64,)


def test_autocast_does_not_reach_into_an_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain PyTorch in float32 on a machine without kernels; in 16 bits the log-sum-exp would be off by 1e-2."""
    q, k, w = torch.randn(1, 8, 2, 128).half(), torch.randn(1, 8, 1, 128).half(), torch.randn(1, 8, 2)
    sizes = {"num_heads_q": 2, "num_heads_k": 1, "head_dim": 128, "batch_size": 1, "max_seqlen_q": 8}
    (metadata,) = cannery.run("DenseLightningIndexerSoftmaxLseMetadata", [], sizes)
    call = {"query_index": q, "key_index": k, "weight": w, "metadata": metadata}
    monkeypatch.setattr(eager, "has_kernels", lambda q: False)
    (expected,) = cannery.run("DenseLightningIndexerSoftmaxLse", call)
    with torch.autocast("cpu", torch.bfloat16):
        (found,) = cannery.run("DenseLightningIndexerSoftmaxLse", call)
        assert torch.is_autocast_enabled("cpu")
    assert torch.equal(found, expected)


def call(
    layout: str, q: tuple[int, ...], k: tuple[int, ...], words: list[int], **lengths: list[int]
) -> dict[str, torch.Tensor]:
    """Inputs of the operator; every score is 0, so that a row's result is the logarithm of the keys it sees."""
    given = {name: torch.tensor(values, dtype=torch.int32) for name, values in lengths.items()}
    metadata = torch.tensor(words + [0] * (64 - len(words)), dtype=torch.int32)
    q_tensor, k_tensor = torch.zeros(*q, 8, 128).half(), torch.zeros(*k, 1, 128).half()
    return {
        "query_index": q_tensor,
        "key_index": k_tensor,
        "weight": torch.zeros(*q, 8),
        "metadata": metadata,
        **given,
    }


def run_lse(inputs: dict[str, torch.Tensor], layout: str = "BSND", **options: Any) -> torch.Tensor:
    attrs = {"layout_q": layout, "layout_k": layout}
    return cannery.run("DenseLightningIndexerSoftmaxLse", inputs, attrs, **options)[0]


def refused(inputs: dict[str, torch.Tensor], layout: str = "BSND", **options: Any) -> OperatorError:
    with pytest.raises(OperatorError) as caught:
        run_lse(inputs, layout, **options)
    return caught.value


def test_genuine_metadata_of_used_lengths_is_accepted() -> None:
    inputs = call("BSND", (2, 5), (2, 4), [3, 0, 1, 0], seqused_q=[3, 0])
    assert run_lse(inputs)[:, 0].isfinite().tolist() == [[True] * 3 + [False] * 2, [False] * 5]
    packed = call("TND", (9,), (4,), [3, 0, 1, 0], cu_seqlens_q=[0, 5, 9], cu_seqlens_k=[0, 2, 4], seqused_q=[2, 1])
    assert run_lse(packed, "TND")[0].isfinite().nonzero().flatten().tolist() == [0, 1, 5]
    inputs["metadata"][0] = 10  # every row, used or not
    assert refused(inputs).parameter == "metadata"


def test_with_quirks_rows_of_cores_that_are_not_launched_stay_unwritten() -> None:
    """Metadata for 28 cores on 4: row r is core r % 28's, and cores 4 to 27 are not there."""
    inputs = call("BSND", (1, 56), (1, 3), [28, 0, 2, 0])
    out = torch.full((1, 1, 56), 7.0)
    run_lse(inputs, quirks=True, soc=cannery.soc("Ascend950", aic_cores=4), outputs=[out])
    assert (out[0, 0] != 7).nonzero().flatten().tolist() == [0, 1, 2, 3, 28, 29, 30, 31]


@pytest.mark.parametrize("quirks", [False, True])
@pytest.mark.parametrize(
    ("inputs", "layout", "parameter"),
    [
        (call("BSND", (2, 5), (2, 4), [10, 0, 1, 0], cu_seqlens_q=[0, 5]), "BSND", "cu_seqlens_q"),
        (call("BSND", (2, 5), (2, 4), [10, 0, 1, 0], cu_seqlens_k=[0, 4, 8, 9]), "BSND", "cu_seqlens_k"),
        (call("TND", (0,), (4,), [0, 0, 1, 0], cu_seqlens_q=[0, 0], cu_seqlens_k=[0, 4]), "TND", "query_index"),
        (call("BSND", (1, 0), (1, 4), [0, 0, 1, 0]), "BSND", "query_index"),
        (call("BSND", (5,), (1, 4), [5, 0, 1, 0]), "BSND", "query_index"),
        (call("TND", (1, 5), (4,), [5, 0, 1, 0], cu_seqlens_q=[0, 5], cu_seqlens_k=[0, 4]), "TND", "query_index"),
    ],
)
def test_what_tiling_refuses(inputs: dict[str, torch.Tensor], layout: str, parameter: str, quirks: bool) -> None:
    error = refused(inputs, layout, quirks=quirks)
    assert (error.stage, error.parameter) == (Stage.TILING, parameter)
    assert error.code == AclnnStatus.ACLNN_ERR_INNER_TILING_ERROR


def test_a_call_without_keys_is_accepted_and_its_rows_see_nothing() -> None:
    inputs = call("BSND", (1, 5), (1, 0), [5, 0, 1, 0])
    assert run_lse(inputs).eq(-torch.inf).all()
    out = torch.full((1, 1, 5), 7.0)
    run_lse(inputs, quirks=True, outputs=[out])
    assert out.eq(7).all()
