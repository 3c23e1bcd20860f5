"""RopeGrad's own rules. Which code a length above S gets was not documented; it is that of a tensor too small."""

from cannery.core import AtbStatus, Shape, Stage
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops._train.contract import INT32_MAX, check_platform
from cannery.ops.rope_grad.definition import HEAD_DIM


def check(context: CallContext) -> None:
    """Creation: reserved bytes, chip, qSeqLen.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check.
    """
    check_platform(context)
    atb.check_lengths(context, "qSeqLen", INT32_MAX)


def check_inputs(context: CallContext, stage: Stage) -> None:
    """g1 and g2 are [Σ qSeqLen, H], H a multiple of 128; cos and sin are [S, 128], S no less than any length.

    Raises:
        OperatorError: ERROR_INVALID_TENSOR_DIM or ERROR_INVALID_TENSOR_SIZE.
    """
    lengths, gradient, table = context.attrs["qSeqLen"], context.required("g1").shape, context.required("cos").shape
    atb.check_shape(context, stage, "g1", gradient, Shape((sum(lengths), gradient[-1])))
    if gradient[-1] % HEAD_DIM:
        raise context.error(
            stage, "g1", gradient, f"[N, a multiple of {HEAD_DIM}]", AtbStatus.ERROR_INVALID_TENSOR_SIZE
        )
    atb.check_shape(context, stage, "g2", context.required("g2").shape, gradient)
    atb.check_shape(context, stage, "cos", table, Shape((table[0], HEAD_DIM)))
    if max(lengths) > table[0]:
        found = f"{table}, but a length of {max(lengths)}"
        raise context.error(stage, "cos", found, "a row for every position", AtbStatus.ERROR_INVALID_TENSOR_SIZE)
    atb.check_shape(context, stage, "sin", context.required("sin").shape, table)


def check_setup(context: CallContext) -> None:
    """Setup: every ATB rule, then the inputs, then dq and dk.

    Raises:
        OperatorError: at stage tiling.
    """
    atb.check_setup(context)
    check_inputs(context, Stage.TILING)
    for param, desc in zip(context.definition.outputs, context.outputs, strict=True):
        atb.check_shape(context, Stage.TILING, param.name, desc.shape, context.required("g1").shape)
