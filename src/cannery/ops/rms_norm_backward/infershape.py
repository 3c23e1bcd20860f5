"""Shapes and data types of both gradients."""

from cannery.core import DataType, Stage, TensorDesc
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops.rms_norm_backward.checks import check_inputs


def infer_shape(context: CallContext) -> tuple[TensorDesc, ...]:
    """dx is like x; dgamma is float32 and shaped like gamma.

    Raises:
        OperatorError: at stage infer_shape.
    """
    atb.check_inputs(context)
    check_inputs(context, Stage.INFER_SHAPE)
    x, gamma = context.required("x"), context.required("gamma")
    return (TensorDesc(x.dtype, x.shape, x.format), TensorDesc(DataType.DT_FLOAT, gamma.shape, gamma.format))
