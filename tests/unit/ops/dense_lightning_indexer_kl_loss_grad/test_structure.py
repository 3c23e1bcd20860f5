"""What must hold whatever the numbers: empty things, invisible things, splits, permutations, layouts."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from cannery.ops.dense_lightning_indexer_kl_loss_grad.eager import Gradients, kl_loss_grad

WIDE = [torch.float64, torch.bfloat16]
PACKED = {"layout_q": "TND", "layout_k": "TND"}


def same(found: Any, expected: Any) -> bool:
    return all(torch.equal(a, e) for a, e in zip(found, expected, strict=True))


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize("dtype", WIDE)
def test_rows_that_see_nothing_may_hold_nan(draw: Any, dtype: torch.dtype) -> None:
    call = draw((1, 6), (1, 3), dtype=dtype, mask_mode=3)
    alone = draw((1, 3), (1, 3), dtype=dtype, mask_mode=3)
    for name in ("q", "w", "p"):
        getattr(alone, name).copy_(getattr(call, name)[:, 3:])
    alone.k.copy_(call.k)
    call.q[:, :3], call.w[:, :3], call.p[:, :3] = torch.nan, torch.nan, torch.nan
    lse = call.lse()
    assert lse[0, 0, :3].eq(-torch.inf).all()
    lse[..., :3] = torch.nan
    found = kl_loss_grad(call.q, call.k, call.w, call.p, lse, mask_mode=3)
    expected = alone.run()
    assert [result[:, :3].count_nonzero().item() for result in (found.dq, found.dw, found.softmax_out)] == [0, 0, 0]
    assert torch.equal(found.dk, expected.dk)
    assert torch.equal(found.dq[:, 3:], expected.dq)


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize("deterministic", [False, True])
@pytest.mark.parametrize("bad", [torch.nan, torch.inf, -torch.inf])
@pytest.mark.parametrize("dtype", [*WIDE, torch.float32])
def test_a_weight_that_is_not_finite_reaches_only_the_keys_its_row_sees(
    draw: Any, dtype: torch.dtype, bad: float, deterministic: bool
) -> None:
    call = draw((1, 90), (1, 90), dtype=dtype, mask_mode=3)
    lse = call.lse()
    expected = kl_loss_grad(call.q, call.k, call.w, call.p, lse, mask_mode=3, deterministic=deterministic)
    call.w[:, 30, 2] = bad
    found = kl_loss_grad(call.q, call.k, call.w, call.p, lse, mask_mode=3, deterministic=deterministic)
    assert not found.dk[:, :31].isfinite().all()
    assert torch.equal(found.dk[:, 31:], expected.dk[:, 31:])
    others = torch.arange(90) != 30
    assert all(torch.equal(f[:, others], e[:, others]) for f, e in zip(found[::2], expected[::2], strict=True))


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
def test_nothing_leaks_from_invisible_keys_rows_and_columns(draw: Any, dtype: torch.dtype, bad: float) -> None:
    """Rows 0 to 70 are computed; keys, rows and columns of the target that they do not see are poisoned."""
    clean = draw((1, 140), (1, 140), dtype=dtype, mask_mode=3)
    expected = clean.run(rows=71, deterministic=True)
    call = draw((1, 140), (1, 140), dtype=dtype, mask_mode=3)
    unseen = torch.ones(140, 140).triu(1).bool()[None, :, None]
    call.p[unseen] = bad
    call.k[:, 71:], call.q[:, 71:] = bad, bad
    found = call.run(rows=71, deterministic=True)
    assert torch.equal(found.dq[:, :71], expected.dq[:, :71])
    assert torch.equal(found.softmax_out[:, :71], expected.softmax_out[:, :71])
    assert torch.equal(found.dk, expected.dk)
    assert found.dk[:, 71:].count_nonzero() == 0


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_a_bad_row_spoils_its_own_keys_and_nothing_else(draw: Any, dtype: torch.dtype) -> None:
    call = draw((1, 140), (1, 140), dtype=dtype, mask_mode=3)
    expected = call.run(deterministic=True)
    call.q[:, 70, 3, 5] = torch.nan
    found = call.run(deterministic=True)
    assert found.dk[:, :71].isnan().any(-1).all()
    assert torch.isfinite(found.dk[:, 71:]).all()
    assert torch.equal(found.dq[:, :70], expected.dq[:, :70])
    assert torch.equal(found.dq[:, 71:], expected.dq[:, 71:])


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_a_row_of_nan_has_no_gradient_that_looks_like_one(draw: Any, dtype: torch.dtype) -> None:
    call = draw((1, 140), (1, 140), dtype=dtype, mask_mode=3)
    call.q[:, 70] = torch.nan
    found = call.run()
    assert found.dq[:, 70].isnan().all() and found.dw[:, 70].isnan().all()
    assert torch.isfinite(found.dq[:, 71:]).all()


@pytest.mark.usefixtures("computation")
def test_each_softmax_row_has_its_visible_count_of_non_zeros(draw: Any) -> None:
    y = draw((1, 8), (1, 8), dtype=torch.float32, mask_mode=3, columns=13).run().softmax_out
    assert y.ne(0).sum(-1).flatten().tolist() == [1, 2, 3, 4, 5, 6, 7, 8]


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize("dtype", WIDE)
def test_empty_batches_change_nothing(draw: Any, dtype: torch.dtype) -> None:
    call = draw((5,), (4,), dtype=dtype, **PACKED, cu_q=[0, 3, 3, 5], cu_k=[0, 2, 4, 4])
    piece = draw((3,), (2,), dtype=dtype, **PACKED, cu_q=[0, 3], cu_k=[0, 2])
    piece.q, piece.k, piece.w, piece.p = call.q[:3], call.k[:2], call.w[:3], call.p[:3]
    found, expected = call.run(), piece.run()
    assert torch.equal(found.dq[:3], expected.dq)
    assert torch.equal(found.dk[:2], expected.dk)
    rest = (found.dq[3:], found.dk[2:], found.dw[3:], found.softmax_out[3:])
    assert [part.count_nonzero().item() for part in rest] == [0] * 4


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize(("tokens", "keys"), [(0, 0), (0, 4), (5, 0)])
def test_no_tokens_or_no_keys_are_no_error(draw: Any, dtype: torch.dtype, tokens: int, keys: int) -> None:
    call = draw((tokens,), (keys,), dtype=dtype, **PACKED, cu_q=[0, tokens], cu_k=[0, keys])
    found = call.run()
    assert [result.shape for result in found] == [x.shape for x in (call.q, call.k, call.w, call.p)]
    assert all(result.count_nonzero() == 0 for result in found)
    assert call.lse().shape == (1, tokens)


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_what_is_not_used_is_exactly_zero(draw: Any, dtype: torch.dtype) -> None:
    call = draw((2, 10), (2, 6), dtype=dtype, seqused_q=[6, 8], seqused_k=[4, 3])
    found = call.run()
    for b, (rows, keys) in enumerate([(6, 4), (8, 3)]):
        unused = (found.dq[b, rows:], found.dw[b, rows:], found.softmax_out[b, rows:], found.dk[b, keys:])
        assert [part.count_nonzero().item() for part in unused] == [0] * 4
        assert found.softmax_out[b, :rows, 0, keys:].count_nonzero() == 0
        assert found.dq[b, :rows].flatten(1).any(1).all()


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize("dtype", WIDE)
def test_packed_and_padded_layouts_give_the_same_bits(draw: Any, dtype: torch.dtype) -> None:
    padded = draw((3, 70), (3, 90), dtype=dtype, mask_mode=3, cmp_ratio=2, residual=[0, 1, 0])
    ends = {"cu_q": [0, 70, 140, 210], "cu_k": [0, 90, 180, 270]}
    packed = draw((210,), (270,), dtype=dtype, columns=90, **padded.geometry, **PACKED, **ends)
    for name in ("q", "k", "w", "p"):
        setattr(packed, name, getattr(padded, name).flatten(0, 1))
    assert same([result.flatten() for result in packed.run()], [result.flatten() for result in padded.run()])


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize("dtype", WIDE)
def test_permuting_batches_permutes_results_and_adding_one_changes_no_bit(draw: Any, dtype: torch.dtype) -> None:
    call = draw((4, 65), (4, 67), dtype=dtype, mask_mode=3, seqused_q=[65, 3, 40, 9], seqused_k=[67, 67, 2, 30])
    found = call.run(deterministic=True)
    order = [2, 0, 3]
    call.q, call.k, call.w, call.p = (x[order] for x in (call.q, call.k, call.w, call.p))
    for name in ("seqused_q", "seqused_k"):
        call.geometry[name] = [call.geometry[name][b] for b in order]
    assert same(call.run(deterministic=True), [result[order] for result in found])


@given(st.lists(st.integers(0, 2), min_size=37, max_size=37))
@settings(max_examples=20)
def test_any_split_of_the_rows_sums_to_the_whole(draw: Any, parts: list[int]) -> None:
    call = draw((37,), (41,), dim=16, **PACKED, cu_q=[0, 12, 37], cu_k=[0, 20, 41], mask_mode=3)
    whole = call.run()
    pieces = [call.run(rows=[row for row, part in enumerate(parts) if part == which][::-1]) for which in range(3)]
    for name in Gradients._fields:
        total = sum(getattr(piece, name) for piece in pieces)
        assert torch.allclose(total, getattr(whole, name), rtol=0, atol=1e-12)


@pytest.mark.parametrize("rows", [4, 2])
def test_calls_on_shards_of_the_rows_sum_to_the_whole(draw: Any, rows: int) -> None:
    """A shard that ends at row e of 8 sees keys as one with e queries fewer behind it: used keys shrink with it."""
    call = draw((1, 8), (1, 8), dim=16, mask_mode=3)
    whole, lse = call.run(), call.lse()
    dk = torch.zeros_like(call.k)
    for start in range(0, 8, rows):
        part, stop = slice(start, start + rows), start + rows
        p = call.p[:, part, :, :stop]
        shard = kl_loss_grad(call.q[:, part], call.k[:, :stop], call.w[:, part], p, lse[..., part], mask_mode=3)
        assert torch.allclose(shard.dq, whole.dq[:, part], rtol=0, atol=1e-12)
        dk[:, :stop] += shard.dk
    assert torch.allclose(dk, whole.dk, rtol=0, atol=1e-12)


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize("dtype", WIDE)
def test_rows_left_out_are_zero_and_the_others_keep_their_bits(draw: Any, dtype: torch.dtype) -> None:
    call = draw((2, 80), (2, 80), dtype=dtype, mask_mode=3)
    whole, some = call.run(deterministic=True), call.run(deterministic=True, rows=torch.tensor([159, 7, 80, 81, 3]))
    picked = torch.zeros(160, dtype=torch.bool)
    picked[[3, 7, 80, 81, 159]] = True
    for found, expected in ((some.dw, whole.dw), (some.softmax_out, whole.softmax_out)):
        assert torch.allclose(found.flatten(0, 1)[picked], expected.flatten(0, 1)[picked], rtol=1e-5, atol=1e-7)
        assert found.flatten(0, 1)[~picked].count_nonzero() == 0


@given(st.integers(1, 20), st.integers(1, 70), st.integers(1, 9), st.integers(1, 5), st.sampled_from([0, 3]))
@settings(max_examples=40)
def test_compiled_kernels_agree_with_plain_pytorch_on_odd_sizes(
    draw: Any, s1: int, s2: int, heads: int, ratio: int, mask: int
) -> None:
    lengths = {"mask_mode": mask, "cmp_ratio": ratio, "residual": [ratio - 1, 0], "seqused_k": [s2, s2 // 2]}
    call = draw((2, s1), (2, s2), heads=heads, dtype=torch.float32, **lengths)
    exact = type(call)(*(x.double() for x in (call.q, call.k, call.w, call.p)), call.geometry).run()
    for found, expected in zip(call.run(), exact, strict=True):
        assert (found - expected).norm() <= 1e-5 * (1 + expected.norm())
