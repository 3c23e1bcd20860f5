"""RopeGrad on all vector cores; its structure is not the original's, which is not documented."""

from cannery.operator import CallContext, TilingResult
from cannery.ops._train.tiling import plain
from cannery.ops.rope_grad.checks import check_setup


def tiling(context: CallContext) -> TilingResult:
    """H, S and the lengths, for all vector cores.

    Raises:
        OperatorError: at stage tiling: a rule of Setup.
    """
    check_setup(context)
    hidden, positions = context.required("g1").shape[1], context.required("cos").shape[0]
    return plain(context.soc.aiv_cores, hidden, positions, *context.attrs["qSeqLen"])
