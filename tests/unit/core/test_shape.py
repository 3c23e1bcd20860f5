"""Shapes: unknown dims, unknown rank, and an element count that never wraps."""

import pickle
from math import prod

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cannery.core import INT64_MAX, Shape


def test_dims_may_be_any_integers() -> None:
    shape = Shape([np.int64(2), torch.tensor(3)])  # type: ignore[list-item]
    assert shape == Shape(torch.Size([2, 3])) == (2, 3)
    assert repr(Shape([2, -1])) == "[2, -1]"
    assert pickle.loads(pickle.dumps(Shape([2, 3]))) == Shape([2, 3])


@pytest.mark.parametrize("dims", [["2"], [2.0], [True], [None], [[1, 2], [3]], [float("nan")]])
def test_other_dims_are_refused(dims: list) -> None:
    with pytest.raises(TypeError, match="shape: found"):
        Shape(dims)


def test_a_scalar_has_one_element() -> None:
    assert Shape().element_count() == 1
    assert not Shape().is_unknown


def test_an_unknown_rank_counts_as_one_dim() -> None:
    shape = Shape.unknown_rank()
    assert tuple(shape) == (-2,)
    assert shape.rank == 1
    assert shape.is_unknown_rank and shape.is_unknown and shape.element_count() is None


def test_an_unknown_dim_makes_the_count_unknown() -> None:
    shape = Shape([4, -1, 2])
    assert shape.is_unknown and not shape.is_unknown_rank and shape.element_count() is None


@given(st.lists(st.integers(0, 2**40), max_size=6))
def test_the_count_is_the_product_or_an_error(dims: list[int]) -> None:
    if prod(dims) <= INT64_MAX:
        assert Shape(dims).element_count() == prod(dims)
    else:
        with pytest.raises(OverflowError, match="too many for int64"):
            Shape(dims).element_count()


def test_a_zero_dim_wins_over_an_overflow() -> None:
    assert Shape([2**62, 2**62, 0]).element_count() == 0
