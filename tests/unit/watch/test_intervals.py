"""Interval sets against sets of integers."""

from hypothesis import given
from hypothesis import strategies as st

from cannery.watch.intervals import IntervalSet

span = st.tuples(st.integers(0, 60), st.integers(0, 12)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(st.lists(st.tuples(st.booleans(), span), max_size=30), span)
def test_as_a_set_of_bytes(steps: list[tuple[bool, tuple[int, int]]], probe: tuple[int, int]) -> None:
    intervals, plain = IntervalSet(), set[int]()
    for adds, (start, stop) in steps:
        if adds:
            intervals.add(start, stop)
            plain |= set(range(start, stop))
        else:
            intervals.remove(start, stop)
            plain -= set(range(start, stop))
    assert {byte for start, stop in intervals for byte in range(start, stop)} == plain
    assert all(start < stop for start, stop in intervals)
    assert all(stop < start for stop, start in zip(intervals.stops, intervals.starts[1:], strict=False))
    inside = plain & set(range(*probe))
    assert intervals.overlaps(*probe) == bool(inside)
    assert {byte for start, stop in intervals.within(*probe) for byte in range(start, stop)} == inside


def test_streaming_stays_one_interval() -> None:
    intervals = IntervalSet()
    for start in range(0, 32000, 32):
        intervals.add(start, start + 32)
    assert len(intervals) == 1
