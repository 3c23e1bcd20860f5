"""The gradient and its log-sum-exp as operators: who sees what, what is refused and how, what metadata decides.

Sources: recursion-ascend/ops-transformer @a093e95, `attention/dense_lightning_indexer_kl_loss_grad` (tiling, kernel),
`attention/dense_lightning_indexer_softmax_lse_v2`; public reports on comparable kernels for the edge cases.
"""

from itertools import pairwise
from typing import Any

import pytest
import torch

import cannery
import cannery.pytorch
from cannery import OperatorError, Stage
from cannery.core import AclnnStatus
from cannery.ops._lightning_indexer.split import Split

GRAD, LSE = "DenseLightningIndexerKLLossGrad", "DenseLightningIndexerSoftmaxLse"
OPS = torch.ops.cann_ops_transformer
TND = {"layout_q": "TND", "layout_k": "TND"}
INPUTS = ("q", "k", "w", "attn_softmax_l1_norm", "softmax_lse")
LENGTHS = ("cu_seqlens_q", "cu_seqlens_k", "seqused_q", "seqused_k", "cmp_residual_k")


def int32(values: Any) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int32)


class Call:
    """A packed call: random q, k, w and a target that sums to 1 on all columns; metadata for its rows on 32 cores."""

    def __init__(self, ends_q: list[int], ends_k: list[int], heads: int = 8, **attrs: Any) -> None:
        g = torch.Generator().manual_seed(ends_q[-1] * 100 + ends_k[-1])
        rows, keys = ends_q[-1], ends_k[-1]
        residual = attrs.pop("residual", None)
        widest = max(b - a for a, b in pairwise(ends_k))
        p = torch.rand(rows, 1, max(widest, 1), generator=g) + 0.01
        self.inputs: dict[str, torch.Tensor] = {
            "q": torch.randn(rows, heads, 128, generator=g).bfloat16(),
            "k": (torch.randn(keys, 1, 128, generator=g) / 10).bfloat16(),
            "w": torch.randn(rows, heads, generator=g) / 10,
            "attn_softmax_l1_norm": p / p.sum(-1, keepdim=True),
            "cu_seqlens_q": int32(ends_q),
            "cu_seqlens_k": int32(ends_k),
        }
        if residual is not None:
            self.inputs["cmp_residual_k"] = int32(residual)
        self.attrs = {**TND, **attrs}
        self.inputs["metadata"] = metadata(rows)

    def with_lse(self) -> "Call":
        """The same with the log-sum-exp of its scores."""
        self.inputs["softmax_lse"] = self.lse()
        return self

    def lse(self) -> torch.Tensor:
        named = zip(("query_index", "key_index", "weight"), ("q", "k", "w"), strict=True)
        tensors = {name: self.inputs[own] for name, own in named}
        tensors |= {name: self.inputs[name] for name in LENGTHS if name in self.inputs}
        rows = int(self.inputs["seqused_q"].sum() if "seqused_q" in self.inputs else self.inputs["cu_seqlens_q"][-1])
        if not len(self.inputs["q"]):
            return torch.zeros(1, 0)  # the operator refuses a call without rows
        plan = OPS.dense_lightning_indexer_softmax_lse_metadata(
            8, 1, 128, cu_seqlens_q=int32([0, rows]), cu_seqlens_k=int32([0, 1]), **TND
        )
        return cannery.run(LSE, {**tensors, "metadata": plan}, self.attrs)[0]

    def run(self, **options: Any) -> tuple[torch.Tensor, ...]:
        return tuple(cannery.run(GRAD, self.inputs, self.attrs, **options))


def metadata(rows: int, cores: int = 32) -> torch.Tensor:
    return int32([*Split.of(rows, cores).words, *[0] * 59])


def refused(call: Call, **options: Any) -> OperatorError:
    with pytest.raises(OperatorError) as caught:
        call.run(**options)
    return caught.value


