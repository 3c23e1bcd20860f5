"""Buffers, dtypes and refusals; inputs stay as they are."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from cannery.ops._lightning_indexer import engine
from cannery.ops._lightning_indexer.geometry import ArgumentError


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_given_buffers_receive_the_results_and_inputs_stay(draw: Any, dtype: torch.dtype) -> None:
    call = draw((1, 30), (1, 30), dtype=dtype, mask_mode=3)
    before = [x.clone() for x in (call.q, call.k, call.w, call.p)]
    out = tuple(torch.full_like(x, 7) for x in (call.q, call.k, call.w, call.p))
    results = call.run(out=out)
    assert [a is b for a, b in zip(results, out, strict=True)] == [True] * 4
    assert all(torch.equal(a, b) for a, b in zip(out, call.run(), strict=True))
    assert all(torch.equal(a, b) for a, b in zip((call.q, call.k, call.w, call.p), before, strict=True))


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_views_are_as_good_as_contiguous_tensors(draw: Any, dtype: torch.dtype) -> None:
    call = draw((1, 30), (1, 30), dtype=dtype, mask_mode=3)
    expected = call.run()
    for name in ("q", "k", "w", "p"):
        tensor = getattr(call, name)
        wide = tensor.new_zeros(*tensor.shape[:-1], tensor.shape[-1] + 1)
        wide[..., 1:] = tensor
        setattr(call, name, wide[..., 1:])
    out = tuple(
        torch.empty_like(x.mT).mT if x.dim() > 2 else torch.empty_like(x) for x in (call.q, call.k, call.w, call.p)
    )
    assert all(torch.equal(a, b) for a, b in zip(call.run(out=out), expected, strict=True))


def test_operands_that_start_in_the_middle_of_a_word(draw: Any) -> None:
    call = draw((1, 5), (1, 5), dtype=torch.bfloat16)
    expected = call.run()
    for name in ("q", "k"):
        tensor = getattr(call, name)
        shifted = torch.cat([tensor.new_zeros(1), tensor.flatten()])[1:].view(tensor.shape)
        assert shifted.is_contiguous()
        setattr(call, name, shifted)
    assert all(torch.equal(a, b) for a, b in zip(call.run(), expected, strict=True))


BAD = {
    "k": ("k", lambda t: t.to(torch.float16)),
    "w": ("w", lambda t: t.to(torch.bfloat16)),
    "w_shape": ("w", lambda t: t[:, :-1]),
    "p": ("attn_softmax_l1_norm", lambda t: t.half()),
    "p_rows": ("attn_softmax_l1_norm", lambda t: t[:, :-1]),
    "p_columns": ("attn_softmax_l1_norm", lambda t: t[..., :-1]),
    "q": ("q", lambda t: t[0]),
    "q_dtype": ("q", lambda t: t.int()),
}


@pytest.mark.parametrize("which", list(BAD))
def test_tensors_that_do_not_fit_are_refused_before_anything_is_written(draw: Any, which: str) -> None:
    from cannery.ops.dense_lightning_indexer_kl_loss_grad.eager import kl_loss_grad

    call = draw((1, 9), (1, 9), dtype=torch.bfloat16)
    lse = call.lse()
    q, k, w, p = (torch.full_like(x, 7) for x in (call.q, call.k, call.w, call.p))
    name, spoil = BAD[which]
    setattr(call, which[0], spoil(getattr(call, which[0])))
    with pytest.raises(ArgumentError, match=f"^{name}: found"):
        kl_loss_grad(call.q, call.k, call.w, call.p, lse, out=(q, k, w, p))
    assert all(result.eq(7).all() for result in (q, k, w, p))


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({"layout_q": "SBND"}, "layout_q"),
        ({"layout_k": "TND"}, "k"),
        ({"mask_mode": 1}, "mask_mode"),
        ({"cmp_ratio": 0}, "cmp_ratio"),
        ({"mask_mode": 3, "cmp_ratio": 4, "residual": [4]}, "cmp_residual_k"),
        ({"rows": [9]}, "rows"),
        ({"loss": torch.zeros(9)}, "loss"),
    ],
)
def test_attributes_that_do_not_fit_are_refused(draw: Any, more: dict[str, Any], name: str) -> None:
    from cannery.ops.dense_lightning_indexer_kl_loss_grad.eager import kl_loss_grad

    call = draw((1, 9), (1, 9), dtype=torch.bfloat16)
    with pytest.raises(ArgumentError, match=f"^{name}: found"):
        kl_loss_grad(call.q, call.k, call.w, call.p, call.lse(), **more)


@pytest.mark.parametrize("which", range(4))
def test_a_result_buffer_of_another_shape_or_dtype_is_refused(draw: Any, which: int) -> None:
    call = draw((1, 9), (1, 9), dtype=torch.bfloat16)
    names = ("dq", "dk", "dw", "softmax_out")
    for spoil in (lambda t: t[:, :-1], lambda t: t.double()):
        out = [torch.full_like(x, 7) for x in (call.q, call.k, call.w, call.p)]
        out[which] = spoil(out[which])
        with pytest.raises(ArgumentError, match=f"^{names[which]}: found"):
            call.run(out=tuple(out))
        assert all(result.eq(7).all() for result in out)


def test_without_numba_or_on_another_device_the_kernels_are_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not engine.has_kernels(torch.empty(1, 128, dtype=torch.bfloat16, device="meta"))
    assert not engine.has_kernels(torch.empty(1, 64, dtype=torch.bfloat16))
    assert not engine.has_kernels(torch.empty(1, 128, dtype=torch.float64))
    engine._features.cache_clear()
    monkeypatch.setattr(engine, "find_spec", lambda name: None)
    assert not engine.has_kernels(torch.empty(1, 128, dtype=torch.bfloat16))
    engine._features.cache_clear()


@pytest.mark.parametrize(
    "setting", [{"DISABLE_JIT": 1}, {"CPU_FEATURES": ""}, {"CPU_FEATURES": "+avx512f,-avx512bf16"}]
)
def test_what_numba_is_told_not_to_use_is_not_used(monkeypatch: pytest.MonkeyPatch, setting: dict[str, Any]) -> None:
    config = pytest.importorskip("numba").config
    engine._features.cache_clear()
    for name, value in setting.items():
        monkeypatch.setattr(config, name, value)
    assert not engine.has_kernels(torch.empty(1, 128, dtype=torch.bfloat16))
    engine._features.cache_clear()
