"""DenseLightningIndexerKLLossGradMetadata, whole: definition, checks, engines."""

from cannery.operator import Operator
from cannery.ops._lightning_indexer.metadata.infershape import infer_shape
from cannery.ops._lightning_indexer.metadata.tiling import tiling
from cannery.ops.dense_lightning_indexer_kl_loss_grad_metadata import aicpu, eager
from cannery.ops.dense_lightning_indexer_kl_loss_grad_metadata.checks import check
from cannery.ops.dense_lightning_indexer_kl_loss_grad_metadata.definition import DEFINITION

OPERATOR = Operator(
    definition=DEFINITION,
    check=check,
    infer_shape=infer_shape,
    tiling=tiling,
    engines={"eager": eager.launch, "aicpu": aicpu.launch},
    golden="cannery.ops.dense_lightning_indexer_kl_loss_grad_metadata.golden",
)
