"""StridedBatchMatmul, whole: definition, checks, shape inference, tiling, engines."""

from cannery.operator import Operator
from cannery.ops.strided_batch_matmul.checks import check
from cannery.ops.strided_batch_matmul.definition import DEFINITION
from cannery.ops.strided_batch_matmul.eager import launch
from cannery.ops.strided_batch_matmul.infershape import infer_shape
from cannery.ops.strided_batch_matmul.tiling import tiling

OPERATOR = Operator(
    definition=DEFINITION,
    check=check,
    infer_shape=infer_shape,
    tiling=tiling,
    engines={"eager": launch},
    golden="cannery.ops.strided_batch_matmul.golden",
)
