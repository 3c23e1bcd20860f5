"""UnpadWithHiddenState on the virtual core.

Source: ascend-transformer-boost `src/kernels/mixkernels/unpad_with_hidden_state/op_kernel/` @ddcc8b6.
"""

import numpy as np

from cannery import asc
from cannery.asc.engine import launch_checked
from cannery.core import Tensor
from cannery.operator import CallContext, TilingResult
from cannery.operator.frameworks import atb
from cannery.ops._hidden_state.fields import word_of
from cannery.ops._hidden_state.kernel import move_sample, word
from cannery.ops._hidden_state.memory import apart
from cannery.ops._hidden_state.tiling import BUFFER_NUM, BUFFER_SIZE
from cannery.ops.unpad_with_hidden_state.tiling import TILING_DATA
from cannery.watch import Finding

BATCH_SIZE = word_of(TILING_DATA, "batchSize")
INPUT_OFFSET = word_of(TILING_DATA, "inputOffset")
OUTPUT_OFFSET = word_of(TILING_DATA, "outputOffset")
TILE_INFO = word_of(TILING_DATA, "tileInfo")


@asc.jit
def unpad_with_hidden_state(x: asc.GlobalAddress, output: asc.GlobalAddress, tiling: asc.GlobalAddress) -> None:
    """Move every sample's rows from the padded to the packed layout."""
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
        move_sample(source[source_at:], target[target_at:], arrived, leaving, data, TILE_INFO + 3 * sample)


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> tuple[Finding, ...]:
    """Launch on all cores that tiling names; the findings."""
    atb.check_tiled(context, tiling)
    x, out = apart(context, inputs, outputs)
    words = np.frombuffer(tiling.data, np.uint32)
    return launch_checked(unpad_with_hidden_state, context.soc, tiling.block_dim, x, out, words, fills_ub=True)
