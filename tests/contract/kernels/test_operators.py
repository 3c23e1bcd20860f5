"""The operators' kernels on the virtual core: as golden, without findings, in exactly the buffer the originals use."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import cannery
from cannery.operator import FindingWarning
from cannery.st import Options, load_cases, run_cases
from cannery.watch import session

CASES = sorted(
    path
    for name in ("update_tensor_desc", "unpad_with_hidden_state", "pad_with_hidden_state")
    for path in (Path(cannery.__file__).parent / "ops" / name / "cases").glob("*.csv")
)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_every_case_file_passes_on_the_virtual_core(path: Path) -> None:
    results = list(run_cases(load_cases(path).cases, Options(engine="aicore")))
    assert results and [result for result in results if result.has_failed] == []
    assert all(result.findings == () for result in results)


@st.composite
def batches(draw: Any) -> tuple[list[int], int, int, int]:
    """Lengths, maximum length, hidden size, cores; small tiles and ones of several times the buffer."""
    max_len = draw(st.integers(1, 12))
    lengths = draw(st.lists(st.integers(1, max_len), min_size=1, max_size=4))
    hidden = draw(st.one_of(st.integers(1, 64), st.integers(2000, 4096)))
    return lengths, max_len, hidden, draw(st.sampled_from([1, 2, 3, 48]))


@settings(max_examples=100)
@given(batches())
def test_unpad_agrees_with_eager(batch: tuple[list[int], int, int, int]) -> None:
    lengths, max_len, hidden, cores = batch
    x = torch.arange(len(lengths) * max_len * hidden).reshape(len(lengths), max_len, hidden).to(torch.float16)
    call = partial(
        cannery.run, "UnpadWithHiddenState", [x], {"qSeqLen": lengths, "maxSeqLen": max_len},
        soc=cannery.soc("Ascend910B1", aiv_cores=cores),
    )  # fmt: skip
    result = call(engine="aicore", fill=1)
    assert result.findings == ()
    assert torch.equal(result[0], call()[0])


@settings(max_examples=100)
@given(batches(), st.booleans())
def test_pad_agrees_with_eager(batch: tuple[list[int], int, int, int], quirks: bool) -> None:
    lengths, max_len, hidden, cores = batch
    x = torch.arange(sum(lengths) * hidden).reshape(sum(lengths), hidden).to(torch.float16)
    call = partial(
        cannery.run, "PadWithHiddenState", [x], {"qSeqLen": lengths, "maxSeqLen": max_len},
        soc=cannery.soc("Ascend910B1", aiv_cores=cores), quirks=quirks, fill=1,
    )  # fmt: skip
    result = call(engine="aicore")
    assert result.findings == ()
    assert torch.equal(result[0], call()[0])


@settings(max_examples=100)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=6))
def test_update_tensor_desc_agrees_with_eager(shape: list[int]) -> None:
    shape = [*shape, 128]
    before = torch.arange(int(np.prod(shape)), dtype=torch.int64).reshape(shape)
    results = []
    for engine in ("eager", "aicore"):
        y = before.clone()
        result = cannery.run("UpdateTensorDesc", [torch.zeros(2)], {"shape": shape}, outputs=[y], engine=engine)
        assert result.findings == ()
        results.append(y)
    assert torch.equal(*results)


def test_unpad_uses_exactly_the_unified_buffer() -> None:
    with session(check=True) as found:
        x = torch.zeros(2, 4, 4096, dtype=torch.float16)
        cannery.run("UnpadWithHiddenState", [x], {"qSeqLen": [3, 4], "maxSeqLen": 4}, engine="aicore")
    assert found.launches[0].local_bytes == {"UB": 196608}


def test_a_chip_with_a_smaller_buffer_would_be_found() -> None:
    from dataclasses import replace

    chip = replace(cannery.soc("Ascend910B1"), ub_size=196608 - 32)
    x = torch.zeros(2, 4, 4096, dtype=torch.float16)
    attrs = {"qSeqLen": [3, 4], "maxSeqLen": 4}
    with pytest.warns(FindingWarning, match="UnpadWithHiddenState on aicore: found 1 error, the first: UB_OVERFLOW"):
        result = cannery.run("UnpadWithHiddenState", [x], attrs, soc=chip, engine="aicore")
    assert [finding.kind for finding in result.findings] == ["UB_OVERFLOW"]
    assert "TQue(VECIN): 2 x 49152" in result.findings[0].message
