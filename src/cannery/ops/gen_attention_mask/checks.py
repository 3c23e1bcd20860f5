"""GenAttentionMask's own rules."""

from cannery.core import INT64_MAX, AtbStatus, Stage
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops._train.contract import INT32_MAX, check_head_num, check_platform, wrap_int32
from cannery.ops._train.squares import Squares, check_count, check_rank


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
        OperatorError: ERROR_INVALID_TENSOR_DIM for any wrong shape, ERROR_INVALID_PARAM for a length above S.
    """
    lengths, shape = context.attrs["seqLen"], context.required("x").shape
    side = shape[-1]
    if shape != (len(lengths), 1, side, side):
        expected = f"[{len(lengths)}, 1, S, S]"
        raise context.error(stage, "x", shape, expected, AtbStatus.ERROR_INVALID_TENSOR_DIM)
    if max(lengths) > side:
        raise context.error(stage, "seqLen", f"a length of {max(lengths)}", f"at most {side}, as x is {shape}")


def output_count(context: CallContext, stage: Stage) -> int:
    """headNum · Σ seqLen²: products as int32 has them, summed in int64.

    Raises:
        OperatorError: ERROR_INVALID_PARAM: a product does not fit int32, without quirks.
    """
    squares = Squares.of(context, "seqLen")
    products = [squares.heads * length**2 for length in squares.lengths]
    if max(products) > INT32_MAX and not context.quirks:
        found, expected = max(products), f"at most {INT32_MAX}, as the original multiplies in int32"
        raise context.error(stage, "headNum * seqLen[i]^2", found, expected)
    return sum(map(wrap_int32, products))


def check_setup(context: CallContext) -> None:
    """Setup: every ATB rule, then x, then output; with quirks only the output's first dim.

    Raises:
        OperatorError: at stage tiling.
    """
    atb.check_setup(context)
    check_x(context, Stage.TILING)
    output, count, code = context.outputs[0], output_count(context, Stage.TILING), AtbStatus.ERROR_INVALID_TENSOR_DIM
    if not context.quirks:
        check_rank(context, Stage.TILING, "output", output, code)
    check_count(context, Stage.TILING, "output", output, count, code)
