"""The example of DenseLightningIndexerKLLossGradMetadata's page, as it stands there, and what it gives.

Source: recursion-ascend/ops-transformer `attention/dense_lightning_indexer_kl_loss_grad_metadata` @a093e95,
`examples/test_torch_dense_lightning_indexer_kl_loss_grad_metadata.py`.
"""

import torch  # noqa: I001
import cann_ops_transformer  # noqa: F401

metadata = torch.ops.cann_ops_transformer.dense_lightning_indexer_kl_loss_grad_metadata(
    cu_seqlens_q=torch.tensor([0, 123, 230, 234, 511], dtype=torch.int32).npu(),
    cu_seqlens_k=torch.tensor([0, 3048, 4098 * 2, 4364 * 3, 4098 * 4], dtype=torch.int32).npu(),
    seqused_q=None,
    seqused_k=None,
    cmp_residual_k=None,
    batch_size=4,
    max_seqlen_q=180,
    max_seqlen_k=5,
    num_heads_q=64,
    num_heads_k=1,
    head_dim=128,
    mask_mode=0,
    layout_q="TND",
    layout_k="TND",
    cmp_ratio=13,
)

# The rows of all queries; rows of the first cores, of the others, how many others there are; cores in use.
total, former, remain, remaining_cores, cores = metadata[:5].tolist()
print(f"{total} rows over {cores} cores: {cores - remaining_cores} x {former}, {remaining_cores} x {remain}")
assert total == 511 == (cores - remaining_cores) * former + remaining_cores * remain
