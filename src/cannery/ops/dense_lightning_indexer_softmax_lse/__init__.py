"""DenseLightningIndexerSoftmaxLse, whole: definition, shape inference, tiling, launch."""

from cannery.operator import Operator
from cannery.ops.dense_lightning_indexer_softmax_lse.definition import DEFINITION
from cannery.ops.dense_lightning_indexer_softmax_lse.eager import launch
from cannery.ops.dense_lightning_indexer_softmax_lse.infershape import infer_shape
from cannery.ops.dense_lightning_indexer_softmax_lse.tiling import tiling

OPERATOR = Operator(
    definition=DEFINITION,
    # The original has no host check of its own: every rule on descriptors stands in tiling.
    check=lambda context: None,
    infer_shape=infer_shape,
    tiling=tiling,
    engines={"eager": launch},
    golden="cannery.ops.dense_lightning_indexer_softmax_lse.golden",
)
