"""GenAttentionMask, whole: definition, checks, shape inference, tiling, engines."""

from cannery.operator import Operator
from cannery.ops.gen_attention_mask.checks import check
from cannery.ops.gen_attention_mask.definition import DEFINITION
from cannery.ops.gen_attention_mask.eager import launch
from cannery.ops.gen_attention_mask.infershape import infer_shape
from cannery.ops.gen_attention_mask.tiling import tiling

OPERATOR = Operator(
    definition=DEFINITION,
    check=check,
    infer_shape=infer_shape,
    tiling=tiling,
    engines={"eager": launch},
    golden="cannery.ops.gen_attention_mask.golden",
)
