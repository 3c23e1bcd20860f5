"""The rules on descriptors, in the original's order, and the work split.

Source: recursion-ascend/ops-transformer @a093e95, `attention/dense_lightning_indexer_kl_loss_grad/op_host/arch35/
dense_lightning_indexer_kl_loss_grad_tiling_general_regbase.cpp`.
"""

from __future__ import annotations

from math import prod

import torch

from cannery.core import Stage
from cannery.operator import CallContext, TilingResult
from cannery.ops._lightning_indexer.calls import (
    HEAD_DIM,
    IndexerCall,
    IndexerRule,
    attribute_rules,
    dtype_rules,
    length_rules,
    metadata_given,
    not_empty,
    rank_rule,
    shape_rules,
)
from cannery.ops._lightning_indexer.rules import judge

MIB = 1 << 20
EXCHANGE_BYTES = 3072  # partial head sums between a cube core's two vector cores
ORDERED_BYTES = 3 * 8192 * HEAD_DIM * 4  # rotating slots of a core when rows are summed in order
LIBRARY_BYTES = 16 * MIB
OUTPUT_OF = {"dq": "q", "dk": "k", "dw": "w", "softmax_out": "attn_softmax_l1_norm"}


def _output_shape(index: int, name: str, like: str) -> IndexerRule:
    return IndexerRule(
        name,
        lambda c: c.context.outputs[index].shape == c.dims(like),
        lambda c: c.context.outputs[index].shape,
        lambda c: f"{c.dims(like)}, as {like}",
    )


def _output_dtype(index: int, name: str, like: str) -> IndexerRule:
    return IndexerRule(
        name,
        lambda c: c.context.outputs[index].dtype is c.context.required(like).dtype,
        lambda c: c.context.outputs[index].dtype.short,
        lambda c: f"{c.context.required(like).dtype.short}, as {like}",
    )


RULES: tuple[IndexerRule, ...] = (
    metadata_given(),
    *attribute_rules(),
    *(rank_rule(name, 3, 4) for name in ("q", "k", "attn_softmax_l1_norm")),
    *(_output_shape(index, name, like) for index, (name, like) in enumerate(OUTPUT_OF.items())),
    *dtype_rules("q", "k", ("w", "softmax_lse", "attn_softmax_l1_norm")),
    *(_output_dtype(index, name, like) for index, (name, like) in enumerate(OUTPUT_OF.items())),
    *shape_rules("q", "k", (("w", "rows heads"), ("softmax_lse", "1rows"), ("attn_softmax_l1_norm", "rows 1 *"))),
    *(not_empty(name) for name in "qk"),
    *length_rules(),
)


def tiling(context: CallContext) -> TilingResult:
    """One block a cube core. The tiling structure's layout is not reproduced: nothing but the device's kernel reads it.

    Raises:
        OperatorError: 561002 of the first rule that fails.
    """
    judge(context, Stage.TILING, RULES, IndexerCall(context))
    cores = context.soc.aic_cores
    keys = prod(context.required("k").shape[:-2])
    workspace = cores * EXCHANGE_BYTES + keys * HEAD_DIM * 4 + LIBRARY_BYTES
    if torch.are_deterministic_algorithms_enabled():
        workspace += cores * ORDERED_BYTES
    return TilingResult(key=0, block_dim=cores, workspaces=(workspace,))
