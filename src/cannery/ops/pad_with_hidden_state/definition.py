"""PadWithHiddenState: puts packed rows back into a padded batch."""

from cannery.core import DataType
from cannery.operator import ATB, OperatorDefinition, Quirk, TensorParam
from cannery.ops._hidden_state.contract import ATTRIBUTES, SOCS

QUIRKS = (
    Quirk(
        "padding_unwritten",
        "padding rows are set to 0, also in the caller's buffer",
        "the kernel has no padding stage: padding rows keep what the memory held before",
    ),
    Quirk(
        "wide_hidden_fails_at_launch",
        "a hidden size above 4096 is refused at tiling with ERROR_INVALID_PARAM",
        "tiling fails unnoticed (its result has no data), and the launch fails with ERROR_INVALID_PARAM",
    ),
    Quirk(
        "hidden_size_truncated",
        "a hidden size beyond uint32 is refused at tiling like any other above 4096",
        "its lower 32 bits are checked and used: 2^32 + k passes as k and moves blocks of k elements a row",
    ),
)

DEFINITION = OperatorDefinition(
    name="PadWithHiddenState",
    category="train",
    summary="Spread packed rows over a padded batch: out[i, t] = x[P_i + t] for t < qSeqLen[i], 0 in the padding.",
    source="hicann/ascend-transformer-boost src/ops/ops_train/pad_with_hidden_state @ddcc8b6",
    contract=ATB,
    inputs=(TensorParam("x", (DataType.DT_FLOAT16,), "[sum(qSeqLen), H]", "The packed rows."),),
    outputs=(TensorParam("output", (DataType.DT_FLOAT16,), "[B, maxSeqLen, H]", "The padded batch."),),
    attributes=ATTRIBUTES,
    socs=SOCS,
    quirks=QUIRKS,
    constraints=(
        "B is the number of lengths. H is 1 to 4096.",
        "Lengths are taken as they are: nothing is rounded up to a multiple of 16.",
    ),
    faces=("atb",),
)
