"""Shape and data type of y. Neither depends on x, whose shape may be unknown."""

from cannery.core import DataType, Shape, Stage, TensorDesc
from cannery.operator import CallContext
from cannery.operator.frameworks.gert import cut
from cannery.ops.update_tensor_desc.rules import check_shape_attribute


def infer_shape(context: CallContext) -> tuple[TensorDesc, ...]:
    """y: int64, with the attribute's shape.

    Raises:
        OperatorError: GRAPH_FAILED for an attribute against its rules.
    """
    dims = check_shape_attribute(context, Stage.INFER_SHAPE)
    shape = cut(dims) if context.quirks else Shape(dims)
    return (TensorDesc(DataType.DT_INT64, shape),)
