"""StridedBatchMatmul on all cube cores; its structure is not the original's, which is not documented."""

from cannery.operator import CallContext, TilingResult
from cannery.ops._train.tiling import plain
from cannery.ops.strided_batch_matmul.checks import check_setup
from cannery.ops.strided_batch_matmul.definition import COUNTS, LEADING, SIDES, STRIDES


def tiling(context: CallContext) -> TilingResult:
    """The parameter's members in their order, for all cube cores.

    Raises:
        OperatorError: at stage tiling: a rule of Setup.
    """
    check_setup(context)
    attrs = context.attrs
    counts = [int(attrs[name]) for name in ("transposeA", "transposeB", *COUNTS)]
    lists = [value for name in (*SIDES, *LEADING, *STRIDES) for value in attrs[name]]
    return plain(context.soc.aic_cores, *counts, *lists)
