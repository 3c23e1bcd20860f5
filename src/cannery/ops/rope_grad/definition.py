"""RopeGrad: gradients of query and key through a rotary position embedding, as the original's code computes them."""

from cannery.core import DataType
from cannery.operator import ATB, Attribute, AttrType, OperatorDefinition, TensorParam
from cannery.ops._train.contract import RESERVED, SOCS

F16 = (DataType.DT_FLOAT16,)
HEAD_DIM = 128

DEFINITION = OperatorDefinition(
    name="RopeGrad",
    category="train",
    summary="Per head of 128 and token t of a sample: d = g * (cos[t] + [sin[t, 64:], -sin[t, :64]]).",
    source="hicann/ascend-transformer-boost src/ops/ops_train/rope_grad @ddcc8b6",
    contract=ATB,
    inputs=(
        TensorParam("g1", F16, "[N, H]", "The gradient of the embedded query."),
        TensorParam("g2", F16, "[N, H]", "The gradient of the embedded key."),
        TensorParam("cos", F16, f"[S, {HEAD_DIM}]", "Cosines by position."),
        TensorParam("sin", F16, f"[S, {HEAD_DIM}]", "Sines by position."),
    ),
    outputs=(
        TensorParam("dq", F16, "[N, H]", "The gradient of the query."),
        TensorParam("dk", F16, "[N, H]", "The gradient of the key."),
    ),
    attributes=(
        Attribute("qSeqLen", AttrType.LIST_INT, "Tokens of each sample.", "1 to 32 lengths, each 1 to S", default=()),
        RESERVED,
    ),
    socs=SOCS,
    constraints=(
        "N = sum(qSeqLen); H is a multiple of 128.",
        "Not the adjoint of a rotary embedding: the halves of g are not swapped. The original's code is the contract.",
        "Computed in float32 and rounded once.",
    ),
    faces=("atb",),
)
