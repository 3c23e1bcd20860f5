"""The demo's batch is real and the same every time; what it claims is checked, and a fault ends with code 1."""

import tokenize
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from cannery.cli import corpus, demo, packing
from cannery.cli.corpus import CorpusError, RaggedBatch


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> RaggedBatch:
    """The same batch, narrow and short."""
    monkeypatch.setattr(corpus, "MAX_TOKENS", 64)
    monkeypatch.setattr(packing, "MAX_TOKENS", 64)
    monkeypatch.setattr(corpus, "WIDTH", 16)
    return corpus.ragged_batch()


def test_the_batch_is_made_of_the_interpreters_own_sources(small: RaggedBatch) -> None:
    assert len(small.names) == len(set(small.names)) == 32
    for name, count in zip(small.names, small.tokens, strict=True):
        with tokenize.open(Path(tokenize.__file__).with_name(name)) as file:
            assert sum(1 for _ in tokenize.generate_tokens(file.readline)) == count


def test_samples_are_cut_and_the_rest_is_zero(small: RaggedBatch) -> None:
    assert small.padded.shape == (32, 64, 16) and small.padded.dtype == torch.float16
    assert list(small.lengths) == [min(64, count) for count in small.tokens]
    for sample, length in zip(small.padded, small.lengths, strict=True):
        assert sample[length:].count_nonzero() == 0
        assert sample[:length].any(dim=1).all()


def test_the_same_interpreter_gives_the_same_bytes(small: RaggedBatch) -> None:
    again = corpus.ragged_batch()
    assert torch.equal(again.padded.view(torch.int16), small.padded.view(torch.int16))
    assert (again.names, again.tokens) == (small.names, small.tokens)


def test_an_interpreter_without_sources_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    with pytest.raises(CorpusError, match=r"found 0 source files .* expected at least 32"):
        corpus.ragged_batch()


def test_packing_finds_everything_equal_and_counts_the_bytes(small: RaggedBatch) -> None:
    found = packing.pack(small)
    assert len(found.checks) == 5 and all(found.checks.values())
    assert found.padded_bytes == 32 * 64 * 16 * 2
    assert found.packed_bytes == sum(small.lengths) * 16 * 2
    assert set(found.seconds) == {"unpad", "pad", "layer norm, padded", "layer norm, packed"}


def test_packing_finds_a_batch_that_is_not_zero_in_its_padding(small: RaggedBatch) -> None:
    short = min(range(32), key=lambda index: small.lengths[index])
    lengths = tuple(length - (index == short) for index, length in enumerate(small.lengths))
    checks = packing.pack(replace(small, lengths=lengths)).checks
    assert not checks["pad(unpad(batch)) is the batch"]
    assert checks["UnpadWithHiddenState gives the same rows"]


def test_every_operator_with_cases_is_in_the_demo() -> None:
    shipped = dict(demo.shipped_cases())
    assert {"UpdateTensorDesc", "UnpadWithHiddenState", "PadWithHiddenState"} <= set(shipped)
    for paths in shipped.values():
        assert all(path.parent.name == "cases" for path in paths)


def _one_file(name: str, path: Path) -> Callable[[], Any]:
    return lambda: iter([(name, [path])])


@pytest.mark.parametrize(("cell", "code"), [("[128]", 0), ("[127]", 1)])
def test_the_demo_ends_with_1_when_a_case_fails(
    cell: str, code: int, small: RaggedBatch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cannery: Any
) -> None:
    path = tmp_path / "cases.csv"
    path.write_text(
        "testcase_name,op_name,input_shapes,input_dtypes,output_shapes,output_dtypes,attributes\n"
        f'only_case,update_tensor_desc,"((2,),)","(\'float32\',)","((128,),)","(\'int64\',)",{{\'shape\': {cell}}}\n'
    )
    monkeypatch.setattr(demo, "shipped_cases", _one_file("UpdateTensorDesc", path))
    ended = cannery("demo")
    assert ended.code == code
    assert f"{1 - code} of 1 cases passed" in ended.out
    assert ("only_case:" in ended.out) == bool(code)
    assert "tokens in 2048 places" in ended.out and "% less" in ended.out
