"""The pipeline both kernels share: copy in, move through the unified buffer, copy out; two buffers on either side.

Source: ascend-transformer-boost `src/kernels/mixkernels/{pad,unpad}_with_hidden_state/op_kernel/` @ddcc8b6. Each core
moves its full tiles of every sample in order, the last core the rest; tiles ignore row boundaries. Nothing is
synchronised between cores or samples.
"""

from __future__ import annotations

from typing import Any

from cannery import asc
from cannery.ops._hidden_state.tiling import BUFFER_NUM, BUFFER_SIZE, ELEMENT_SIZE, TILE_LENGTH

ELEMENTS_PER_BLOCK = 16


class Pipeline:
    """The queues of a core, between what it reads and what it writes. ``tile`` counts elements."""

    def __init__(self, source: Any, target: Any) -> None:
        self.source, self.target = bound(source), bound(target)
        pipe = asc.TPipe()
        self.arrived = asc.TQue(asc.TPosition.VECIN, BUFFER_NUM)
        self.leaving = asc.TQue(asc.TPosition.VECOUT, BUFFER_NUM)
        pipe.init_buffer(self.arrived, BUFFER_NUM, BUFFER_SIZE)
        pipe.init_buffer(self.leaving, BUFFER_NUM, BUFFER_SIZE)


def bound(address: Any) -> asc.GlobalTensor:
    """A tensor over the whole array behind an address."""
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(address)
    return tensor


@asc.jit
def word(tiling: asc.GlobalTensor, index: int) -> Any:
    """A field of the tiling structure, widened: offsets go beyond 32 bits."""
    return asc.number(tiling.get_value(index), asc.int64)


@asc.jit
def move_sample(pipeline: Pipeline, source_at: Any, target_at: Any, tiling: asc.GlobalTensor, info: int) -> None:
    """Move this core's share of a sample. ``info``: index of the sample's tile fields in the tiling structure."""
    start, tiles, rest = share(tiling, info)
    for tile in range(tiles):
        offset = start + asc.number(tile, asc.int64) * TILE_LENGTH
        move_tile(pipeline, source_at + offset, target_at + offset, TILE_LENGTH)
    if rest > 0:
        offset = start + asc.number(tiles, asc.int64) * TILE_LENGTH
        move_tile(pipeline, source_at + offset, target_at + offset, rest)


@asc.jit
def share(tiling: asc.GlobalTensor, info: int) -> Any:
    """This core's share of a sample: first element, full tiles, elements left (the last core's alone)."""
    former, tiles, rest = word(tiling, info), word(tiling, info + 1), word(tiling, info + 2)
    core = asc.get_block_idx()
    before = tiles * core
    if core >= former:
        before = former * tiles + (tiles - 1) * (core - former)
        tiles = tiles - 1
    if core != asc.get_block_num() - 1:
        rest = rest * 0
    return before * TILE_LENGTH, tiles, rest


@asc.jit
def move_tile(pipeline: Pipeline, source_at: Any, target_at: Any, length: int) -> None:
    """One tile through the three stages."""
    copy_in(pipeline, source_at, length)
    compute(pipeline)
    copy_out(pipeline, target_at, length)


@asc.jit
def copy_in(pipeline: Pipeline, at: Any, length: int) -> None:
    """Stage 1: global memory to the unified buffer; a length that is no whole number of blocks is padded."""
    tile = pipeline.arrived.alloc_tensor(asc.half)
    if length % ELEMENTS_PER_BLOCK == 0:
        asc.data_copy(tile, pipeline.source[at:], length)
    else:
        whole = asc.DataCopyPadExtParams(asc.half, False, 0, 0, 0)
        asc.data_copy_pad(tile, pipeline.source[at:], asc.DataCopyExtParams(1, length * ELEMENT_SIZE, 0, 0, 0), whole)
    pipeline.arrived.enque(tile)


@asc.jit
def compute(pipeline: Pipeline) -> None:
    """Stage 2: from the queue of arrivals to that of departures, always a whole tile."""
    tile = pipeline.arrived.deque(asc.half)
    moved = pipeline.leaving.alloc_tensor(asc.half)
    asc.data_copy(moved, tile, TILE_LENGTH)
    pipeline.arrived.free_tensor(tile)
    pipeline.leaving.enque(moved)


@asc.jit
def copy_out(pipeline: Pipeline, at: Any, length: int) -> None:
    """Stage 3: the unified buffer to global memory, exactly ``length`` elements."""
    tile = pipeline.leaving.deque(asc.half)
    if length % ELEMENTS_PER_BLOCK == 0:
        asc.data_copy(pipeline.target[at:], tile, length)
    else:
        asc.data_copy_pad(pipeline.target[at:], tile, asc.DataCopyExtParams(1, length * ELEMENT_SIZE, 0, 0, 0))
    pipeline.leaving.free_tensor(tile)
