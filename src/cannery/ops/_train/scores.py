"""What FastSoftMax and its gradient share: lengths, creation, and the tiling of attention scores without padding.

Source: ascend-transformer-boost `src/ops/ops_train/fast_soft_max{,_grad}/` @ddcc8b6.
"""

from cannery.operator import Attribute, AttrType, CallContext, Quirk, TilingResult
from cannery.operator.frameworks import atb
from cannery.ops._train.contract import MAX_SEQLEN, check_head_num, check_platform
from cannery.ops._train.squares import Squares
from cannery.ops._train.tiling import plain

COUNT_LIMIT = 2**32
LENGTHS = Attribute(
    "qSeqLen", AttrType.LIST_INT, "Tokens of each sample.", f"1 to 32 lengths, each 1 to {MAX_SEQLEN}", default=()
)
TOO_LARGE = Quirk(
    "too_large_fails_at_launch",
    "2^32 elements or more are refused at tiling with ERROR_INVALID_PARAM",
    "tiling fails unnoticed (its result has no data), and the launch fails with ERROR_INVALID_PARAM",
)


def check_creation(context: CallContext) -> None:
    """Reserved bytes, chip, headNum, qSeqLen.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check.
    """
    check_platform(context)
    check_head_num(context)
    atb.check_lengths(context, "qSeqLen", MAX_SEQLEN)


def tile(context: CallContext, name: str) -> TilingResult:
    """headNum and the lengths, for all vector cores; ``name`` is the tensor that is too large when one is.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage tiling: 2^32 elements and more.
    """
    squares = Squares.of(context, "qSeqLen")
    if squares.count >= COUNT_LIMIT:
        return atb.tiling_failure(context, name, f"{squares.count} elements", f"fewer than {COUNT_LIMIT}")
    return plain(context.soc.aiv_cores, squares.heads, *squares.lengths)
