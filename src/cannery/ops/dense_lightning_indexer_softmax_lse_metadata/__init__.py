"""DenseLightningIndexerSoftmaxLseMetadata, whole: definition, checks, engines."""

from cannery.operator import Operator
from cannery.ops._lightning_indexer.metadata.infershape import infer_shape
from cannery.ops._lightning_indexer.metadata.tiling import tiling
from cannery.ops.dense_lightning_indexer_softmax_lse_metadata.aicpu import launch
from cannery.ops.dense_lightning_indexer_softmax_lse_metadata.checks import check
from cannery.ops.dense_lightning_indexer_softmax_lse_metadata.definition import DEFINITION

OPERATOR = Operator(
    definition=DEFINITION,
    check=check,
    # 64 int32 words, one host thread: as the gradient's metadata.
    infer_shape=infer_shape,
    tiling=tiling,
    engines={"eager": launch, "aicpu": launch},
    golden="cannery.ops.dense_lightning_indexer_softmax_lse_metadata.golden",
)
