"""UnpadWithHiddenState: takes the padding rows out of a batch."""

from cannery.core import DataType
from cannery.operator import ATB, OperatorDefinition, Quirk, TensorParam
from cannery.ops._hidden_state.contract import ATTRIBUTES, SOCS

QUIRKS = (
    Quirk(
        "offsets_wrap",
        "an offset or length beyond uint32 is refused at tiling, by the name of its field",
        "it wraps: rows are taken from, or put in, the wrong place without an error",
    ),
    Quirk(
        "hidden_size_truncated",
        "a hidden size beyond uint32 is refused at tiling",
        "its lower 32 bits are taken: 2^32 + k moves blocks of k elements a row",
    ),
)

DEFINITION = OperatorDefinition(
    name="UnpadWithHiddenState",
    category="train",
    summary="Pack the real rows of a padded batch, sample after sample: out[P_i + t] = x[i, t] for t < qSeqLen[i].",
    source="hicann/ascend-transformer-boost src/ops/ops_train/unpad_with_hidden_state @ddcc8b6",
    contract=ATB,
    inputs=(TensorParam("x", (DataType.DT_FLOAT16,), "[B, maxSeqLen, H]", "The padded batch; padding is not read."),),
    outputs=(TensorParam("output", (DataType.DT_FLOAT16,), "[sum(qSeqLen), H]", "The packed rows."),),
    attributes=ATTRIBUTES,
    socs=SOCS,
    quirks=QUIRKS,
    constraints=(
        "B is the number of lengths. H is limited by the tensor's 256 GiB and the uint32 offsets of tiling only.",
        "Lengths are taken as they are: nothing is rounded up to a multiple of 16.",
    ),
    faces=("atb",),
)
