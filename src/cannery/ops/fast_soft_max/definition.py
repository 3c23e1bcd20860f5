"""FastSoftMax: softmax over the rows of attention scores without padding."""

from cannery.core import DataType
from cannery.operator import ATB, OperatorDefinition, TensorParam
from cannery.ops._train.contract import HEAD_NUM, RESERVED, SOCS
from cannery.ops._train.scores import LENGTHS

DEFINITION = OperatorDefinition(
    name="FastSoftMax",
    category="train",
    summary="Softmax over every row of headNum blocks of qSeqLen[i] x qSeqLen[i] scores a sample, without padding.",
    source="hicann/ascend-transformer-boost src/ops/ops_train/fast_soft_max @ddcc8b6",
    contract=ATB,
    inputs=(TensorParam("x", (DataType.DT_FLOAT16,), "[headNum * sum(qSeqLen[i]^2)]", "The scores."),),
    outputs=(TensorParam("y", (DataType.DT_FLOAT16,), "[headNum * sum(qSeqLen[i]^2)]", "The probabilities."),),
    attributes=(HEAD_NUM, LENGTHS, RESERVED),
    socs=SOCS,
    constraints=("sum(qSeqLen^2) is below floor((2^32 - 1) / headNum).", "Computed in float32 and rounded once."),
    faces=("atb",),
)
