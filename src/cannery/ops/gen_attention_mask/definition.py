"""GenAttentionMask: crops a padded attention mask to the real lengths, once a head."""

from cannery.core import DataType
from cannery.operator import ATB, Attribute, AttrType, OperatorDefinition, Quirk, TensorParam
from cannery.ops._train.contract import RESERVED, SOCS

QUIRKS = (
    Quirk(
        "count_wraps",
        "headNum * seqLen[i]^2 beyond int32 is refused at infer_shape with ERROR_INVALID_PARAM",
        "it wraps, and the output has as many elements as the sum of the wrapped numbers says; only these are written",
    ),
    Quirk(
        "output_rank_unchecked",
        "an output of another number of dims than 1 is refused at tiling with ERROR_INVALID_TENSOR_DIM",
        "only its first dim is looked at; the crops fill its memory from the start",
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
