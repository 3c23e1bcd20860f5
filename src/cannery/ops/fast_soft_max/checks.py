"""FastSoftMax's own rules."""

from cannery.core import AtbStatus, Stage
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops._train import scores


def check(context: CallContext) -> None:
    """Creation: reserved bytes, chip, qSeqLen, headNum.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check.
    """
    scores.check_creation(context)


def check_inputs(context: CallContext, stage: Stage) -> None:
    """x is [headNum · Σ qSeqLen²].

    Raises:
        OperatorError: ERROR_INVALID_TENSOR_DIM_NUM or ERROR_INVALID_TENSOR_SIZE.
    """
    scores.check_inputs(context, stage, ("x",), AtbStatus.ERROR_INVALID_TENSOR_SIZE)


def check_setup(context: CallContext) -> None:
    """Setup: every ATB rule, then x, then y.

    Raises:
        OperatorError: at stage tiling.
    """
    atb.check_setup(context)
    check_inputs(context, Stage.TILING)
    scores.check_output(context)
