"""RmsNormBackward on all vector cores; its structure is not the original's, which is not documented."""

from math import prod

from cannery.operator import CallContext, TilingResult
from cannery.ops._train.tiling import plain
from cannery.ops.rms_norm_backward.checks import check_rows, check_setup


def tiling(context: CallContext) -> TilingResult:
    """Number of rows and their length, for all vector cores.

    Raises:
        OperatorError: at stage tiling: a rule of Setup; at stage launch: what the kernel's own tiling refuses.
    """
    check_setup(context)
    check_rows(context)
    row = prod(context.required("gamma").shape)
    return plain(context.soc.aiv_cores, prod(context.required("x").shape) // row, row)
