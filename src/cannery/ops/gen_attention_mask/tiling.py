"""GenAttentionMask on all vector cores; its structure is not the original's, which is not documented."""

from cannery.operator import CallContext, TilingResult
from cannery.ops._train.squares import Squares
from cannery.ops._train.tiling import plain
from cannery.ops.gen_attention_mask.checks import check_setup


def tiling(context: CallContext) -> TilingResult:
    """S, headNum and the lengths, for all vector cores.

    Raises:
        OperatorError: at stage tiling: a rule of Setup.
    """
    check_setup(context)
    squares = Squares.of(context, "seqLen")
    return plain(context.soc.aiv_cores, context.required("x").shape[-1], squares.heads, *squares.lengths)
