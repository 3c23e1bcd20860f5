"""FastSoftMaxGrad's own rules: one code for any wrong shape, and another one than FastSoftMax has."""

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


def check_inputs(context: CallContext, stage: Stage) -> None:
    """y, then dy.

    Raises:
        OperatorError: ERROR_INVALID_TENSOR_DIM.
    """
    for name in ("y", "dy"):
        _check_tensor(context, stage, name, context.required(name))


def check_setup(context: CallContext) -> None:
    """Setup: every ATB rule, then y, dy, dx.

    Raises:
        OperatorError: at stage tiling.
    """
    atb.check_setup(context)
    check_inputs(context, Stage.TILING)
    _check_tensor(context, Stage.TILING, "dx", context.outputs[0])


def _check_tensor(context: CallContext, stage: Stage, name: str, desc: TensorDesc) -> None:
    count, code = Squares.of(context, "qSeqLen").count, AtbStatus.ERROR_INVALID_TENSOR_DIM
    check_flat(context, stage, name, desc, count, code, code)
