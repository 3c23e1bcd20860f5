"""RmsNormBackward, whole: definition, checks, shape inference, tiling, engines."""

from cannery.operator import Operator
from cannery.ops.rms_norm_backward.checks import check
from cannery.ops.rms_norm_backward.definition import DEFINITION
from cannery.ops.rms_norm_backward.eager import launch
from cannery.ops.rms_norm_backward.infershape import infer_shape
from cannery.ops.rms_norm_backward.tiling import tiling

OPERATOR = Operator(
    definition=DEFINITION,
    check=check,
    infer_shape=infer_shape,
    tiling=tiling,
    engines={"eager": launch},
    golden="cannery.ops.rms_norm_backward.golden",
)
