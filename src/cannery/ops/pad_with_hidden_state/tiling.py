"""PadWithHiddenState's tiling structure, 1180 bytes.

Source: ascend-transformer-boost `src/kernels/mixkernels/pad_with_hidden_state/tiling/` @ddcc8b6.
"""

import numpy as np

from cannery.operator import CallContext, TilingResult
from cannery.operator.frameworks import atb
from cannery.ops._hidden_state.batch import Batch
from cannery.ops._hidden_state.direction import PAD
from cannery.ops._hidden_state.tiling import SAMPLE_TILES, SAMPLE_WORDS, UINT32, UINT32_MAX, serialise

MAX_HIDDEN_SIZE = 4096

TILING_DATA = np.dtype(
    [
        ("coreNum", UINT32),
        ("batchSize", UINT32),
        ("maxSeqLen", UINT32),
        ("bufferSize", UINT32),
        ("tileLength", UINT32),
        ("totalDataLength", UINT32),
        ("unpadDataLength", UINT32),
        ("inputOffset", *SAMPLE_WORDS),
        ("outputOffset", *SAMPLE_WORDS),
        ("paddingOffset", *SAMPLE_WORDS),  # counted from the start of its sample, unlike the two above
        ("copyTileInfo", *SAMPLE_TILES),
        ("paddingTileInfo", *SAMPLE_TILES),
    ]
)


def tiling(context: CallContext) -> TilingResult:
    """Input offsets in the packed layout, output offsets in the padded one, on all vector cores.

    Raises:
        OperatorError: at stage tiling: a rule of Setup, or a hidden size above 4096.
    """
    PAD.check_setup(context)
    batch = Batch.of(context)
    if context.quirks:
        batch = batch.with_hidden(batch.hidden & UINT32_MAX)
    if not 1 <= batch.hidden <= MAX_HIDDEN_SIZE:
        return atb.tiling_failure(context, "hiddenSize", batch.hidden, f"1 to {MAX_HIDDEN_SIZE}")
    tables = {
        "inputOffset": batch.packed_offset,
        "outputOffset": batch.padded_offset,
        "paddingOffset": batch.length,
        "copyTileInfo": batch.length,
        "paddingTileInfo": batch.padding,
    }
    return serialise(context, TILING_DATA, batch, tables)
