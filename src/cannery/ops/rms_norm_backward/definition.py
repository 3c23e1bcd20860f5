"""RmsNormBackward: gradients of a root-mean-square normalisation."""

from cannery.core import DataType
from cannery.operator import ATB, OperatorDefinition, TensorParam
from cannery.operator.frameworks import atb
from cannery.ops._train.contract import SOCS

RESERVED_BYTES = 8
X_TYPES = (DataType.DT_FLOAT, DataType.DT_FLOAT16, DataType.DT_BF16)
F32 = (DataType.DT_FLOAT,) * len(X_TYPES)

DEFINITION = OperatorDefinition(
    name="RmsNormBackward",
    category="train",
    summary="dgamma = sum over rows of dy x rstd; dx = dy gamma rstd - x mean(dy gamma rstd^3 x).",
    source="hicann/ascend-transformer-boost src/ops/ops_train/rms_norm_backward @ddcc8b6",
    contract=ATB,
    inputs=(
        TensorParam("dy", X_TYPES, "like x, or other rows of as many elements", "The gradient of the normalised x."),
        TensorParam("x", X_TYPES, "[rows..., dims of gamma...]", "What was normalised."),
        TensorParam(
            "rstd", F32, "[rows...], or as many elements in any shape", "One over each row's root mean square."
        ),
        TensorParam("gamma", X_TYPES, "the last dims of x", "The scale."),
    ),
    outputs=(
        TensorParam("dx", X_TYPES, "like x", "The gradient of x."),
        TensorParam("dgamma", F32, "like gamma", "The gradient of the scale."),
    ),
    attributes=(atb.reserved(RESERVED_BYTES),),
    socs=SOCS,
    constraints=(
        "The mean is over the dims of gamma.",
        "Sums are taken in float64 and rounded once, so that they do not depend on the number of threads.",
    ),
    faces=("atb",),
    is_atb_fixed=True,
)
