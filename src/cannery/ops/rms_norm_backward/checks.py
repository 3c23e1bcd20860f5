"""RmsNormBackward's own rules."""

from cannery.core import AtbStatus, Shape, Stage
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops.rms_norm_backward.definition import RESERVED_BYTES


def check(context: CallContext) -> None:
    """Creation: reserved bytes, chip.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check.
    """
    atb.check_reserved(context, RESERVED_BYTES)
    atb.check_910b(context)


def check_inputs(context: CallContext, stage: Stage) -> None:
    """dy is like x, gamma like x's last dims, rstd like those before.

    Raises:
        OperatorError: ERROR_INVALID_TENSOR_DIM or ERROR_INVALID_TENSOR_SIZE.
    """
    x, gamma = context.required("x").shape, context.required("gamma").shape
    atb.check_shape(context, stage, "dy", context.required("dy").shape, x)
    if gamma.rank > x.rank:
        found, expected = f"{gamma.rank} dims", f"at most {x.rank}, the dims of x"
        raise context.error(stage, "gamma", found, expected, AtbStatus.ERROR_INVALID_TENSOR_DIM)
    atb.check_shape(context, stage, "gamma", gamma, Shape(x[x.rank - gamma.rank :]))
    _check_rstd(context, stage, Shape(x[: x.rank - gamma.rank]), x.rank)


def _check_rstd(context: CallContext, stage: Stage, rows: Shape, most: int) -> None:
    """rstd has the dims of the rows; those of gamma may follow as 1."""
    rstd = context.required("rstd").shape
    if not max(rows.rank, 1) <= rstd.rank <= most:
        expected = f"{max(rows.rank, 1)} to {most} dims"
        raise context.error(stage, "rstd", f"{rstd.rank} dims", expected, AtbStatus.ERROR_INVALID_TENSOR_DIM)
    atb.check_shape(context, stage, "rstd", rstd, Shape((*rows, *(1,) * (rstd.rank - rows.rank))))


def check_setup(context: CallContext) -> None:
    """Setup: every ATB rule, then the inputs, then dx and dgamma.

    Raises:
        OperatorError: at stage tiling.
    """
    atb.check_setup(context)
    check_inputs(context, Stage.TILING)
    for name, like, desc in zip(("dx", "dgamma"), ("x", "gamma"), context.outputs, strict=True):
        atb.check_shape(context, Stage.TILING, name, desc.shape, context.required(like).shape)
