"""Shapes and data types of both gradients."""

from cannery.core import Stage, TensorDesc
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops.rope_grad.checks import check_inputs


def infer_shape(context: CallContext) -> tuple[TensorDesc, ...]:
    """dq is like g1, dk like g2.

    Raises:
        OperatorError: at stage infer_shape.
    """
    atb.check_inputs(context)
    check_inputs(context, Stage.INFER_SHAPE)
    given = (context.required("g1"), context.required("g2"))
    return tuple(TensorDesc(desc.dtype, desc.shape, desc.format) for desc in given)
