"""RmsNormBackward's own rules."""

from math import prod

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
    """gamma has no more dims than x; dy as many elements as x, and no fewer dims than gamma.

    The rule of gamma is the original's; without that of dy its kernel would leave the tensors.

    Raises:
        OperatorError: ERROR_INVALID_TENSOR_DIM or ERROR_INVALID_TENSOR_SIZE.
    """
    dy, x, gamma = (context.required(name).shape for name in ("dy", "x", "gamma"))
    dims = AtbStatus.ERROR_INVALID_TENSOR_DIM
    if gamma.rank > x.rank:
        raise context.error(stage, "gamma", f"{gamma.rank} dims", f"at most {x.rank}, the dims of x", dims)
    if dy.rank < gamma.rank:
        raise context.error(stage, "dy", f"{dy.rank} dims", f"at least {gamma.rank}, the dims of gamma", dims)
    if prod(dy) != prod(x):
        expected = f"{prod(x)} elements, as x has"
        raise context.error(stage, "dy", dy, expected, AtbStatus.ERROR_INVALID_TENSOR_SIZE)


def check_setup(context: CallContext) -> None:
    """Setup: every ATB rule, then the inputs, then dx and dgamma.

    Raises:
        OperatorError: at stage tiling; an output has one code for any wrong shape.
    """
    atb.check_setup(context)
    check_inputs(context, Stage.TILING)
    for name, like, desc in zip(("dx", "dgamma"), ("x", "gamma"), context.outputs, strict=True):
        due = context.required(like).shape
        if desc.shape != due:
            expected = f"{due}, as {like}"
            raise context.error(Stage.TILING, name, desc.shape, expected, AtbStatus.ERROR_INVALID_TENSOR_DIM)


def check_rows(context: CallContext) -> None:
    """What the kernel's tiling refuses, which Setup does not notice: gamma unlike the last dims of x, rstd not one
    element a row of dy.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage launch.
    """
    dy, x, rstd, gamma = (context.required(name).shape for name in ("dy", "x", "rstd", "gamma"))
    last = Shape(x[x.rank - gamma.rank :])
    if gamma != last:
        raise context.error(Stage.LAUNCH, "gamma", gamma, f"{last}, the last dims of x")
    rows = prod(dy[: dy.rank - gamma.rank])
    if prod(rstd) != rows:
        raise context.error(Stage.LAUNCH, "rstd", f"{prod(rstd)} elements", f"{rows}, the rows of dy")
    if rows * prod(gamma) != prod(x):  # the original reads and writes beyond the tensors
        raise context.error(Stage.LAUNCH, "dy", f"{rows} rows", f"{prod(x) // prod(gamma)}, the rows of x")