@pytest.mark.parametrize(
    ("rows", "keys", "attrs", "visible"),
    [
        (4, 8, {}, [5, 6, 7, 8]),
        (2, 5, {}, [4, 5]),
        (6, 3, {}, [0, 0, 0, 1, 2, 3]),
        (8, 2, {"cmp_ratio": 4, "residual": [0]}, [0, 0, 0, 1, 1, 1, 1, 2]),
        (11, 2, {"cmp_ratio": 4, "residual": [3]}, [0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]),
        (9, 2, {"cmp_ratio": 4, "residual": [1]}, [0, 0, 0, 1, 1, 1, 1, 2, 2]),
        (10, 2, {"cmp_ratio": 4, "residual": [0]}, [0, 0, 0, 0, 0, 1, 1, 1, 1, 2]),
    ],
)
def test_a_softmax_row_has_its_visible_count_of_non_zeros(
    rows: int, keys: int, attrs: dict[str, Any], visible: list[int]
) -> None:
    call = Call([0, rows], [0, keys], mask_mode=3, **attrs).with_lse()
    y = call.run()[3]
    assert (y != 0).sum(-1).flatten().tolist() == visible
    assert [bool(lse.isneginf()) for lse in call.inputs["softmax_lse"][0]] == [count == 0 for count in visible]


def test_rows_that_see_nothing_may_hold_nan_and_leave_zeros() -> None:
    call = Call([0, 6], [0, 3], mask_mode=3).with_lse()
    clean = call.run()
    for name in ("q", "w", "attn_softmax_l1_norm"):
        call.inputs[name][:3] = torch.nan
    call.inputs["softmax_lse"][:, :3] = torch.nan
    outputs = call.run()
    assert all(map(torch.equal, outputs, clean))
    assert all(out[:3].eq(0).all() for out in (outputs[0], outputs[2], outputs[3]))


def test_empty_batches_between_others_change_nothing() -> None:
    whole = Call([0, 3, 3, 5], [0, 2, 4, 4]).with_lse()
    outputs = whole.run()
    alone = Call([0, 3], [0, 2])
    alone.inputs |= {name: whole.inputs[name][:3] for name in ("q", "w", "attn_softmax_l1_norm")}
    alone.inputs |= {"k": whole.inputs["k"][:2]}
    for found, expected, rows in zip(outputs, alone.with_lse().run(), (3, 2, 3, 3), strict=True):
        assert found[:rows].equal(expected)
    assert outputs[1][2:].eq(0).all()
    assert all(out[3:].eq(0).all() for out in (outputs[0], outputs[2], outputs[3]))


@pytest.mark.parametrize(("rows", "keys"), [(0, 4), (4, 0), (0, 0)])
def test_no_rows_or_no_keys_are_no_error(rows: int, keys: int) -> None:
    outputs = Call([0, rows], [0, keys]).with_lse().run()
    assert [out.shape[0] for out in outputs] == [rows, keys, rows, rows]
    assert all(out.eq(0).all() for out in outputs)


@pytest.mark.parametrize("parts", [[4, 4], [2, 2, 2, 2], [1, 7]])
def test_calls_on_some_rows_sum_to_the_whole(parts: list[int]) -> None:
    whole = Call([0, 8], [0, 6]).with_lse()
    whole.inputs |= {name: whole.inputs[name].double() for name in INPUTS}
    expected = whole.run()
    dk, start = torch.zeros_like(expected[1]), 0
    for rows in parts:
        part = Call([0, rows], [0, 6])
        part.inputs |= {name: whole.inputs[name][start : start + rows] for name in ("q", "w", "attn_softmax_l1_norm")}
        part.inputs |= {"k": whole.inputs["k"], "softmax_lse": whole.inputs["softmax_lse"][:, start : start + rows]}
        outputs = part.run()
        dk += outputs[1]
        assert outputs[0].allclose(expected[0][start : start + rows], rtol=1e-12)
        start += rows
    assert dk.allclose(expected[1], rtol=1e-12, atol=1e-14)


def test_the_softmax_is_scaled_by_the_mass_of_the_target() -> None:
    # One head, w = 1: the scores are the first elements of the keys.
    call = Call([0, 1], [0, 2], heads=1)
    call.inputs["q"].zero_()[0, 0, 0] = 1
    call.inputs["k"].zero_()[:, 0, 0] = torch.tensor([1.0, 2.0])
    call.inputs["w"].fill_(1)
    call.inputs["attn_softmax_l1_norm"][0, 0] = torch.tensor([0.2, 0.3])
    dq = call.with_lse().run()[0]
    # dq[0] = dI[0] * 1 + dI[1] * 2 with dI = (-.0655, +.0655)
    assert dq[0, 0, 0].item() == pytest.approx(0.0655, abs=5e-4)


