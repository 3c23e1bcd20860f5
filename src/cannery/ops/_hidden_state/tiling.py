"""Tiles of both operators: every core has its share of full tiles of every sample, the last core the rest of each.

Source: ascend-transformer-boost `src/kernels/mixkernels/{pad,unpad}_with_hidden_state/tiling/` @ddcc8b6. Offsets and
lengths count elements, in uint32.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cannery.core import Stage
from cannery.operator import CallContext, TilingResult
from cannery.ops._hidden_state.batch import Batch

MAX_BATCH_SIZE = 32
BUFFER_NUM = 2
QUEUE_NUM = 2
ELEMENT_SIZE = 2
BASIC_BLOCK_SIZE = 32
# The nominal unified buffer of the 910B class; the originals do not ask the chip.
UB_SIZE = 192 * 1024
BUFFER_SIZE = UB_SIZE // BUFFER_NUM // QUEUE_NUM // BASIC_BLOCK_SIZE * BASIC_BLOCK_SIZE
TILE_LENGTH = BUFFER_SIZE // ELEMENT_SIZE

UINT32_MAX = 2**32 - 1
UINT32 = "<u4"
SAMPLE_WORDS = (UINT32, (MAX_BATCH_SIZE,))
TILE_INFO = np.dtype([("formerCoreNum", UINT32), ("formerCoreTileNum", UINT32), ("lastTileLength", UINT32)])
SAMPLE_TILES = (TILE_INFO, (MAX_BATCH_SIZE,))


def tile_info(length: int, cores: int) -> tuple[int, int, int]:
    """How ``length`` elements are shared out (``GetTileInfo``): former cores, full tiles of each, elements left.

    Every other core has one full tile less than a former one; the last core also moves the elements left.
    """
    tiles, left = divmod(length, TILE_LENGTH)
    return tiles % cores, tiles // cores + 1, left


def length_of(info: Any, cores: int) -> int:
    """How many elements the cores move together: the inverse of ``tile_info``."""
    former, tiles_of_former, left = (int(info[field]) for field in TILE_INFO.names or ())
    return (former + cores * (tiles_of_former - 1)) * TILE_LENGTH + left


def as_uint32(context: CallContext, field: str, value: int) -> int:
    """The value as the tiling structure can hold it: only with quirks does a larger one wrap.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage tiling, naming the field.
    """
    if value > UINT32_MAX and not context.quirks:
        raise context.error(Stage.TILING, field, value, f"at most {UINT32_MAX}, as the tiling structure has uint32")
    return value & UINT32_MAX


def serialise(
    context: CallContext, structure: np.dtype[Any], batch: Batch, tables: Mapping[str, Callable[[int], int]]
) -> TilingResult:
    """The filled structure on all vector cores of the chip.

    Args:
        tables: per-sample field to the offset of a sample, or to its length where the field holds tiles.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage tiling: a number does not fit its field.
    """
    data = np.zeros((), structure)
    cores = context.soc.aiv_cores
    samples = range(len(batch.lengths))
    # Sample by sample, as the original computes them, so that the first number that does not fit is the one named.
    values = [[as_uint32(context, f"{field}[{i}]", of(i)) for field, of in tables.items()] for i in samples]
    for field, column in zip(tables, zip(*values, strict=True), strict=True):
        has_tiles = structure[field].base == TILE_INFO
        data[field][: len(column)] = [tile_info(length, cores) for length in column] if has_tiles else column
    data["coreNum"], data["batchSize"], data["maxSeqLen"] = cores, len(batch.lengths), batch.max_seq_len
    data["bufferSize"], data["tileLength"] = BUFFER_SIZE, TILE_LENGTH
    data["totalDataLength"] = as_uint32(context, "totalDataLength", batch.padded_offset(len(samples)))
    data["unpadDataLength"] = as_uint32(context, "unpadDataLength", batch.packed_offset(len(samples)))
    return TilingResult(key=0, block_dim=cores, data=data.tobytes())
