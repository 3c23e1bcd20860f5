"""Shape and data type of the log-sum-exp.

Source: recursion-ascend/ops-transformer @a093e95, `attention/dense_lightning_indexer_softmax_lse_v2/op_host/`.
"""

from __future__ import annotations

from cannery.core import Shape, TensorDesc
from cannery.operator import CallContext
from cannery.ops._lightning_indexer.calls import IndexerCall


def infer_shape(context: CallContext) -> tuple[TensorDesc, ...]:
    """(B, N2, S1) for BSND, else (N2, T1); float32, float64 where the queries are. A missing dim counts as 0."""
    call = IndexerCall(context)
    q, k = ((*desc.shape, 0, 0, 0) for desc in (call.q, call.k))
    dims = (q[0], k[2], q[1]) if context.attrs["layout_q"] == "BSND" else (k[1], q[0])
    return (TensorDesc(call.accumulator, Shape(dims)),)
