"""The host checks: those of the gradient's metadata, and stricter ones.

Source: recursion-ascend/ops-transformer @a093e95,
`attention/dense_lightning_indexer_softmax_lse_v2_metadata/op_host/` (the check header).
"""

from __future__ import annotations

from cannery.core import Stage
from cannery.operator import CallContext
from cannery.ops._lightning_indexer.metadata.rules import (
    DOCUMENTED_RULES,
    GATE,
    HOST_RULES,
    Call,
)
from cannery.ops._lightning_indexer.rules import Rule, judge


def _offsets_fit(side: str) -> Rule[Call]:
    """Offsets that are there have one element more than there are batches, also where the layout reads none."""
    name = f"cu_seqlens_{side}"
    return Rule(
        name,
        lambda call: name not in call.tensors or call.tensors[name].shape[0] == call.batch(side) + 1,
        lambda call: f"{call.tensors[name].shape[0]} elements",
        lambda call: f"{call.batch(side) + 1} for {call.batch(side)} batches",
    )


STRICTER_RULES: tuple[Rule[Call], ...] = (
    Rule("soc", lambda call: GATE in call.soc.name, lambda call: call.soc.name, f"a chip of {GATE}"),
    Rule(
        "layout_k",
        lambda call: call.attrs["layout_k"] == call.attrs["layout_q"],
        lambda call: call.attrs["layout_k"],
        lambda call: f"{call.attrs['layout_q']}, as layout_q",
    ),
    Rule(
        "num_heads_q",
        lambda call: call.attrs["num_heads_q"] % call.attrs["num_heads_k"] == 0,
        lambda call: call.attrs["num_heads_q"],
        lambda call: f"a multiple of num_heads_k, which is {call.attrs['num_heads_k']}",
    ),
    Rule("batch_size", lambda call: call.batch("q") > 0, lambda call: f"{call.batch('q')} batches", "at least 1"),
    _offsets_fit("q"),
    _offsets_fit("k"),
)

# A batch_size that wins over the tensors' own number of batches leaves out rows: never meant.
SIZE_RULES: tuple[Rule[Call], ...] = (
    *DOCUMENTED_RULES,
    Rule(
        "batch_size",
        lambda call: call.attrs["batch_size"] in (0, call.batch("q")),
        lambda call: call.attrs["batch_size"],
        lambda call: f"0, or {call.batch('q')} as seqused_q says",
    ),
)


def check(context: CallContext) -> None:
    """Judge a call by its descriptors and attributes.

    Raises:
        OperatorError: 161002 of the first rule that fails.
    """
    call = Call.of(context)
    judge(context, Stage.CHECK, HOST_RULES + STRICTER_RULES, call)
    if not context.quirks:
        judge(context, Stage.CHECK, SIZE_RULES, call)
