"""The move itself, bit for bit, on any device."""

from __future__ import annotations

from cannery.core import Tensor
from cannery.operator import CallContext, TilingResult
from cannery.operator.frameworks import atb
from cannery.ops._hidden_state.blocks import move_blocks
from cannery.ops._hidden_state.memory import apart
from cannery.ops._ragged import pack_rows
from cannery.ops.unpad_with_hidden_state.tiling import TILING_DATA


def launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> None:
    """Write the packed rows; with quirks, the blocks that the tiling structure names."""
    atb.check_tiled(context, tiling)
    x, out = apart(context, inputs, outputs)
    if context.quirks:
        move_blocks(x, out, tiling, TILING_DATA, "tileInfo")
    else:
        pack_rows(x, context.attrs["qSeqLen"], out)
