"""FastSoftMax's own rules."""

from cannery.core import AtbStatus, Stage, TensorDesc
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops._train.scores import check_creation
from cannery.ops._train.squares import Squares, check_flat


def check(context: CallContext) -> None:
    """Creation: reserved bytes, chip, headNum, qSeqLen.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check.
    """
    check_creation(context)


def check_tensor(context: CallContext, stage: Stage, name: str, desc: TensorDesc) -> None:
    """A tensor is [headNum · Σ qSeqLen²].

    Raises:
        OperatorError: ERROR_INVALID_TENSOR_DIM_NUM or ERROR_INVALID_TENSOR_SIZE.
    """
    count = Squares.of(context, "qSeqLen").count
    codes = (AtbStatus.ERROR_INVALID_TENSOR_DIM_NUM, AtbStatus.ERROR_INVALID_TENSOR_SIZE)
    check_flat(context, stage, name, desc, count, *codes)


def check_setup(context: CallContext) -> None:
    """Setup: every ATB rule, then x, then y.

    Raises:
        OperatorError: at stage tiling.
    """
    atb.check_setup(context)
    check_tensor(context, Stage.TILING, "x", context.required("x"))
    check_tensor(context, Stage.TILING, "y", context.outputs[0])
