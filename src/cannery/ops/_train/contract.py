"""Chips, reserved bytes and the numbers every train operator's parameter structure has.

Source: ascend-transformer-boost `include/atb/train_op_params.h`, `src/ops/ops_train/` @ddcc8b6.
"""

from __future__ import annotations

from cannery.core import Stage
from cannery.operator import Attribute, AttrType, CallContext
from cannery.operator.frameworks import atb

SOCS = ("Ascend910B", "Ascend910_93")
# Members and elements are int32 in the original: a larger number cannot be said there.
INT32_MAX = 2**31 - 1
MAX_SEQLEN = 4096

RESERVED = Attribute("rsv", AttrType.LIST_INT, "Reserved.", "zero bytes", default=(), internal=True)
HEAD_NUM = Attribute("headNum", AttrType.INT, "Number of attention heads.", "at least 1", default=0)


def check_platform(context: CallContext) -> None:
    """Creation begins with the reserved bytes and the chip.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check.
    """
    atb.check_reserved(context, len(context.attrs["rsv"]))
    atb.check_910b(context)


def check_head_num(context: CallContext) -> None:
    """``headNum`` is positive.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check.
    """
    heads = context.attrs["headNum"]
    if not 1 <= heads <= INT32_MAX:
        raise context.error(Stage.CHECK, "headNum", heads, f"1 to {INT32_MAX}")


def wrap_int32(value: int) -> int:
    """What an int32 holds after silent overflow."""
    return (value + 2**31) % 2**32 - 2**31
