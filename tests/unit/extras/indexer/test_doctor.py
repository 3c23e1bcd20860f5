"""indexer_report: each kind of fault on a line of its own, with its number; saving and loading a call."""

from pathlib import Path
from typing import Any

import pytest
import torch

import cannery
from cannery.extras.indexer.doctor import CallFileError, load_call
from cannery.extras.indexer.work import RowCost
from cannery.ops._lightning_indexer.geometry import ArgumentError
from cannery.ops._lightning_indexer.lse import softmax_lse
from cannery.pytorch import indexer_report, save_call


def call(**changes: Any) -> dict[str, Any]:
    """A healthy padded causal call of two batches, with changes."""
    g = torch.Generator().manual_seed(0)
    q, k = torch.randn(2, 6, 4, 128, generator=g).bfloat16(), torch.randn(2, 6, 1, 128, generator=g).bfloat16() / 8
    w, p = torch.randn(2, 6, 4, generator=g), torch.rand(2, 6, 1, 6, generator=g).tril()
    plan = torch.ops.cann_ops_transformer.dense_lightning_indexer_kl_loss_grad_metadata
    return {
        "q": q,
        "k": k,
        "w": w,
        "attn_softmax_l1_norm": p / p.sum(-1, keepdim=True),
        "softmax_lse": softmax_lse(q, k, w, mask_mode=3),
        "metadata": plan(4, 1, 128, batch_size=2, max_seqlen_q=6),
        "mask_mode": 3,
        **changes,
    }


def wrong(report: Any) -> list[str]:
    return [finding.title for finding in report.findings if finding.is_wrong]


def test_a_healthy_call_is_said_to_be_healthy() -> None:
    report = indexer_report(**call())
    assert report.is_healthy
    assert report.mass == pytest.approx((1, 1, 1))
    assert (report.blind_rows, report.lse_error) == (0, 0.0)
    assert "WRONG" not in str(report)
    assert len(str(report).splitlines()) == len(report.findings)


def test_the_mass_of_the_target_is_measured_over_what_is_visible() -> None:
    given = call()
    report = indexer_report(**{**given, "attn_softmax_l1_norm": given["attn_softmax_l1_norm"] / 2})
    assert report.mass == pytest.approx((0.5, 0.5, 0.5))
    assert wrong(report) == ["row mass of p"]
    hidden = given["attn_softmax_l1_norm"].clone()
    hidden[:, 0, 0, 5] = torch.nan
    assert indexer_report(**{**given, "attn_softmax_l1_norm": hidden}).is_healthy


def test_nan_in_the_target_or_the_lse_is_wrong() -> None:
    given = call()
    p, lse = given["attn_softmax_l1_norm"].clone(), given["softmax_lse"].clone()
    p[0, 3, 0, 0], lse[1, 0, 2] = torch.nan, torch.nan
    report = indexer_report(**{**given, "attn_softmax_l1_norm": p, "softmax_lse": lse})
    assert wrong(report) == ["row mass of p", "largest |logsumexp(I) - lse|"]
    assert "at row 8" in str(report)


def test_an_lse_of_other_scores_is_found_with_its_row() -> None:
    given = call()
    lse = given["softmax_lse"].clone()
    lse[1, 0, 4] += 0.5
    report = indexer_report(**{**given, "softmax_lse": lse})
    assert report.lse_error == pytest.approx(0.5, abs=1e-6)
    assert wrong(report) == ["largest |logsumexp(I) - lse|"]
    assert "0.5 at row 10" in str(report)


def test_rows_that_see_nothing_are_counted() -> None:
    given = call()
    keys = {name: given[name][:, :4] for name in ("k",)}
    lse = softmax_lse(given["q"], keys["k"], given["w"], mask_mode=3)
    report = indexer_report(**{**given, **keys, "softmax_lse": lse})
    assert report.blind_rows == 4


