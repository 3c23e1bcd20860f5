"""The pipeline both kernels share: copy in, move through the unified buffer, copy out; two buffers on either side.

Source: ascend-transformer-boost `src/kernels/mixkernels/{pad,unpad}_with_hidden_state/op_kernel/` @ddcc8b6. Each core
moves its full tiles of every sample in order, the last core the rest; tiles ignore row boundaries. Nothing is
synchronised between cores or samples.
"""

from typing import Any

from cannery import asc
from cannery.ops._hidden_state.tiling import ELEMENT_SIZE, TILE_LENGTH

ELEMENTS_PER_BLOCK = 16


@asc.jit
def word(tiling: asc.GlobalTensor, index: int) -> Any:
    """A field of the tiling structure, widened: offsets go beyond 32 bits."""
    return asc.number(0, asc.int64) + tiling.get_value(index)


@asc.jit
def share(tiling: asc.GlobalTensor, info: int) -> Any:
    """This core's share of a sample: its first element, full tiles, and elements left, which only the last core has.

    ``info`` is the index of the sample's three tile fields in the tiling structure.
    """
    former = word(tiling, info)
    tiles = word(tiling, info + 1)
    rest = word(tiling, info + 2)
    core = asc.get_block_idx()
    before = tiles * core
    if core >= former:
        before = former * tiles + (tiles - 1) * (core - former)
        tiles = tiles - 1
    if core != asc.get_block_num() - 1:
        rest = rest * 0
    return before * TILE_LENGTH, tiles, rest


@asc.jit
def move_sample(
    source: asc.GlobalTensor,
    target: asc.GlobalTensor,
    arrived: asc.TQue,
    leaving: asc.TQue,
    tiling: asc.GlobalTensor,
    info: int,
) -> None:
    """Move this core's share of a sample that starts where ``source`` and ``target`` do."""
    start, tiles, rest = share(tiling, info)
    for tile in range(tiles):
        at = start + tile * TILE_LENGTH
        move_tile(source[at:], target[at:], arrived, leaving, TILE_LENGTH)
    if rest > 0:
        at = start + tiles * TILE_LENGTH
        move_tile(source[at:], target[at:], arrived, leaving, rest)


@asc.jit
def move_tile(
    source: asc.GlobalTensor, target: asc.GlobalTensor, arrived: asc.TQue, leaving: asc.TQue, length: int
) -> None:
    """One tile through the three stages."""
    copy_in(arrived, source, length)
    compute(arrived, leaving)
    copy_out(leaving, target, length)


@asc.jit
def copy_in(arrived: asc.TQue, source: asc.GlobalTensor, length: int) -> None:
    """Stage 1: global memory to the unified buffer; a length that is no whole number of blocks is padded."""
    tile = arrived.alloc_tensor(asc.half)
    if length % ELEMENTS_PER_BLOCK == 0:
        asc.data_copy(tile, source, length)
    else:
        padding = asc.DataCopyPadExtParams(asc.half, False, 0, 0, 0)
        asc.data_copy_pad(tile, source, asc.DataCopyExtParams(1, length * ELEMENT_SIZE, 0, 0, 0), padding)
    arrived.enque(tile)


@asc.jit
def compute(arrived: asc.TQue, leaving: asc.TQue) -> None:
    """Stage 2: from the queue of arrivals to that of departures, always a whole tile."""
    tile = arrived.deque(asc.half)
    moved = leaving.alloc_tensor(asc.half)
    asc.data_copy(moved, tile, TILE_LENGTH)
    arrived.free_tensor(tile)
    leaving.enque(moved)


@asc.jit
def copy_out(leaving: asc.TQue, target: asc.GlobalTensor, length: int) -> None:
    """Stage 3: the unified buffer to global memory, exactly ``length`` elements."""
    tile = leaving.deque(asc.half)
    if length % ELEMENTS_PER_BLOCK == 0:
        asc.data_copy(target, tile, length)
    else:
        asc.data_copy_pad(target, tile, asc.DataCopyExtParams(1, length * ELEMENT_SIZE, 0, 0, 0))
    leaving.free_tensor(tile)
