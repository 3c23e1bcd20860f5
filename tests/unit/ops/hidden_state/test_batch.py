"""Offsets of a ragged batch in its two layouts."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from cannery.ops._hidden_state.batch import Batch

BATCHES = st.integers(1, 50).flatmap(
    lambda limit: st.builds(
        Batch, st.lists(st.integers(1, limit), min_size=1, max_size=32).map(tuple), st.just(limit), st.integers(1, 9999)
    )
)


@given(BATCHES)
def test_packed_samples_follow_each_other_without_gaps(batch: Batch) -> None:
    count = len(batch.lengths)
    starts = [batch.packed_offset(i) for i in range(count + 1)]
    assert [end - start for start, end in pairwise(starts)] == [batch.length(i) for i in range(count)]
    assert starts[-1] == batch.packed_shape.element_count()


@given(BATCHES)
def test_padded_samples_and_their_padding_fill_the_batch(batch: Batch) -> None:
    count = len(batch.lengths)
    starts = [batch.padded_offset(i) for i in range(count + 1)]
    filled = [batch.length(i) + batch.padding(i) for i in range(count)]
    assert [end - start for start, end in pairwise(starts)] == filled
    assert starts[-1] == batch.padded_shape.element_count()
