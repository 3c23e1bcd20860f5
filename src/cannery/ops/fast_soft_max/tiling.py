"""FastSoftMax on all vector cores; its structure is not the original's, which is not documented."""

from cannery.operator import CallContext, TilingResult
from cannery.ops._train.scores import tile
from cannery.ops.fast_soft_max.checks import check_setup


def tiling(context: CallContext) -> TilingResult:
    """headNum and the lengths, for all vector cores.

    Raises:
        OperatorError: at stage tiling: a rule of Setup, or too many elements for the kernel.
    """
    check_setup(context)
    return tile(context)
