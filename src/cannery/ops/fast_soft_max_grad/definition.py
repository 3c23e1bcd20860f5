"""FastSoftMaxGrad: the gradient of FastSoftMax."""

from cannery.core import DataType
from cannery.operator import ATB, OperatorDefinition, TensorParam
from cannery.ops._train.contract import HEAD_NUM, RESERVED, SOCS
from cannery.ops._train.scores import LENGTHS

SHAPE = "[headNum * sum(qSeqLen[i]^2)]"

DEFINITION = OperatorDefinition(
    name="FastSoftMaxGrad",
    category="train",
    summary="Gradient of FastSoftMax from its output: dx = y * (dy - sum over the row of y * dy).",
    source="hicann/ascend-transformer-boost src/ops/ops_train/fast_soft_max_grad @ddcc8b6",
    contract=ATB,
    inputs=(
        TensorParam("y", (DataType.DT_FLOAT16,), SHAPE, "What FastSoftMax gave."),
        TensorParam("dy", (DataType.DT_FLOAT16,), SHAPE, "The gradient of y."),
    ),
    outputs=(TensorParam("dx", (DataType.DT_FLOAT16,), SHAPE, "The gradient of FastSoftMax's input."),),
    attributes=(HEAD_NUM, LENGTHS, RESERVED),
    socs=SOCS,
    constraints=("sum(qSeqLen^2) is below floor((2^32 - 1) / headNum).", "Computed in float32 and rounded once."),
    faces=("atb",),
)
