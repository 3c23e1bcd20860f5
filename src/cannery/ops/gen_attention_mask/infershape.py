"""Shape and data type of the crops."""

from cannery.core import Shape, Stage, TensorDesc
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops.gen_attention_mask.checks import check_x, output_count


def infer_shape(context: CallContext) -> tuple[TensorDesc, ...]:
    """output: [headNum · Σ seqLen²], with x's data type and format.

    Raises:
        OperatorError: at stage infer_shape.
    """
    atb.check_inputs(context)
    check_x(context, Stage.INFER_SHAPE)
    x = context.required("x")
    return (TensorDesc(x.dtype, Shape((output_count(context, Stage.INFER_SHAPE),)), x.format),)
