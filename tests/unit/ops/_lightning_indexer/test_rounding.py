"""Casting half away from zero, against exact arithmetic."""

from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cannery.ops._lightning_indexer.rounding import round_half_away

FLOATS = st.floats(width=32, allow_nan=False)
SHAPES = {torch.bfloat16: (8, -126), torch.float16: (11, -14)}  # significant bits, smallest normal exponent


def expected(x: float, dtype: torch.dtype) -> float:
    limit = torch.finfo(dtype).max
    if abs(x) >= limit:
        return limit if x > 0 else -limit
    bits, lowest = SHAPES[dtype]
    exponent = max(torch.tensor(abs(x), dtype=torch.float64).frexp().exponent.item() - 1, lowest) if x else lowest
    step = Fraction(2) ** (int(exponent) - bits + 1)
    steps = int(abs(Fraction(x)) / step + Fraction(1, 2))
    return float(min(steps * step, Fraction(limit))) * (1 if x >= 0 else -1)


@pytest.mark.parametrize("dtype", list(SHAPES))
@given(x=FLOATS)
def test_ties_go_away_from_zero_and_overflow_saturates(dtype: torch.dtype, x: float) -> None:
    assert round_half_away(torch.tensor([x]), dtype).item() == expected(x, dtype)


@pytest.mark.parametrize(
    ("dtype", "x", "rounded"),
    [
        (torch.bfloat16, 1 + 2**-8, 1 + 2**-7),
        (torch.bfloat16, -(1 + 2**-8), -(1 + 2**-7)),
        (torch.float16, 1 + 2**-11, 1 + 2**-10),
        (torch.float16, 2**-25, 2**-24),
        (torch.float16, 2**-25 * (1 - 2**-20), 0.0),
        (torch.float16, 65520.0, 65504.0),
        (torch.float16, float("-inf"), -65504.0),
    ],
)
def test_single_values(dtype: torch.dtype, x: float, rounded: float) -> None:
    assert round_half_away(torch.tensor([x]), dtype).item() == rounded


@pytest.mark.parametrize("dtype", list(SHAPES))
def test_nan_stays(dtype: torch.dtype) -> None:
    assert round_half_away(torch.tensor([float("nan")]), dtype).isnan().all()


def test_wide_types_only_cast() -> None:
    x = torch.tensor([0.1])
    assert round_half_away(x, torch.float64).equal(x.double())
