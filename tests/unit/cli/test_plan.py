"""``cannery plan`` and ``cannery indexer doctor``: tables, JSON, pictures, exit codes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import torch

Run = Callable[..., Any]


def planned(cannery: Run, *words: str) -> dict[str, Any]:
    return dict(json.loads(cannery("plan", *words, "--json").out))


def test_the_metadata_of_a_chip(cannery: Run) -> None:
    assert planned(cannery, "511")["metadata"] == [511, 16, 15, 1, 32]
    assert planned(cannery, "511", "--aic-cores", "24")["metadata"] == [511, 22, 21, 17, 24]
    assert planned(cannery, "511", "--soc", "Ascend950PR_9599")["metadata"] == [511, 15, 14, 29, 36]


def test_who_does_which_rows(cannery: Run) -> None:
    cores = planned(cannery, "5", "--soc", "Ascend950PR_950z")["schedules"]
    assert cores["strided"]["runs"] == [[[0, 5, 4]], [[1, 5, 4]], [[2, 5, 4]], [[3, 5, 4]]]
    assert cores["strided"]["rows"] == [2, 1, 1, 1]
    assert cores["contiguous"]["runs"][0] == [[0, 2, 1]]


def test_compressed_short_documents(cannery: Run) -> None:
    schedules = planned(cannery, "256x128", "--cmp-ratio", "128")["schedules"]
    assert schedules["strided"]["ratio"] == 32.0
    assert schedules["cost-aware"]["ratio"] <= 1.05
    fixed = planned(cannery, "256x128", "--cmp-ratio", "128", "--fixed", "1")
    assert fixed["cost"] == {"key": 1.0, "tile": 0.0, "tile_keys": 128, "fixed": 1.0}
    assert fixed["schedules"]["strided"]["ratio"] < 1.5


def test_key_lengths_default_to_whole_groups_with_the_rest_as_residual(cannery: Run) -> None:
    assert planned(cannery, "11", "--cmp-ratio", "4")["total_cost"] == 0 + 0 + 0 + 4 * 1 + 4 * 2
    assert planned(cannery, "4", "--keys", "8")["total_cost"] == 5 + 6 + 7 + 8
    assert planned(cannery, "4", "--keys", "8", "--mask-mode", "0")["total_cost"] == 4 * 8


def test_the_page_says_split_balance_and_cost_model(cannery: Run) -> None:
    out = cannery("plan", "4096", "--aic-cores", "24").out
    for words in ("4096 rows of 1 documents on 24 of 24 cube cores", "strided", "zigzag", "cost-aware", "0 fixed"):
        assert words in out
    assert "core c computes rows c + 24 * i" in out
    assert "no core has work" in cannery("plan", "0").out


def test_pictures_are_well_formed_and_have_a_bar_a_core_and_schedule(cannery: Run, tmp_path: Path) -> None:
    svg, html = tmp_path / "plan.svg", tmp_path / "plan.html"
    assert cannery("plan", "64,3x5", "--svg", str(svg), "--html", str(html)).code == 0
    bars = ElementTree.fromstring(svg.read_text()).iter("{http://www.w3.org/2000/svg}rect")
    assert len(list(bars)) == 4 * 32
    assert "<svg" in html.read_text() and "busiest / ideal" in html.read_text()
    assert cannery("plan", "0", "--svg", str(svg)).code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("12,3z",), "lengths: found '3z', expected a number or COUNTxLENGTH"),
        (("x3",), "lengths: found 'x3'"),
        (("4,4", "--keys", "4"), "k_lengths: found 1 documents, expected 2"),
        (("4", "--mask-mode", "1"), "mask_mode: found 1, expected 0 or 3"),
        (("4", "--soc", "Ascend999"), "soc: found 'Ascend999'"),
        (("4", "--aic-cores", "0"), "aic_cores: found 0, expected 1 to 32"),
        (("4", "--key", "-1"), "key: found -1.0, expected a finite cost, at least 0"),
        (("4", "--fixed", "nan"), "fixed: found nan, expected a finite cost, at least 0"),
    ],
)
def test_what_cannot_be_planned_is_one_line_and_exit_code_2(cannery: Run, words: tuple[str, ...], message: str) -> None:
    ended = cannery("plan", *words)
    assert ended.code == 2
    assert message in ended.err and ended.err.count("\n") == 1


def saved(path: Path, mass: float) -> Path:
    from cannery.ops._lightning_indexer.lse import softmax_lse
    from cannery.pytorch import save_call

    q, k, w = torch.ones(1, 3, 2, 128).bfloat16(), torch.ones(1, 3, 1, 128).bfloat16(), torch.ones(1, 3, 2)
    p = torch.full((1, 3, 1, 3), mass / 3)
    save_call(path, q=q, k=k, w=w, attn_softmax_l1_norm=p, softmax_lse=softmax_lse(q, k, w))
    return path


def test_the_doctor_ends_with_0_for_a_healthy_call_and_1_otherwise(cannery: Run, tmp_path: Path) -> None:
    healthy = cannery("indexer", "doctor", str(saved(tmp_path / "a.safetensors", 1.0)))
    assert (healthy.code, "WRONG" in healthy.out) == (0, False)
    sick = cannery("indexer", "doctor", str(saved(tmp_path / "b.safetensors", 0.5)))
    assert sick.code == 1
    assert "WRONG  row mass of p: 0.5 to 0.5" in sick.out


def test_the_doctor_says_what_is_no_saved_call(cannery: Run, tmp_path: Path) -> None:
    (tmp_path / "c.safetensors").write_bytes(b"x")
    for name in ("c.safetensors", "none.safetensors"):
        ended = cannery("indexer", "doctor", str(tmp_path / name))
        assert (ended.code, name in ended.err, ended.err.count("\n")) == (2, True, 1)


def test_two_pages_do_not_go_to_one_file(cannery: Run, tmp_path: Path) -> None:
    path = tmp_path / "plan.html"
    ended = cannery("plan", "64", "--svg", str(path), "--html", str(path))
    assert ended.code == 2 and "which is the place of --svg" in ended.err and not path.exists()
