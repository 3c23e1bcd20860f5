"""PadWithHiddenState's own rules of its tensors, after those of every ATB operation."""

from cannery.core import Stage
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops._hidden_state.batch import Batch


def check_input(context: CallContext, stage: Stage) -> None:
    """x is [sum(qSeqLen), H].

    Raises:
        OperatorError: ERROR_INVALID_TENSOR_DIM or ERROR_INVALID_TENSOR_SIZE.
    """
    atb.check_shape(context, stage, "x", context.required("x").shape, Batch.of(context).packed_shape)


def check_setup(context: CallContext) -> None:
    """Setup: every ATB rule, then x, then output, which is [B, maxSeqLen, H].

    Raises:
        OperatorError: at stage tiling.
    """
    atb.check_setup(context)
    check_input(context, Stage.TILING)
    atb.check_shape(context, Stage.TILING, "output", context.outputs[0].shape, Batch.of(context).padded_shape)
