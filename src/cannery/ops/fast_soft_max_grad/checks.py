"""FastSoftMaxGrad's own rules: as FastSoftMax's, but for the code of an input's wrong size."""

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
    """y and dy are [headNum · Σ qSeqLen²].

    Raises:
        OperatorError: ERROR_INVALID_TENSOR_DIM_NUM or ERROR_INVALID_TENSOR_DIM.
    """
    scores.check_inputs(context, stage, ("y", "dy"), AtbStatus.ERROR_INVALID_TENSOR_DIM)


def check_setup(context: CallContext) -> None:
    """Setup: every ATB rule, then y and dy, then dx.

    Raises:
        OperatorError: at stage tiling.
    """
    atb.check_setup(context)
    check_inputs(context, Stage.TILING)
    scores.check_output(context)
