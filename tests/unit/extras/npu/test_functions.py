"""The operators of torch_npu against their definitions."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from cannery.core.published import Absent
from cannery.extras.npu import attention, fused, grouped
from cannery.extras.npu.functions import operators


def test_rms_norm() -> None:
    x, gamma = torch.randn(2, 3, 8), torch.randn(8)
    result, rstd = fused.npu_rms_norm(x, gamma, 1e-5)
    torch.testing.assert_close(result, functional.rms_norm(x, (8,), gamma, 1e-5))
    torch.testing.assert_close(rstd, 1 / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt())


def test_rms_norm_over_two_dimensions_in_half_precision() -> None:
    x, gamma = torch.randn(2, 3, 8).half(), torch.randn(3, 8).half()
    result, rstd = fused.npu_rms_norm(x, gamma)
    assert (result.dtype, rstd.dtype, rstd.shape) == (torch.float16, torch.float32, (2, 1, 1))
    torch.testing.assert_close(
        result.float(), functional.rms_norm(x.float(), (3, 8), gamma.float(), 1e-6), rtol=1e-3, atol=1e-3
    )


def test_add_rms_norm() -> None:
    x, y, gamma = torch.randn(2, 8), torch.randn(2, 8), torch.randn(8)
    result, _, total = fused.npu_add_rms_norm(x, y, gamma)
    assert torch.equal(total, x + y)
    assert torch.equal(result, fused.npu_rms_norm(total, gamma)[0])


def test_rotary_embedding_of_halves_and_of_neighbours() -> None:
    angle = torch.tensor([0.3, 1.1])
    x = torch.randn(5, 4)
    turned = torch.complex(x[:, :2], x[:, 2:]) * torch.polar(torch.ones(2), angle)
    half = fused.npu_rotary_mul(x, angle.cos().repeat(2), angle.sin().repeat(2))
    torch.testing.assert_close(half, torch.cat([turned.real, turned.imag], -1))
    turned = torch.complex(x[:, ::2], x[:, 1::2]) * torch.polar(torch.ones(2), angle)
    cos, sin = angle.cos().repeat_interleave(2), angle.sin().repeat_interleave(2)
    torch.testing.assert_close(fused.npu_rotary_mul(x, cos, sin, "interleave"), torch.view_as_real(turned).flatten(1))
    with pytest.raises(ValueError, match="found 'other', expected 'half' or 'interleave'"):
        fused.npu_rotary_mul(x, cos, sin, "other")


def test_swiglu_and_its_gradient() -> None:
    x = torch.randn(2, 8, dtype=torch.float32, requires_grad=True)
    gate, value = x.chunk(2, -1)
    expected = functional.silu(gate) * value
    torch.testing.assert_close(fused.npu_swiglu(x), expected)
    torch.testing.assert_close(
        torch.autograd.grad(fused.npu_swiglu(x).sum(), x)[0], torch.autograd.grad(expected.sum(), x)[0]
    )


def test_permuted_tokens_come_back() -> None:
    tokens, experts = torch.randn(5, 3), torch.tensor([[2, 0], [1, 2], [0, 1], [0, 2], [1, 0]])
    permuted, places = fused.npu_moe_token_permute(tokens, experts)
    assert places.dtype is torch.int32
    assert torch.equal(permuted[places[1].long()], tokens[0])
    probs = torch.tensor([[0.25, 0.75]]).repeat(5, 1)
    torch.testing.assert_close(fused.npu_moe_token_unpermute(permuted, places, probs), tokens)


def test_dropped_tokens_count_as_nothing() -> None:
    tokens, experts = torch.ones(3, 2), torch.tensor([[0], [1], [2]])
    permuted, places = fused.npu_moe_token_permute(tokens, experts, num_out_tokens=2)
    assert permuted.shape == (2, 2)
    assert fused.npu_moe_token_unpermute(permuted, places, torch.ones(3, 1)).tolist() == [[1, 1], [1, 1], [0, 0]]


def test_masked_softmax() -> None:
    x, mask = torch.randn(1, 2, 3, 3), torch.ones(3, 3, dtype=torch.bool).triu(1)
    expected = (x * 0.5).masked_fill(mask, -1e9).softmax(-1)
    torch.testing.assert_close(fused.npu_scaled_masked_softmax(x, mask, 0.5), expected)


LAYOUTS = {
    "BNSD": lambda x: x,
    "BSND": lambda x: x.transpose(1, 2),
    "BSH": lambda x: x.transpose(1, 2).flatten(2),
    "SBH": lambda x: x.permute(2, 0, 1, 3).flatten(2),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("key_heads", [1, 2, 4])
def test_attention_in_every_layout_with_fewer_key_heads(layout: str, key_heads: int) -> None:
    q, k, v = torch.randn(2, 4, 5, 8), torch.randn(2, key_heads, 7, 8), torch.randn(2, key_heads, 7, 8)
    mask = torch.rand(5, 7) < 0.3
    mask[:, 0] = False
    expected = functional.scaled_dot_product_attention(q, k, v, ~mask, scale=0.3, enable_gqa=True)
    place = LAYOUTS[layout]
    result = attention.npu_fusion_attention(place(q), place(k), place(v), 4, layout, atten_mask=mask, scale=0.3)
    torch.testing.assert_close(result[0], place(expected))
    assert (result[1].shape, result[2].shape, result[3].numel()) == ((2, 4, 5, 8), (2, 4, 5, 8), 0)


@pytest.mark.parametrize(
    ("mode", "seen"),
    [
        (2, lambda row, column: column <= row),
        (3, lambda row, column: column <= row + 2),
        (4, lambda row, column: row + 2 - 3 <= column <= row + 2 + 1),
    ],
)
def test_structured_masks(mode: int, seen: object) -> None:
    q, k, v = torch.randn(1, 1, 3, 8), torch.randn(1, 1, 5, 8), torch.randn(1, 1, 5, 8)
    visible = torch.tensor([[seen(row, column) for column in range(5)] for row in range(3)])  # type: ignore[operator]
    result = attention.npu_fusion_attention(
        q,
        k,
        v,
        1,
        "BNSD",
        atten_mask=torch.ones(2048, 2048).triu(1).bool(),
        sparse_mode=mode,
        pre_tockens=3,
        next_tockens=1,
    )
    torch.testing.assert_close(result[0], functional.scaled_dot_product_attention(q, k, v, visible, scale=1.0))


def test_packed_attention_keeps_sequences_apart() -> None:
    q, k, v = (torch.randn(6, 2, 8) for _ in range(3))
    packed = attention.npu_fusion_attention(
        q, k, v, 2, "TND", actual_seq_qlen=[2, 6], actual_seq_kvlen=[2, 6], sparse_mode=3, scale=0.5
    )
    for part in (slice(0, 2), slice(2, 6)):
        heads = (x[part].transpose(0, 1).unsqueeze(0) for x in (q, k, v))
        alone = functional.scaled_dot_product_attention(*heads, is_causal=True, scale=0.5)
        torch.testing.assert_close(packed[0][part], alone.squeeze(0).transpose(0, 1))
    assert packed[1].shape == (6, 2, 8)


def test_a_row_that_sees_nothing_is_zero() -> None:
    q = torch.randn(1, 1, 2, 8)
    mask = torch.tensor([[True, True], [False, False]])
    result = attention.npu_fusion_attention(q, q, q, 1, "BNSD", atten_mask=mask)[0]
    assert result[0, 0, 0].abs().sum() == 0
    assert result.isfinite().all()


@pytest.mark.parametrize(
    "options", [{"sparse_mode": 5}, {"padding_mask": torch.ones(1)}, {"prefix": [1]}], ids=lambda o: next(iter(o))
)
def test_attention_refuses_by_name(options: dict[str, object]) -> None:
    q = torch.randn(1, 1, 2, 8)
    with pytest.raises(NotImplementedError, match=r"torch_npu\.npu_fusion_attention"):
        attention.npu_fusion_attention(q, q, q, 1, "BNSD", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("groups", "kind"), [([2, 2, 5], 0), ([2, 0, 3], 1), (torch.tensor([2, 0, 3]), 1)])
def test_grouped_matmul(groups: object, kind: int) -> None:
    x, weight = torch.randn(5, 3), torch.randn(3, 3, 4)
    (result,) = grouped.npu_grouped_matmul(
        [x],
        [weight],
        group_list=groups,
        group_list_type=kind,
        group_type=0,
        split_item=3,  # type: ignore[arg-type]
    )
    torch.testing.assert_close(result, torch.cat([x[:2] @ weight[0], x[2:] @ weight[2]]))


@pytest.mark.parametrize(("groups", "kind"), [([2, 2, 5], 0), ([2, 0, 3], 1)])
def test_grouped_along_k(groups: list[int], kind: int) -> None:
    x, weight = torch.randn(4, 5), torch.randn(5, 3)
    expected = [x[:, :2] @ weight[:2], torch.zeros(4, 3), x[:, 2:] @ weight[2:]]
    options = {"group_list": torch.tensor(groups), "group_list_type": kind, "group_type": 2}
    (result,) = grouped.npu_grouped_matmul([x], [weight], split_item=3, **options)  # type: ignore[arg-type]
    torch.testing.assert_close(result, torch.stack(expected))
    several = grouped.npu_grouped_matmul([x], list(weight.split([2, 0, 3])), **options)  # type: ignore[arg-type]
    torch.testing.assert_close(several, expected)


def test_packed_sequences_may_be_empty_or_left_out() -> None:
    q, k, v = torch.randn(9, 2, 8), torch.randn(7, 2, 8), torch.randn(7, 2, 4)
    options = {"actual_seq_qlen": [0, 4, 4, 6, 0], "actual_seq_kvlen": [3, 5, 5, 5, 0]}
    result, top, total, *_ = attention.npu_fusion_attention(q, k, v, 2, "tnd", scale=0.5, **options)  # type: ignore[arg-type]
    assert (result.shape, top.shape, total.shape) == ((9, 2, 4), (9, 2, 8), (9, 2, 8))
    heads = (x.transpose(0, 1) for x in (q[:4], k[3:5], v[3:5]))
    alone = functional.scaled_dot_product_attention(*heads, scale=0.5)
    torch.testing.assert_close(result[:4], alone.transpose(0, 1))
    assert not result[4:].any()


def test_packed_sequences_share_the_mask_of_the_longest() -> None:
    q = torch.randn(5, 1, 8)
    mask = torch.ones(3, 3).triu(1).bool()
    result = attention.npu_fusion_attention(
        q, q, q, 1, "TND", atten_mask=mask, actual_seq_qlen=[2, 5], actual_seq_kvlen=[2, 5]
    )[0]
    torch.testing.assert_close(result[0], q[0])
    torch.testing.assert_close(result[2], q[2])


def test_tables_are_taken_in_the_dtype_of_what_is_turned() -> None:
    x, cos, sin = torch.randn(1, 2, 3, 4).half(), torch.randn(1, 2, 1, 4), torch.randn(1, 2, 1, 4)
    result = fused.npu_rotary_mul(x, cos, sin)
    assert result.dtype is torch.float16
    turn = torch.zeros(4, 4)
    turn[:2, 2:], turn[2:, :2] = torch.eye(2), -torch.eye(2)
    torch.testing.assert_close(fused.npu_rotary_mul(x, cos, sin, rotate=turn), result)


@pytest.mark.parametrize(("asked", "rows"), [(None, 6), (0, 6), (4, 4), (-2, 4), (9, 6)])
def test_how_many_tokens_are_permuted(asked: int | None, rows: int) -> None:
    experts = torch.tensor([[2, 0], [1, 2], [0, 1]])
    assert fused.npu_moe_token_permute(torch.randn(3, 4), experts, asked)[0].shape == (rows, 4)


def test_every_name_is_a_function_or_refuses_by_its_name() -> None:
    for name, function in operators().items():
        if isinstance(function, Absent):
            with pytest.raises(NotImplementedError, match=name):
                function()
        else:
            assert function.__name__ == name
