"""What FastSoftMax and its gradient share: lengths, creation, and the tiling of attention scores without padding.

Source: ascend-transformer-boost `src/ops/ops_train/fast_soft_max{,_grad}/` @ddcc8b6.
"""

from collections.abc import Sequence

from cannery.core import AtbStatus, Stage
from cannery.operator import Attribute, AttrType, CallContext, TilingResult
from cannery.operator.frameworks import atb
from cannery.ops._train.contract import MAX_SEQLEN, check_head_num, check_platform
from cannery.ops._train.squares import Squares, check_count, check_rank
from cannery.ops._train.tiling import plain

UINT32_MAX = 2**32 - 1
LENGTHS = Attribute(
    "qSeqLen", AttrType.LIST_INT, "Tokens of each sample.", f"1 to 32 lengths, each 1 to {MAX_SEQLEN}", default=()
)


def check_creation(context: CallContext) -> None:
    """Reserved bytes, chip, qSeqLen, headNum.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check.
    """
    check_platform(context)
    atb.check_lengths(context, "qSeqLen", MAX_SEQLEN)
    check_head_num(context)


def check_inputs(context: CallContext, stage: Stage, names: Sequence[str], size_code: AtbStatus) -> None:
    """Each is [headNum · Σ qSeqLen²]; all numbers of dims come first.

    Raises:
        OperatorError: ERROR_INVALID_TENSOR_DIM_NUM, or ``size_code``, which the two operators do not share.
    """
    for name in names:
        check_rank(context, stage, name, context.required(name), AtbStatus.ERROR_INVALID_TENSOR_DIM_NUM)
    for name in names:
        check_count(context, stage, name, context.required(name), Squares.of(context, "qSeqLen").count, size_code)


def check_output(context: CallContext) -> None:
    """The output at Setup: other codes than an input's.

    Raises:
        OperatorError: ERROR_INVALID_TENSOR_DIM or ERROR_INVALID_TENSOR_SIZE.
    """
    name, desc, count = context.definition.outputs[0].name, context.outputs[0], Squares.of(context, "qSeqLen").count
    check_rank(context, Stage.TILING, name, desc, AtbStatus.ERROR_INVALID_TENSOR_DIM)
    check_count(context, Stage.TILING, name, desc, count, AtbStatus.ERROR_INVALID_TENSOR_SIZE)


def tile(context: CallContext) -> TilingResult:
    """headNum and the lengths, for all vector cores.

    Raises:
        OperatorError: ERROR_RT_FAIL at stage tiling: as many elements as the kernel's own inference refuses.
    """
    squares = Squares.of(context, "qSeqLen")
    tokens, limit = sum(length**2 for length in squares.lengths), UINT32_MAX // squares.heads
    if tokens >= limit:
        name = context.definition.inputs[0].name
        raise context.error(Stage.TILING, name, f"sum(qSeqLen^2) = {tokens}", f"below {limit}", AtbStatus.ERROR_RT_FAIL)
    return plain(context.soc.aiv_cores, squares.heads, *squares.lengths)
