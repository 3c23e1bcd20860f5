"""GenAttentionMask: crops a padded attention mask to the real lengths, once a head."""

from cannery.core import DataType
from cannery.operator import ATB, Attribute, AttrType, OperatorDefinition, Quirk, TensorParam
from cannery.ops._train.contract import RESERVED, SOCS

QUIRKS = (
    Quirk(
        "count_wraps",
        "headNum * sum(seqLen[i]^2) beyond int32 is refused at infer_shape with ERROR_INVALID_PARAM",
        "it wraps: the output has as many elements as the wrapped number says, and only these are written",
    ),
)

DEFINITION = OperatorDefinition(
    name="GenAttentionMask",
    category="train",
    summary="For every sample headNum copies of x[i, 0, :seqLen[i], :seqLen[i]], flattened: a crop, no mask is made.",
    source="hicann/ascend-transformer-boost src/ops/ops_train/gen_attention_mask @ddcc8b6",
    contract=ATB,
    inputs=(TensorParam("x", (DataType.DT_FLOAT16,), "[B, 1, S, S]", "The padded masks."),),
    outputs=(TensorParam("output", (DataType.DT_FLOAT16,), "[headNum * sum(seqLen[i]^2)]", "The crops."),),
    attributes=(
        Attribute("headNum", AttrType.INT, "Number of attention heads.", "at least 1", default=1),
        Attribute("seqLen", AttrType.LIST_INT, "Tokens of each sample.", "1 to 32 lengths, each 1 to S", default=()),
        RESERVED,
    ),
    socs=SOCS,
    quirks=QUIRKS,
    constraints=("B is the number of lengths.", "A pure move, bit for bit."),
    faces=("atb",),
)
