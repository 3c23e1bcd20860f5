"""Shape and data type of the log-sum-exp.

Source: recursion-ascend/ops-transformer @a093e95, `attention/dense_lightning_indexer_softmax_lse_v2/op_host/`.
"""

from __future__ import annotations

from cannery.core import Shape, Stage, TensorDesc
from cannery.operator import CallContext
from cannery.ops._lightning_indexer.calls import IndexerCall


def infer_shape(context: CallContext) -> tuple[TensorDesc, ...]:
    """(1, T1) for queries of 3 dims, (B, 1, S1) for 4; float32, float64 where the queries are.

    Raises:
        OperatorError: queries of another rank.
    """
    call = IndexerCall(context)
    if call.q.shape.rank not in (3, 4):
        raise context.error(Stage.INFER_SHAPE, "query_index", f"{call.q.shape.rank} dims", "3 for TND, 4 for BSND")
    *batch, rows = call.lead
    return (TensorDesc(call.accumulator, Shape((*batch, 1, rows))),)
