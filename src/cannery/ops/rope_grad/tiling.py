"""RopeGrad on a vector core a head, as far as there are. Its structure is not the original's."""

from cannery.operator import CallContext, TilingResult
from cannery.ops._train.tiling import plain
from cannery.ops.rope_grad.checks import check_setup
from cannery.ops.rope_grad.definition import HEAD_DIM


def tiling(context: CallContext) -> TilingResult:
    """H, S and the lengths, for as many vector cores as there are heads, or all.

    Raises:
        OperatorError: at stage tiling: a rule of Setup.
    """
    check_setup(context)
    hidden, positions = context.required("g1").shape[1], context.required("cos").shape[0]
    return plain(min(hidden // HEAD_DIM, context.soc.aiv_cores), hidden, positions, *context.attrs["qSeqLen"])
