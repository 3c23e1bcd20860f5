"""RopeGrad: gradients of query and key through a rotary position embedding, as the original's code computes them."""

from cannery.core import DataType
from cannery.operator import ATB, Attribute, AttrType, OperatorDefinition, Quirk, TensorParam
from cannery.ops._train.contract import RESERVED, SOCS

F16 = (DataType.DT_FLOAT16,)
HEAD_DIM = 128

QUIRKS = (
    Quirk(
        "half_arithmetic",
        "factor and product are computed in float32 and rounded once",
        "both the factor (cosine plus or minus sine) and the product are rounded to float16",
    ),
    Quirk(
        "tokens_unchecked",
        "fewer lengths than tokens are refused at infer_shape with ERROR_INVALID_TENSOR_SIZE",
        "rows behind the last length are never written and keep what the buffer holds",
    ),
    Quirk(
        "outputs_unchecked",
        "outputs unlike g1 are refused at tiling",
        "any shape with room for what is written is accepted; the rows fill its memory from the start",
    ),
    Quirk(
        "heads_beyond_cores",
        "every head is computed",
        "a core computes one head: with more heads than vector cores the others are never written",
    ),
)

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
    quirks=QUIRKS,
    constraints=(
        "N = sum(qSeqLen); H is a multiple of 128.",
        "Not the adjoint of a rotary embedding: the halves of g are not swapped. The original's code is the contract.",
        "Computed in float32 and rounded once.",
    ),
    faces=("atb",),
)