@pytest.mark.parametrize(
    ("changes", "title", "words"),
    [
        ({"cmp_ratio": 4, "cmp_residual_k": [3, 4]}, "residual", "1 of 2 are not below cmp_ratio"),
        ({"seqused_q": [7, 1]}, "offsets", "seqused_q: found 7"),
        ({"layout_q": "TND", "layout_k": "TND"}, "operator", "q: found 4 dims, expected 3 dims for layout TND"),
        ({"cmp_ratio": 4}, "operator", "cmp_residual_k: found nothing"),
        ({"mask_mode": 7}, "operator", "mask_mode: found 7, expected 0 or 3"),
        ({"w": torch.ones(2, 5, 4)}, "operator", "w: found [2, 5, 4], expected [2, 6, 4]"),
        ({"softmax_lse": torch.ones(2, 1, 5)}, "operator", "softmax_lse: found [2, 1, 5], expected [2, 1, 6]"),
        ({"seqused_q": torch.tensor([5, 1])}, "operator", "seqused_q: found int64, expected int32"),
        ({"metadata": torch.zeros(2, dtype=torch.int32)}, "operator", "metadata: found 2 elements, expected 64"),
        ({"attn_softmax_l1_norm": torch.ones(2, 6, 1, 3)}, "columns", "3 columns, a row sees at most 6 keys"),
    ],
)
def test_what_cannot_be_computed_is_said_and_the_rest_left_out(changes: dict[str, Any], title: str, words: str) -> None:
    report = indexer_report(**call(**changes))
    assert wrong(report) == [title]
    assert words in str(report)
    assert (report.mass, report.lse_error, report.balances) == (None, None, ())


def test_offsets_and_residual_are_both_named() -> None:
    report = indexer_report(**call(cmp_residual_k=[0, 1], seqused_k=[9, 1]))
    assert wrong(report) == ["offsets", "residual"]


def test_metadata_of_another_call_is_found() -> None:
    plan = torch.ops.cann_ops_transformer.dense_lightning_indexer_kl_loss_grad_metadata
    report = indexer_report(**call(metadata=plan(4, 1, 128, batch_size=1, max_seqlen_q=11)))
    assert wrong(report) == ["metadata"]
    assert "made for 11 rows on 32 cores, the call has 12 on 32" in str(report)


def test_the_imbalance_of_the_split_and_its_cost_model_are_said() -> None:
    report = indexer_report(**call(metadata=None), soc=cannery.soc("Ascend950", aic_cores=4))
    # Rows of two causal documents of 6 cost 1..6 twice: cores get (1, 5, 3), (2, 6, 4), (3, 1, 5), (4, 2, 6) of 42.
    assert report.balances[0].costs.tolist() == [9, 12, 9, 12]
    assert report.balances[0].ratio == pytest.approx(12 / 10.5)
    assert "a row costs 1 a visible key + 0 fixed" in str(report)
    fixed = indexer_report(**call(metadata=None), cost=RowCost(fixed=2, tile=1))
    assert "1 a visible key + 1 a tile of 128 keys + 2 fixed" in str(fixed)


@pytest.mark.parametrize(
    ("change", "parameter"), [({"q": None}, "q"), ({"beta": 1}, "call"), ({"seqused_q": [2**40]}, "seqused_q")]
)
def test_an_incomplete_call_is_refused_by_name(change: dict[str, Any], parameter: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        indexer_report(**call(**change))
    assert caught.value.parameter == parameter


def test_a_saved_call_comes_back_with_its_bits_and_attributes(tmp_path: Path) -> None:
    given = call(cmp_ratio=1)
    save_call(tmp_path / "call.safetensors", **given)
    loaded = load_call(tmp_path / "call.safetensors")
    assert all(loaded[name].equal(value) for name, value in given.items() if isinstance(value, torch.Tensor))
    assert (loaded["mask_mode"], loaded["layout_q"]) == (3, "BSND")
    assert str(indexer_report(**loaded)) == str(indexer_report(**given))


def test_views_that_share_memory_can_be_saved(tmp_path: Path) -> None:
    given = call()
    given["k"] = given["q"][:, :, :1]
    save_call(tmp_path / "call.safetensors", **given)
    assert load_call(tmp_path / "call.safetensors")["k"].equal(given["k"])


def test_a_file_that_is_no_saved_call_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "call.safetensors"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(CallFileError, match=r"call\.safetensors: found .*, expected a safetensors file"):
        load_call(path)


def test_lengths_given_as_lists_are_saved_too(tmp_path: Path) -> None:
    save_call(tmp_path / "call.safetensors", **call(seqused_q=[3, 6]))
    assert load_call(tmp_path / "call.safetensors")["seqused_q"].tolist() == [3, 6]
