"""Shape and data type of the gradient."""

from cannery.core import Stage, TensorDesc
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops.fast_soft_max_grad.checks import check_inputs


def infer_shape(context: CallContext) -> tuple[TensorDesc, ...]:
    """dx is like y.

    Raises:
        OperatorError: at stage infer_shape.
    """
    atb.check_inputs(context)
    check_inputs(context, Stage.INFER_SHAPE)
    y = context.required("y")
    return (TensorDesc(y.dtype, y.shape, y.format),)
