"""Shapes and data types of the gradients: as the inputs they belong to.

Source: recursion-ascend/ops-transformer @a093e95,
`attention/dense_lightning_indexer_kl_loss_grad/op_host/dense_lightning_indexer_kl_loss_grad_infershape.cpp`.
"""

from __future__ import annotations

from cannery.core import TensorDesc
from cannery.operator import CallContext
from cannery.ops._lightning_indexer.calls import IndexerCall


def infer_shape(context: CallContext) -> tuple[TensorDesc, ...]:
    """dq, dk like q, k; dw and softmax_out float32 (float64 where q is) in the shapes of w and the target."""
    q, k, w, target = (context.required(name) for name in ("q", "k", "w", "attn_softmax_l1_norm"))
    dtype = IndexerCall(context).accumulator
    return (
        TensorDesc(q.dtype, q.shape),
        TensorDesc(k.dtype, k.shape),
        TensorDesc(dtype, w.shape),
        TensorDesc(dtype, target.shape),
    )
