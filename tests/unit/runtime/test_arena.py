"""A device's memory: blocks, what is in them, what is left of them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cannery.runtime.arena import ALIGNMENT, Arena
from cannery.runtime.status import AclError, RuntimeFault

MIB = 1 << 20


def resident() -> int:
    """Bytes of memory this process occupies."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def test_a_block_is_aligned_and_zero_before_it_is_written() -> None:
    arena = Arena(64 * MIB)
    address = arena.allocate(100)
    assert address % ALIGNMENT == 0 and address in arena
    assert arena.view(address, 100).sum() == 0


def test_an_address_inside_a_block_finds_it_and_one_behind_it_does_not() -> None:
    arena = Arena(64 * MIB)
    address = arena.allocate(100)
    for inside in (address, address + 99):
        block = arena.block_at(inside)
        assert block is not None and (block.address, block.size) == (address, 100)
    assert arena.block_at(address + 100) is None
    assert arena.block_at(address - 1) is None


def test_a_freed_address_is_not_given_out_again_at_once() -> None:
    arena = Arena(64 * MIB)
    first = arena.allocate(100)
    assert arena.release(first)
    assert arena.block_at(first) is None
    assert arena.allocate(100) != first
    assert not arena.release(first)


def test_more_than_there_is_is_refused_and_says_what_is_left() -> None:
    arena = Arena(64 * MIB)
    arena.allocate(60 * MIB)
    with pytest.raises(RuntimeFault, match="4194304 of 67108864 bytes are free") as caught:
        arena.allocate(5 * MIB)
    assert caught.value.code is AclError.ACL_ERROR_RT_MEMORY_ALLOCATION


def test_ten_thousand_rounds_of_small_blocks_occupy_no_memory() -> None:
    arena = Arena(64 * MIB)
    kept = arena.allocate(100)
    arena.view(kept, 100).fill_(7)

    def rounds(count: int) -> None:
        for _ in range(count):
            address = arena.allocate(3000)
            arena.view(address, 3000).fill_(1)
            arena.release(address)

    rounds(100)
    before = resident()
    rounds(10_000)
    assert resident() - before < 4 * MIB
    assert arena.view(kept, 100).eq(7).all()
    assert arena.used == 100


@given(st.lists(st.tuples(st.integers(1, 3 * MIB), st.integers(0, 5)), max_size=60))
def test_live_blocks_never_overlap_and_keep_their_content(steps: list[tuple[int, int]]) -> None:
    arena = Arena(256 * MIB)
    live: dict[int, tuple[int, int]] = {}
    for number, (size, victim) in enumerate(steps):
        address = arena.allocate(size)
        arena.view(address, size)[[0, -1]] = number % 200 + 1
        live[address] = (size, number % 200 + 1)
        if victim and len(live) > victim:
            gone = list(live)[-victim]
            assert arena.release(gone)
            del live[gone]
    spans = sorted((address, address + size) for address, (size, _) in live.items())
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))
    for address, (size, mark) in live.items():
        assert arena.view(address, size)[0] == mark and arena.view(address, size)[-1] == mark
    assert arena.used == sum(size for size, _ in live.values())
