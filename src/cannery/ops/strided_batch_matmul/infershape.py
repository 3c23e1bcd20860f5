"""Shape and data type of C."""

from cannery.core import INT64_MAX, Shape, Stage, TensorDesc
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops.strided_batch_matmul.checks import check_numbers, output_shape


def infer_shape(context: CallContext) -> tuple[TensorDesc, ...]:
    """C: [headNum · Σ m · n], with A's data type and format.

    Raises:
        OperatorError: at stage infer_shape; also for a number of elements beyond int64, as in the original
            (`src/ops/ops_train/strided_batch_matmul/stridedbatchmatmul_operation.cpp` @ddcc8b6).
    """
    atb.check_inputs(context)
    check_numbers(context, Stage.INFER_SHAPE)
    a, shape = context.required("A"), output_shape(context)
    _check_fits(context, shape)
    return (TensorDesc(a.dtype, shape, a.format),)


def _check_fits(context: CallContext, shape: Shape) -> None:
    if shape[0] > INT64_MAX:
        raise context.error(Stage.INFER_SHAPE, "headNum * sum(m * n)", shape[0], f"at most {INT64_MAX}")
