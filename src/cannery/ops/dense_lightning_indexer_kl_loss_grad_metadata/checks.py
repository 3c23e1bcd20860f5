"""The host checks: on an Ascend950 all 35 of the original, elsewhere what the computation needs; then the documented.

Source: recursion-ascend/ops-transformer `attention/dense_lightning_indexer_kl_loss_grad_metadata/op_host/
dense_lightning_indexer_kl_loss_grad_metadata_check.h` @a093e95.
"""

from __future__ import annotations

from cannery.core import AclnnStatus, DataType, Stage
from cannery.operator import CallContext
from cannery.ops._lightning_indexer.metadata.rules import (
    DOCUMENTED_RULES,
    GATE,
    HOST_RULES,
    METADATA_RULES,
    TENSOR_RULES,
    Call,
    cores,
    not_negative,
)
from cannery.ops._lightning_indexer.rules import Rule, judge

# What the computation itself needs to be defined, on chips where the original checks nothing.
READABLE_RULES: tuple[Rule[Call], ...] = (
    *(not_negative(name) for name in ("batch_size", "max_seqlen_q", "max_seqlen_k")),
    cores("aic_cores"),
    *TENSOR_RULES,
    *METADATA_RULES,
)


def check(context: CallContext) -> None:
    """Judge a call by its descriptors and attributes.

    Raises:
        OperatorError: 161002 of the first rule that fails; 161001 for a null metadata pointer on a chip whose name does
            not contain Ascend950.
    """
    call = Call.of(context)
    if GATE in context.soc.name:
        judge(context, Stage.CHECK, HOST_RULES, call)
    else:
        _check_pointer(context, call)
        judge(context, Stage.CHECK, READABLE_RULES, call)
    if not context.quirks:
        judge(context, Stage.CHECK, DOCUMENTED_RULES, call)


def _check_pointer(context: CallContext, call: Call) -> None:
    if call.metadata.dtype is DataType.DT_UNDEFINED:
        code = AclnnStatus.ACLNN_ERR_PARAM_NULLPTR
        raise context.error(Stage.CHECK, "metadata", "a null pointer", "a tensor", code)
