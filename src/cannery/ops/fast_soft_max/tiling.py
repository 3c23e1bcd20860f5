"""FastSoftMax on all vector cores; its structure is not the original's, which is not documented."""

from cannery.operator import CallContext, TilingResult, atb
from cannery.ops._train.squares import Squares
from cannery.ops._train.tiling import plain
from cannery.ops.fast_soft_max.checks import check_setup

COUNT_LIMIT = 2**32


def tiling(context: CallContext) -> TilingResult:
    """headNum and the lengths, for all vector cores.

    Raises:
        OperatorError: at stage tiling: a rule of Setup, or 2^32 elements and more.
    """
    check_setup(context)
    squares = Squares.of(context, "qSeqLen")
    if squares.count >= COUNT_LIMIT:
        return atb.tiling_failure(context, "x", f"{squares.count} elements", f"fewer than {COUNT_LIMIT}")
    return plain(context.soc.aiv_cores, squares.heads, *squares.lengths)