@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        ({"softmax_lse": torch.bfloat16}, "softmax_lse"),
        ({"attn_softmax_l1_norm": torch.float16}, "attn_softmax_l1_norm"),
        ({"w": torch.float16}, "w"),
        ({"k": torch.float16}, "k"),
        ({"q": torch.int32}, "q"),
    ],
)
def test_a_wrong_data_type_is_refused_by_name(change: dict[str, torch.dtype], parameter: str) -> None:
    call = Call([0, 6], [0, 6]).with_lse()
    call.inputs |= {name: call.inputs[name].to(dtype) for name, dtype in change.items()}
    error = refused(call)
    assert (error.stage, error.parameter) == (Stage.TILING, parameter)
    assert error.code == AclnnStatus.ACLNN_ERR_INNER_TILING_ERROR


@pytest.mark.parametrize("index", range(4))
@pytest.mark.parametrize("fault", ["dtype", "shape"])
def test_a_wrong_buffer_is_refused_before_anything_is_written(index: int, fault: str) -> None:
    call = Call([0, 6], [0, 6]).with_lse()
    buffers = [torch.full_like(out, 7) for out in call.run()]
    wrong = buffers[index]
    buffers[index] = wrong.to(torch.float64) if fault == "dtype" else wrong[:-1].clone()
    assert refused(call, outputs=buffers).parameter == ("dq", "dk", "dw", "softmax_out")[index]
    assert all(buffer.eq(7).all() for buffer in buffers)


def test_inputs_have_the_same_bits_after_the_call() -> None:
    call = Call([0, 6], [0, 6], mask_mode=3).with_lse()
    before = {name: tensor.clone() for name, tensor in call.inputs.items()}
    call.run()
    assert all(torch.equal(call.inputs[name], before[name]) for name in before)


@pytest.mark.parametrize(
    ("attrs", "drop", "parameter"),
    [
        ({}, "metadata", "metadata"),
        ({"layout_q": "NTD"}, None, "layout_q"),
        ({"layout_k": "NTD"}, None, "layout_k"),
        ({"layout_k": "BSND"}, None, "layout_k"),
        ({"mask_mode": 1}, None, "mask_mode"),
        ({"cmp_ratio": 0}, None, "cmp_ratio"),
        ({"cmp_ratio": 129}, None, "cmp_ratio"),
        ({"mask_mode": 3, "cmp_ratio": 4}, None, "cmp_residual_k"),
        ({"layout_q": "BSND", "layout_k": "BSND"}, None, "q"),
        ({}, "cu_seqlens_q", "cu_seqlens_q"),
        ({}, "cu_seqlens_k", "cu_seqlens_k"),
    ],
)
def test_rules_on_attributes_answer_561002_in_order(attrs: dict[str, Any], drop: str | None, parameter: str) -> None:
    call = Call([0, 6], [0, 6]).with_lse()
    call.attrs |= attrs
    call.inputs.pop(drop or "", None)
    error = refused(call)
    assert (error.parameter, error.code) == (parameter, AclnnStatus.ACLNN_ERR_INNER_TILING_ERROR)


@pytest.mark.parametrize(
    ("name", "shape", "parameter"),
    [
        ("w", (5, 8), "w"),
        ("w", (6, 7), "w"),
        ("softmax_lse", (1, 5), "softmax_lse"),
        ("softmax_lse", (6, 1), "softmax_lse"),
        ("attn_softmax_l1_norm", (5, 1, 6), "attn_softmax_l1_norm"),
        ("attn_softmax_l1_norm", (6, 2, 6), "attn_softmax_l1_norm"),
        ("attn_softmax_l1_norm", (6, 6), "attn_softmax_l1_norm"),
        ("attn_softmax_l1_norm", (6, 1, 5), "attn_softmax_l1_norm"),
        ("q", (6, 8, 64), "q"),
        ("q", (6, 0, 128), "w"),
        ("q", (6, 129, 128), "w"),
        ("k", (6, 2, 128), "k"),
        ("k", (6, 128), "k"),
        ("k", (6, 1, 64), "k"),
    ],
)
def test_a_wrong_shape_is_refused_by_name(name: str, shape: tuple[int, ...], parameter: str) -> None:
    call = Call([0, 6], [0, 6]).with_lse()
    call.inputs[name] = torch.zeros(shape, dtype=call.inputs[name].dtype)
    assert refused(call).parameter == parameter


