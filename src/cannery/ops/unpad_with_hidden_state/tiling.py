"""UnpadWithHiddenState's tiling structure, 672 bytes.

Source: ascend-transformer-boost `src/kernels/mixkernels/unpad_with_hidden_state/tiling/` @ddcc8b6.
"""

import numpy as np

from cannery.operator import CallContext, TilingResult
from cannery.ops._hidden_state.batch import Batch
from cannery.ops._hidden_state.direction import UNPAD
from cannery.ops._hidden_state.tiling import SAMPLE_TILES, SAMPLE_WORDS, UINT32, as_uint32, serialise

TILING_DATA = np.dtype(
    [
        ("coreNum", UINT32),
        ("batchSize", UINT32),
        ("maxSeqLen", UINT32),
        ("hiddenSize", UINT32),  # the original never sets it
        ("bufferSize", UINT32),
        ("tileLength", UINT32),
        ("totalDataLength", UINT32),
        ("unpadDataLength", UINT32),
        ("inputOffset", *SAMPLE_WORDS),
        ("outputOffset", *SAMPLE_WORDS),
        ("tileInfo", *SAMPLE_TILES),
    ]
)


def tiling(context: CallContext) -> TilingResult:
    """Input offsets in the padded layout, output offsets in the packed one, on all vector cores.

    Raises:
        OperatorError: at stage tiling: a rule of Setup, or a number beyond uint32.
    """
    UNPAD.check_setup(context)
    batch = Batch.of(context)
    batch = batch.with_hidden(as_uint32(context, "hiddenSize", batch.hidden))
    tables = {"inputOffset": batch.padded_offset, "outputOffset": batch.packed_offset, "tileInfo": batch.length}
    return serialise(context, TILING_DATA, batch, tables)
