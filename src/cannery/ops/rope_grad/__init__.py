"""RopeGrad, whole: definition, checks, shape inference, tiling, engines."""

from cannery.operator import Operator
from cannery.ops.rope_grad.checks import check
from cannery.ops.rope_grad.definition import DEFINITION
from cannery.ops.rope_grad.eager import launch
from cannery.ops.rope_grad.infershape import infer_shape
from cannery.ops.rope_grad.tiling import tiling

OPERATOR = Operator(
    definition=DEFINITION,
    check=check,
    infer_shape=infer_shape,
    tiling=tiling,
    engines={"eager": launch},
    golden="cannery.ops.rope_grad.golden",
)
