"""One host thread, the AICPU framework's workspace; there is no tiling structure.

Source: recursion-ascend/ops-transformer
`attention/dense_lightning_indexer_kl_loss_grad_metadata/op_kernel_aicpu/*.json` @a093e95.
"""

from cannery.operator import CallContext, TilingResult

WORKSPACE_BYTES = 100
_TILING = TilingResult(key=0, block_dim=1, workspaces=(WORKSPACE_BYTES,))


def tiling(context: CallContext) -> TilingResult:
    """The same for every call."""
    return _TILING