@pytest.mark.parametrize("heads", [1, 128])
def test_1_to_128_heads(heads: int) -> None:
    assert Call([0, 2], [0, 3], heads=heads).with_lse().run()[0].shape == (2, heads, 128)


@pytest.mark.parametrize(
    ("name", "values", "parameter", "words"),
    [
        ("cu_seqlens_q", [1, 6], "cu_seqlens_q", "found 1 at index 0"),
        ("cu_seqlens_q", [0, 7], "cu_seqlens_q", "at most 6"),
        ("cu_seqlens_k", [0, 7], "cu_seqlens_k", "at most 6"),
        ("seqused_q", [7], "seqused_q", "0 .. 6"),
        ("seqused_k", [7], "seqused_k", "0 .. 6"),
        ("seqused_q", [-1], "seqused_q", "found -1"),
        ("cmp_residual_k", [4], "cmp_residual_k", "4"),
        ("cmp_residual_k", [-1], "cmp_residual_k", "-1"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_name(name: str, values: list[int], parameter: str, words: str) -> None:
    call = Call([0, 6], [0, 6], mask_mode=3, cmp_ratio=4, residual=[0]).with_lse()
    call.inputs[name] = int32(values)
    error = refused(call)
    assert (error.stage, error.parameter) == (Stage.LAUNCH, parameter)
    assert words in str(error)


@pytest.mark.parametrize(
    ("name", "tensor"),
    [
        ("seqused_q", int32([])),
        ("seqused_k", int32([1, 1])),
        ("cmp_residual_k", int32([])),
        ("cu_seqlens_k", int32([0, 3, 6])),
        ("seqused_q", torch.ones(1)),
        ("metadata", int32([0] * 63)),
        ("metadata", torch.zeros(64)),
    ],
)
def test_lengths_of_another_size_or_type_are_refused_where_the_original_reads_them_unseen(
    name: str, tensor: torch.Tensor
) -> None:
    call = Call([0, 6], [0, 6]).with_lse()
    call.inputs[name] = tensor
    assert refused(call).parameter == name


def test_a_required_input_that_is_not_passed_answers_161002() -> None:
    call = Call([0, 6], [0, 6]).with_lse()
    del call.inputs["softmax_lse"]
    error = refused(call)
    assert (error.parameter, error.code) == ("softmax_lse", AclnnStatus.ACLNN_ERR_PARAM_INVALID)


def test_metadata_of_another_number_of_rows_is_refused_naming_both() -> None:
    call = Call([0, 101], [0, 101]).with_lse()
    call.inputs["metadata"] = metadata(100)
    error = refused(call)
    assert error.parameter == "metadata"
    assert ("100 rows" in error.found, "101 rows" in error.expected) == (True, True)


def test_metadata_of_another_number_of_cores_is_refused_naming_both() -> None:
    call = Call([0, 101], [0, 101]).with_lse()
    call.inputs["metadata"] = metadata(101, cores=24)
    error = refused(call)
    assert ("24 cores" in error.found, "32 cores" in error.expected) == (True, True)
    few = Call([0, 10], [0, 10]).with_lse()
    few.inputs["metadata"] = metadata(10, cores=24)
    assert "24 cores" in refused(few).found


def test_the_other_operators_metadata_is_refused() -> None:
    call = Call([0, 101], [0, 101]).with_lse()
    plan = OPS.dense_lightning_indexer_softmax_lse_metadata
    call.inputs["metadata"] = plan(8, 1, 128, batch_size=1, max_seqlen_q=101)
    assert refused(call).parameter == "metadata"


def test_metadata_with_unwritten_words_fits() -> None:
    call = Call([0, 101], [0, 101]).with_lse()
    expected = call.run()
    call.inputs["metadata"][5:] = -12345
    assert all(map(torch.equal, call.run(), expected))


def test_faithful_metadata_without_rows_fits() -> None:
    call = Call([0, 0], [0, 4]).with_lse()
    call.inputs["metadata"] = int32([0, 0, -1, 0, 0] + [0] * 59)
    assert call.run()[1].eq(0).all()


def test_faithful_the_rows_that_are_dealt_out_are_computed() -> None:
    call = Call([0, 101], [0, 101]).with_lse()
    expected = call.run()
    call.inputs["metadata"] = metadata(40)
    dq = call.run(quirks=True)[0]
    assert dq[:40].equal(expected[0][:40])
    assert dq[40:].eq(0).all()


def test_faithful_metadata_of_more_cores_than_are_launched_skips_rows() -> None:
    call = Call([0, 101], [0, 101]).with_lse()
    dq = call.run(quirks=True, soc=cannery.soc("Ascend950", aic_cores=24))[0]
    # 32 cores were planned: 24 of them take every 32nd row, three or four each.
    skipped = {row for row in range(101) if row % 32 >= 24}
    assert {row for row in range(101) if dq[row].eq(0).all()} >= skipped
    assert all(dq[row].ne(0).any() for row in range(24))


def test_faithful_metadata_of_fewer_cores_than_are_launched_computes_every_row_once() -> None:
    call = Call([0, 101], [0, 101]).with_lse()
    expected = call.run()
    call.inputs["metadata"] = metadata(101, cores=24)
    assert all(map(torch.equal, call.run(quirks=True), expected))


def test_faithful_forged_metadata_stays_within_the_rows() -> None:
    call = Call([0, 9], [0, 9]).with_lse()
    call.inputs["metadata"] = int32([2**31 - 1, 2**31 - 1, -1, 0, 7] + [0] * 59)
    assert call.run(quirks=True)[0].isfinite().all()


def test_an_engine_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="engine: found 'aicore', expected one of eager"):
        Call([0, 6], [0, 6]).with_lse().run(engine="aicore")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_faithful_wide_inputs_are_refused(dtype: torch.dtype) -> None:
    call = Call([0, 6], [0, 6]).with_lse()
    wide = torch.promote_types(dtype, torch.float32)
    call.inputs |= {name: call.inputs[name].to(dtype if name in ("q", "k") else wide) for name in INPUTS}
    assert call.run()[0].dtype is dtype
    assert refused(call, quirks=True).parameter == "q"


def test_a_chip_without_the_kernel_is_refused() -> None:
    error = refused(Call([0, 6], [0, 6]).with_lse(), soc="Ascend910B1")
    assert (error.parameter, error.code) == ("soc", AclnnStatus.ACLNN_ERR_INNER_FIND_KERNEL_ERROR)


def test_the_lse_leaves_blind_rows_to_the_buffer_when_faithful() -> None:
    call = Call([0, 6], [0, 3], mask_mode=3)
    tensors = dict(zip(("query_index", "key_index", "weight"), (call.inputs[n] for n in ("q", "k", "w")), strict=True))
    tensors |= {name: call.inputs[name] for name in ("cu_seqlens_q", "cu_seqlens_k")}
    tensors["metadata"] = int32([6, 0, 1, 0] + [0] * 60)
    buffer = torch.full((1, 6), 7.0)
    cannery.run(LSE, tensors, call.attrs, outputs=[buffer], quirks=True)
    assert buffer[0, :3].tolist() == [7.0] * 3
    plain = cannery.run(LSE, tensors, call.attrs)[0]
    assert plain[0, :3].isneginf().all()
    assert plain[0, 3:].equal(buffer[0, 3:])


def test_the_lse_refuses_metadata_that_does_not_fit() -> None:
    call = Call([0, 101], [0, 101])
    tensors = dict(zip(("query_index", "key_index", "weight"), (call.inputs[n] for n in ("q", "k", "w")), strict=True))
    tensors |= {name: call.inputs[name] for name in ("cu_seqlens_q", "cu_seqlens_k")}
    plan = OPS.dense_lightning_indexer_softmax_lse_metadata
    for rows, soc, words in ((100, None, "100 rows"), (101, cannery.soc("Ascend950", aic_cores=24), "24 busy cores")):
        with cannery.pytorch.target(soc):
            tensors["metadata"] = plan(8, 1, 128, batch_size=1, max_seqlen_q=rows)
        with pytest.raises(OperatorError, match=words):
            cannery.run(LSE, tensors, call.attrs)
