"""The same bits from run to run, on any number of threads, for any size of the working memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from cannery.ops._lightning_indexer import score
from cannery.ops._lightning_indexer.cpu import source

DTYPES = [torch.bfloat16, torch.float16, torch.float32, torch.float64]


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    """Give torch its threads back."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def results_of(call: Any, **more: Any) -> list[torch.Tensor]:
    return [call.lse(), *call.run(**more)]


def same(found: list[torch.Tensor], expected: list[torch.Tensor]) -> bool:
    return all(torch.equal(a, e) for a, e in zip(found, expected, strict=True))


@pytest.mark.usefixtures("computation")
@pytest.mark.parametrize("dtype", DTYPES)
def test_repeats_and_thread_counts_give_the_same_bits(draw: Any, dtype: torch.dtype) -> None:
    call = draw((1, 70), (1, 90), heads=16, dtype=dtype, mask_mode=3)
    torch.set_num_threads(1)
    expected = results_of(call)
    for count in (1, 2, 2, 3):
        torch.set_num_threads(count)
        assert same(results_of(call), expected)


@pytest.mark.parametrize("megabytes", [1, 3, 12])
def test_512_rows_give_the_same_bits_ten_times_on_one_and_two_threads(
    draw: Any, monkeypatch: pytest.MonkeyPatch, megabytes: int
) -> None:
    call = draw((1, 512), (1, 512), heads=16, dtype=torch.bfloat16, mask_mode=3)
    torch.set_num_threads(1)
    expected = results_of(call)
    monkeypatch.setattr(source, "BATCH_BYTES", megabytes << 20)
    monkeypatch.setattr(source, "PACKED_BYTES", megabytes << 20)
    for repeat in range(10):
        torch.set_num_threads(1 + repeat % 2)
        assert same(results_of(call), expected)


@pytest.mark.usefixtures("computation")
def test_tiles_of_another_size_agree_and_repeat(draw: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    call = draw((1, 90), (1, 90), dtype=torch.float64, mask_mode=3)
    expected = results_of(call)
    monkeypatch.setattr(score, "TILE_BYTES", 1 << 14)
    monkeypatch.setattr(score, "TILE_KEYS", 32)
    found = results_of(call)
    assert same(found, results_of(call))
    assert all(torch.allclose(a, e, rtol=1e-12, atol=1e-12) for a, e in zip(found, expected, strict=True))


@pytest.mark.usefixtures("computation")
def test_dk_is_the_ordered_sum_over_rows_when_asked(draw: Any) -> None:
    """Row by row into one fp32 buffer: the sum of single-row calls, in ascending order."""
    call = draw((1, 20), (1, 70), dtype=torch.float32, mask_mode=3)
    dk = torch.zeros_like(call.k, dtype=torch.float64)
    for row in range(20):
        dk += call.run(rows=[row], deterministic=True).dk
    found = call.run(deterministic=True).dk
    assert (found - dk).abs().max() <= 2e-6 * dk.abs().max()


def test_the_switch_of_torch_is_asked(draw: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def is_on() -> bool:
        asked.append(True)
        return True

    monkeypatch.setattr(torch, "are_deterministic_algorithms_enabled", is_on)
    draw((1, 3), (1, 3), dim=16).run()
    assert asked
