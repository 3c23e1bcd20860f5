"""Tiles shared out over cores cover every element of a sample exactly once."""

from hypothesis import given
from hypothesis import strategies as st

from cannery.ops._hidden_state.tiling import TILE_INFO, TILE_LENGTH, length_of, tile_info

LENGTHS = st.one_of(
    st.integers(0, 2**32 - 1),
    st.builds(lambda tiles, extra: max(0, tiles * TILE_LENGTH + extra), st.integers(0, 400), st.integers(-1, 1)),
)
CORES = st.integers(1, 80)


def shares(length: int, cores: int) -> list[tuple[int, int]]:
    """What every core moves, as the device kernels compute it: start and end of its full tiles, then the tail's."""
    former, tiles_of_former, left = tile_info(length, cores)
    found = []
    for core in range(cores):
        tiles = tiles_of_former if core < former else tiles_of_former - 1
        before = core * tiles_of_former if core < former else former + core * (tiles_of_former - 1)
        found.append((before * TILE_LENGTH, (before + tiles) * TILE_LENGTH))
    # The last core goes on from where its own tiles end.
    return [*found, (found[-1][1], found[-1][1] + left)]


@given(LENGTHS, CORES)
def test_full_tiles_and_tail_cover_a_sample_exactly_once(length: int, cores: int) -> None:
    ends = [0]
    for start, end in shares(length, cores):
        assert start == ends[-1]
        ends.append(end)
    assert ends[-1] == length


@given(LENGTHS, CORES)
def test_no_core_has_more_than_one_full_tile_above_another(length: int, cores: int) -> None:
    sizes = [end - start for start, end in shares(length, cores)[:-1]]
    assert max(sizes) - min(sizes) in (0, TILE_LENGTH)


@given(LENGTHS, CORES)
def test_the_last_core_is_never_a_former_one_and_the_tail_is_less_than_a_tile(length: int, cores: int) -> None:
    former, _, left = tile_info(length, cores)
    assert former < cores
    assert 0 <= left < TILE_LENGTH


@given(LENGTHS, CORES)
def test_the_length_can_be_read_back_from_the_tiles(length: int, cores: int) -> None:
    info = dict(zip(TILE_INFO.names or (), tile_info(length, cores), strict=True))
    assert length_of(info, cores) == length
