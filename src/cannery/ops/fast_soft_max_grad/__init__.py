"""FastSoftMaxGrad, whole: definition, checks, shape inference, tiling, engines."""

from cannery.operator import Operator
from cannery.ops.fast_soft_max_grad.checks import check
from cannery.ops.fast_soft_max_grad.definition import DEFINITION
from cannery.ops.fast_soft_max_grad.eager import launch
from cannery.ops.fast_soft_max_grad.infershape import infer_shape
from cannery.ops.fast_soft_max_grad.tiling import tiling

OPERATOR = Operator(
    definition=DEFINITION,
    check=check,
    infer_shape=infer_shape,
    tiling=tiling,
    engines={"eager": launch},
    golden="cannery.ops.fast_soft_max_grad.golden",
)
