"""Histories: overlap to the byte, and memory bounded by what is live."""

from hypothesis import given
from hypothesis import strategies as st

from cannery.aicore import pipes
from cannery.aicore.instruction import Access, Runs
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


def strided(lower: int, runs: Runs) -> Access:
    return Access("UB", lower, lower + runs[-1][1], None, runs)


def test_a_read_of_several_runs_is_one_where_it_races_with_nothing() -> None:
    clocks = Clocks()
    order = Order(clocks, vector_in_order=False)
    history = History()
    runs = tuple((at * 64, at * 64 + 32) for at in range(8))
    reading = stamp(pipes.V, clocks.issue(pipes.V), 0)
    assert history.read_sparse(strided(0, runs), reading, order) and history.segments == []
    between, over = strided(32, ((0, 32),)), strided(64, ((0, 32),))
    writing = stamp(pipes.MTE2, clocks.issue(pipes.MTE2), 1)
    assert history.sparse_conflicts(between, writing, order) == []
    assert history.sparse_conflicts(over, writing, order) == [reading]
    whole = over._replace(lower=0, upper=1024, runs=None)
    assert history.sparse_conflicts(whole, writing, order) == [reading]
    assert history.sparse_conflicts(whole, writing, order) == []  # what a write covers is forgotten
    history.write(0, 1024, writing)
    again = stamp(pipes.V, clocks.issue(pipes.V), 2)
    assert not history.read_sparse(strided(0, runs), again, order)  # it races: run by run
