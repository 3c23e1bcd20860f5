"""The parameter structure of both operators: members, limits, and what creation checks.

Source: ascend-transformer-boost `include/atb/train_op_params.h` and
`src/ops/ops_train/{pad,unpad}_with_hidden_state/*_operation.cpp` @ddcc8b6.
"""

from __future__ import annotations

from cannery.core import Stage
from cannery.operator import Attribute, AttrType, CallContext
from cannery.operator.frameworks import atb

MAX_SEQLEN = 4096
RESERVED_BYTES = 12

SOCS = ("Ascend910B", "Ascend910_93")

ATTRIBUTES = (
    Attribute("qSeqLen", AttrType.LIST_INT, "Rows of each sample.", "1 to 32 lengths, each 1 to maxSeqLen", default=()),
    Attribute("maxSeqLen", AttrType.INT, "Rows of a padded sample.", f"1 to {MAX_SEQLEN}", default=MAX_SEQLEN),
    atb.reserved(RESERVED_BYTES),
)


def check(context: CallContext) -> None:
    """Creation: reserved bytes, chip, maxSeqLen, qSeqLen, in this order.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check.
    """
    atb.check_reserved(context, RESERVED_BYTES)
    atb.check_910b(context)
    limit = context.attrs["maxSeqLen"]
    if not 1 <= limit <= MAX_SEQLEN:
        raise context.error(Stage.CHECK, "maxSeqLen", limit, f"1 to {MAX_SEQLEN}")
    atb.check_lengths(context, "qSeqLen", limit)
