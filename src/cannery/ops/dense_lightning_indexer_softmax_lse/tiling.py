"""The rules on descriptors, and the work split.

Source: recursion-ascend/ops-transformer @a093e95, `attention/dense_lightning_indexer_softmax_lse_v2/op_host/` (tiling).
"""

from __future__ import annotations

from cannery.core import Stage
from cannery.operator import CallContext, TilingResult
from cannery.ops._lightning_indexer.calls import (
    IndexerCall,
    IndexerRule,
    attribute_rules,
    dtype_rules,
    length_rules,
    metadata_given,
    rank_rule,
    shape_rules,
)
from cannery.ops._lightning_indexer.lse_split import MAX_CORES
from cannery.ops._lightning_indexer.rules import judge

_OUTPUT_RULES: tuple[IndexerRule, ...] = (
    IndexerRule(
        "softmax_lse",
        lambda c: list(c.context.outputs[0].shape) == [*c.lead[:-1], 1, c.lead[-1]],
        lambda c: c.context.outputs[0].shape,
        lambda c: str([*c.lead[:-1], 1, c.lead[-1]]),
    ),
    IndexerRule(
        "softmax_lse",
        lambda c: c.context.outputs[0].dtype is c.accumulator,
        lambda c: c.context.outputs[0].dtype.short,
        lambda c: c.accumulator.short,
    ),
)

# Keys there may be none: their rows see nothing.
_ROWS_GIVEN = IndexerRule(
    "query_index", lambda c: min(c.lead) >= 1, lambda c: c.q.shape, "at least one row, and for layout BSND one batch"
)

RULES: tuple[IndexerRule, ...] = (
    metadata_given(),
    *attribute_rules(),
    *(rank_rule(name, 3, 4) for name in ("query_index", "key_index")),
    *dtype_rules("query_index", "key_index", ("weight",)),
    *shape_rules("query_index", "key_index", (("weight", "rows heads"),)),
    _ROWS_GIVEN,
    *length_rules(offsets_layout=""),
    *_OUTPUT_RULES,
)


def tiling(context: CallContext) -> TilingResult:
    """One block a cube core, at most 36.

    Raises:
        OperatorError: 561002 of the first rule that fails.
    """
    judge(context, Stage.TILING, RULES, IndexerCall(context))
    return TilingResult(key=0, block_dim=min(context.soc.aic_cores, MAX_CORES))
