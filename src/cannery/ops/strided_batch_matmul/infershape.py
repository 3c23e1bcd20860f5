"""Shape and data type of C."""

from cannery.core import Stage, TensorDesc
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops.strided_batch_matmul.checks import check_numbers, output_shape


def infer_shape(context: CallContext) -> tuple[TensorDesc, ...]:
    """C: [headNum · Σ m · n], with A's data type and format.

    Raises:
        OperatorError: at stage infer_shape.
    """
    atb.check_inputs(context)
    check_numbers(context, Stage.INFER_SHAPE)
    a = context.required("A")
    return (TensorDesc(a.dtype, output_shape(context), a.format),)
