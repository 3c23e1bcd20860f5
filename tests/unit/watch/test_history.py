"""Histories: overlap to the byte, and memory bounded by what is live."""

from hypothesis import given
from hypothesis import strategies as st

from cannery.aicore import pipes
from cannery.watch.clocks import Clocks
from cannery.watch.history import History, Order, Stamp

PIPES = (pipes.V, pipes.MTE2, pipes.MTE3)
access = st.tuples(st.booleans(), st.sampled_from(PIPES), st.integers(0, 40), st.integers(1, 12))


def stamp(pipe: int, time: int, serial: int) -> Stamp:
    return Stamp(pipe, time, None, "copy", None, serial, [])


@given(st.lists(access, max_size=25))
def test_unordered_accesses_race_exactly_when_bytes_overlap(accesses: list[tuple[bool, int, int, int]]) -> None:
    clocks = Clocks()
    order = Order(clocks, vector_in_order=False)
    history = History()
    writers: dict[int, int] = {}
    readers: dict[int, dict[int, int]] = {}
    for serial, (writes, pipe, start, length) in enumerate(accesses):
        mine = stamp(pipe, clocks.issue(pipe), serial)
        covered = range(start, start + length)
        if writes:
            found = {earlier.serial for earlier, _ in history.conflicts(start, start + length, mine, order)}
            history.write(start, start + length, mine)
            expected = {r for byte in covered for r in readers.get(byte, {}).values()}
            expected |= {writers[byte] for byte in covered if byte in writers and not readers.get(byte)}
            writers |= dict.fromkeys(covered, serial)
            readers |= {byte: {} for byte in covered}
        else:
            found = {earlier.serial for earlier in history.read(start, start + length, mine, order)}
            expected = {writers[byte] for byte in covered if byte in writers}
            for byte in covered:
                readers.setdefault(byte, {})[pipe] = serial
        assert found == expected
    assert all(one.upper <= two.lower for one, two in zip(history.segments, history.segments[1:], strict=False))


def test_a_streamed_memory_is_forgotten_behind_the_stream() -> None:
    clocks = Clocks()
    order = Order(clocks, vector_in_order=True)
    history = History(limit=100)
    for serial in range(5000):
        mine = stamp(pipes.MTE2, clocks.issue(pipes.MTE2), serial)
        assert history.read(serial * 32, serial * 32 + 32, mine, order) == []
        assert len(history.segments) <= 101
    assert history.segments[-1].newest() == 4999


def test_tiles_used_again_and_again_are_one_segment_each() -> None:
    clocks = Clocks()
    history = History()
    for serial in range(1000):
        start = serial % 4 * 64
        history.write(start, start + 64, stamp(pipes.V, clocks.issue(pipes.V), serial))
    assert len(history.segments) == 4
