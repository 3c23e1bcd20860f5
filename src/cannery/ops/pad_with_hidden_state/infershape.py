"""Shape and data type of the padded batch."""

from cannery.core import Stage, TensorDesc
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops._hidden_state.batch import Batch
from cannery.ops.pad_with_hidden_state.checks import check_input


def infer_shape(context: CallContext) -> tuple[TensorDesc, ...]:
    """output: [B, maxSeqLen, H], with x's data type and format.

    Raises:
        OperatorError: at stage infer_shape.
    """
    atb.check_inputs(context)
    check_input(context, Stage.INFER_SHAPE)
    x = context.required("x")
    return (TensorDesc(x.dtype, Batch.of(context).padded_shape, x.format),)
