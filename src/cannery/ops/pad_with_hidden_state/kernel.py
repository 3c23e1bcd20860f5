"""PadWithHiddenState on the virtual core, with the padding stage that its tiling structure provides for.

Source: ascend-transformer-boost `src/kernels/mixkernels/pad_with_hidden_state/op_kernel/` @ddcc8b6. The original
computes and ships ``paddingOffset`` and ``paddingTileInfo``, but its kernel never uses them and leaves the padding as
it was; with quirks this one does the same.
"""

import numpy as np

from cannery import asc
from cannery.asc.engine import launch_checked
from cannery.core import Tensor
from cannery.operator import CallContext, TilingResult
from cannery.operator.frameworks import atb
from cannery.ops._hidden_state.fields import word_of
from cannery.ops._hidden_state.kernel import copy_out, move_sample, share, word
from cannery.ops._hidden_state.memory import apart
from cannery.ops._hidden_state.tiling import BUFFER_NUM, BUFFER_SIZE, TILE_LENGTH
from cannery.ops.pad_with_hidden_state.tiling import TILING_DATA
from cannery.watch import Finding

BATCH_SIZE = word_of(TILING_DATA, "batchSize")
INPUT_OFFSET = word_of(TILING_DATA, "inputOffset")
OUTPUT_OFFSET = word_of(TILING_DATA, "outputOffset")
PADDING_OFFSET = word_of(TILING_DATA, "paddingOffset")
COPY_TILE_INFO = word_of(TILING_DATA, "copyTileInfo")
PADDING_TILE_INFO = word_of(TILING_DATA, "paddingTileInfo")


@asc.jit
def pad_with_hidden_state(
    x: asc.GlobalAddress, output: asc.GlobalAddress, tiling: asc.GlobalAddress, padding: asc.ConstExpr[bool]
) -> None:
    """Move every sample's rows from the packed to the padded layout, and write zeros behind them."""
    source = asc.GlobalTensor()
    target = asc.GlobalTensor()
    data = asc.GlobalTensor()
    source.set_global_buffer(x)
    target.set_global_buffer(output)
    data.set_global_buffer(tiling)
    pipe = asc.TPipe()
    arrived = asc.TQue(asc.TPosition.VECIN, BUFFER_NUM)
    leaving = asc.TQue(asc.TPosition.VECOUT, BUFFER_NUM)
    pipe.init_buffer(arrived, BUFFER_NUM, BUFFER_SIZE)
    pipe.init_buffer(leaving, BUFFER_NUM, BUFFER_SIZE)
    for sample in range(data.get_value(BATCH_SIZE)):
        source_at = word(data, INPUT_OFFSET + sample)
        target_at = word(data, OUTPUT_OFFSET + sample)
        move_sample(source[source_at:], target[target_at:], arrived, leaving, data, COPY_TILE_INFO + 3 * sample)
        if padding:
            padding_at = target_at + word(data, PADDING_OFFSET + sample)
            pad_sample(target[padding_at:], leaving, data, PADDING_TILE_INFO + 3 * sample)


@asc.jit
def pad_sample(target: asc.GlobalTensor, leaving: asc.TQue, tiling: asc.GlobalTensor, info: int) -> None:
    """Write this core's share of the padding that starts where ``target`` does."""
    start, tiles, rest = share(tiling, info)
    for tile in range(tiles):
        pad_tile(target[start + tile * TILE_LENGTH :], leaving, TILE_LENGTH)
    if rest > 0:
        pad_tile(target[start + tiles * TILE_LENGTH :], leaving, rest)


@asc.jit
def pad_tile(target: asc.GlobalTensor, leaving: asc.TQue, length: int) -> None:
    """One tile of zeros."""
    zeros = leaving.alloc_tensor(asc.half)
    asc.duplicate(zeros, 0.0, length)
    leaving.enque(zeros)
    copy_out(leaving, target, length)


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> tuple[Finding, ...]:
    """Launch on all cores that tiling names; the findings. With quirks the padding is left as it was."""
    atb.check_tiled(context, tiling)
    x, out = apart(context, inputs, outputs)
    words = np.frombuffer(tiling.data, np.uint32)
    return launch_checked(
        pad_with_hidden_state, context.soc, tiling.block_dim, x, out, words, not context.quirks, fills_ub=True
    )
