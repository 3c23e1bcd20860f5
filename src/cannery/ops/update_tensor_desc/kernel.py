"""UpdateTensorDesc on the virtual core: one core reads the descriptor, writes rank and dims, writes it back.

Source: hicann/ops-nn `control/update_tensor_desc/op_kernel/arch35/update_tensor_desc_kernel.h` @1eb27776.
"""

import numpy as np

from cannery import asc
from cannery.asc.engine import launch_checked
from cannery.core import Tensor
from cannery.operator import CallContext, TilingResult
from cannery.ops.update_tensor_desc.definition import DESC_SIZE, DIM_BASE_INDEX
from cannery.watch import Finding

WORD_SIZE = 8
BLOCK_SIZE = 32


@asc.jit
def update_tensor_desc(
    x: asc.GlobalAddress, y: asc.GlobalAddress, workspace: asc.GlobalAddress, tiling: asc.GlobalAddress
) -> None:
    """Word 3 of y becomes the rank, the words after it the dims; x and workspace are not read."""
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y, DESC_SIZE)
    tiling_gm = asc.GlobalTensor()
    tiling_gm.set_global_buffer(tiling)
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buffer, DESC_SIZE * WORD_SIZE)
    desc = buffer.get(asc.int64)
    whole = asc.DataCopyParams(1, DESC_SIZE * WORD_SIZE // BLOCK_SIZE, 0, 0)

    asc.data_copy(desc, y_gm, repeat_params=whole)
    arrived = pipe.fetch_event_id(asc.HardEvent.MTE2_S)
    asc.set_flag(asc.HardEvent.MTE2_S, arrived)
    asc.wait_flag(asc.HardEvent.MTE2_S, arrived)

    rank = tiling_gm.get_value(0)
    desc.set_value(DIM_BASE_INDEX, rank)
    for dim in range(rank):
        desc.set_value(DIM_BASE_INDEX + 1 + dim, tiling_gm.get_value(1 + dim))

    written = pipe.fetch_event_id(asc.HardEvent.S_MTE3)
    asc.set_flag(asc.HardEvent.S_MTE3, written)
    asc.wait_flag(asc.HardEvent.S_MTE3, written)
    asc.data_copy(y_gm, desc, repeat_params=whole)


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> tuple[Finding, ...]:
    """Launch on one core; the findings."""
    unread = np.zeros(BLOCK_SIZE, np.uint8)
    words = np.frombuffer(tiling.data, np.int64)
    return launch_checked(update_tensor_desc, context.soc, tiling.block_dim, unread, outputs[0].torch, unread, words)
