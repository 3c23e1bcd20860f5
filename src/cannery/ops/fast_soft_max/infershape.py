"""Shape and data type of the probabilities."""

from cannery.core import Stage, TensorDesc
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops.fast_soft_max.checks import check_inputs


def infer_shape(context: CallContext) -> tuple[TensorDesc, ...]:
    """y is like x.

    Raises:
        OperatorError: at stage infer_shape.
    """
    atb.check_inputs(context)
    check_inputs(context, Stage.INFER_SHAPE)
    x = context.required("x")
    return (TensorDesc(x.dtype, x.shape, x.format),)
