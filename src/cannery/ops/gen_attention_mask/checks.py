"""GenAttentionMask's own rules."""

from cannery.core import INT64_MAX, AtbStatus, Shape, Stage
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops._train.contract import INT32_MAX, check_head_num, check_platform, wrap_int32
from cannery.ops._train.squares import Squares


def check(context: CallContext) -> None:
    """Creation: reserved bytes, chip, headNum, seqLen, and the number of elements, which fits int64.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check.
    """
    check_platform(context)
    check_head_num(context)
    atb.check_lengths(context, "seqLen", INT32_MAX)
    count = Squares.of(context, "seqLen").count
    if count > INT64_MAX:
        raise context.error(Stage.CHECK, "headNum * sum(seqLen^2)", count, "a number that fits int64")


def check_x(context: CallContext, stage: Stage) -> None:
    """x is [B, 1, S, S], and no length is above S.

    Raises:
        OperatorError: ERROR_INVALID_TENSOR_DIM or ERROR_INVALID_TENSOR_SIZE.
    """
    lengths, shape = context.attrs["seqLen"], context.required("x").shape
    side = shape[-1]
    atb.check_shape(context, stage, "x", shape, Shape((len(lengths), 1, side, side)))
    if max(lengths) > side:
        found = f"{shape}, but a length of {max(lengths)}"
        raise context.error(stage, "x", found, "a mask of every length", AtbStatus.ERROR_INVALID_TENSOR_SIZE)


def output_shape(context: CallContext, stage: Stage) -> Shape:
    """[headNum · Σ seqLen²]; with quirks the number as int32 has it.

    Raises:
        OperatorError: ERROR_INVALID_PARAM: it does not fit int32, without quirks.
    """
    count = Squares.of(context, "seqLen").count
    if count > INT32_MAX and not context.quirks:
        raise context.error(stage, "headNum * sum(seqLen^2)", count, f"at most {INT32_MAX}, as the original has int32")
    return Shape((wrap_int32(count),))


def check_setup(context: CallContext) -> None:
    """Setup: every ATB rule, then x, then output.

    Raises:
        OperatorError: at stage tiling.
    """
    atb.check_setup(context)
    check_x(context, Stage.TILING)
    expected = output_shape(context, Stage.TILING)
    atb.check_shape(context, Stage.TILING, "output", context.outputs[0].shape, expected)
