"""The metadata operator's host checks: all 35 of the original, in its order, and what the documentation adds.

Source: recursion-ascend/ops-transformer @a093e95,
`attention/dense_lightning_indexer_kl_loss_grad_metadata/op_host/dense_lightning_indexer_kl_loss_grad_metadata_check.h`.
"""

from dataclasses import replace
from typing import Any

import pytest
import torch

import cannery
from cannery import DataType, OperatorError, Shape, Stage, TensorDesc
from cannery.core import AclnnStatus
from cannery.operator import CallContext, find_operator
from cannery.operator.attributes import bind_attributes
from cannery.ops._lightning_indexer.metadata.rules import HOST_RULES

NAME = "DenseLightningIndexerKLLossGradMetadata"
OPERATOR = find_operator(NAME)
INT32, FLOAT = DataType.DT_INT32, DataType.DT_FLOAT
INPUTS = ("cu_seqlens_q", "cu_seqlens_k", "seqused_q", "seqused_k", "cmp_residual_k")
LEGAL = {"num_heads_q": 64, "num_heads_k": 1, "head_dim": 128, "layout_q": "TND", "layout_k": "TND"}
OFFSETS = {"cu_seqlens_q": (5,), "cu_seqlens_k": (5,)}


def call(
    attrs: dict[str, Any] | None = None,
    shapes: dict[str, Any] | None = None,
    dtypes: dict[str, DataType] | None = None,
    metadata: TensorDesc | None = None,
    **fields: Any,
) -> CallContext:
    """A legal TND call of four batches with changes; shape None is an absent tensor, layout "null" a null pointer."""
    values = {**LEGAL, **(attrs or {})}
    given = {**OFFSETS, **(shapes or {})}
    descs = [
        None if given.get(name) is None else TensorDesc((dtypes or {}).get(name, INT32), Shape(given[name]))
        for name in INPUTS
    ]
    chip = replace(cannery.soc(fields.pop("soc", "Ascend950")), **{k: v for k, v in fields.items() if k != "quirks"})
    bound = dict(bind_attributes(OPERATOR.definition, {k: v for k, v in values.items() if v != "null"}))
    bound.update({name: None for name, value in values.items() if value == "null"})
    return CallContext(
        OPERATOR.definition,
        tuple(descs),
        bound,
        chip,
        fields.get("quirks", False),
        buffers=() if metadata is None else (metadata,),
    )


def refused(context: CallContext) -> OperatorError:
    """The error of the check stage."""
    with pytest.raises(OperatorError) as caught:
        OPERATOR.check(context)
    return caught.value


def meta(dtype: DataType = INT32, *dims: int) -> TensorDesc:
    return TensorDesc(dtype, Shape(dims))


BSND = {"layout_q": "BSND", "layout_k": "BSND"}
NO_OFFSETS = {"cu_seqlens_q": None, "cu_seqlens_k": None}
# Rule number, parameter, and a call that breaks it and none before it.
BROKEN: list[tuple[int, str, CallContext]] = [
    (1, "num_heads_q", call({"num_heads_q": 0})),
    (1, "num_heads_q", call({"num_heads_q": 129})),
    (2, "num_heads_k", call({"num_heads_k": 2})),
    (3, "head_dim", call({"head_dim": 64})),
    (4, "batch_size", call({"batch_size": -1})),
    (5, "max_seqlen_q", call({"max_seqlen_q": -1})),
    (6, "max_seqlen_k", call({"max_seqlen_k": -1})),
    (7, "mask_mode", call({"mask_mode": 1})),
    (8, "cmp_ratio", call({"cmp_ratio": 0})),
    (8, "cmp_ratio", call({"cmp_ratio": 129})),
    (9, "layout_q", call({"layout_q": "null"})),
    (10, "layout_q", call({"layout_q": "tnd"})),
    (11, "layout_k", call({"layout_k": "null"})),
    (12, "layout_k", call({"layout_k": "BNSD"})),
    (13, "soc.aic_cores", call(aic_cores=0)),
    (14, "soc.aiv_cores", call(aiv_cores=0)),
    (15, "cu_seqlens_q", call(shapes={"cu_seqlens_q": None})),
    (15, "cu_seqlens_q", call(shapes={"cu_seqlens_q": (0,)})),
    (16, "cu_seqlens_k", call(shapes={"cu_seqlens_k": None})),
    (17, "cmp_residual_k", call({"mask_mode": 3, "cmp_ratio": 4})),
    (18, "metadata", call(metadata=meta(INT32, 0))),
    (19, "cu_seqlens_q", call(shapes={"cu_seqlens_q": (5, 1)})),
    (20, "cu_seqlens_q", call(dtypes={"cu_seqlens_q": DataType.DT_INT64})),
    (21, "cu_seqlens_k", call(shapes={"cu_seqlens_k": (5, 1)})),
    (22, "cu_seqlens_k", call(dtypes={"cu_seqlens_k": FLOAT})),
    (23, "seqused_q", call(shapes={"seqused_q": (4, 1)})),
    (24, "seqused_q", call(shapes={"seqused_q": (4,)}, dtypes={"seqused_q": FLOAT})),
    (25, "seqused_k", call(shapes={"seqused_k": (4, 1)})),
    (26, "seqused_k", call(shapes={"seqused_k": (4,)}, dtypes={"seqused_k": FLOAT})),
    (27, "cmp_residual_k", call(shapes={"cmp_residual_k": (4, 1)})),
    (28, "cmp_residual_k", call(shapes={"cmp_residual_k": (4,)}, dtypes={"cmp_residual_k": FLOAT})),
    (29, "metadata", call(metadata=meta(INT32, 8, 8))),
    (30, "metadata", call(metadata=meta(FLOAT, 64))),
    (31, "metadata", call(metadata=meta(INT32, 63))),
    (32, "batch_size", call(shapes={"cu_seqlens_k": (4,)})),
    (33, "cu_seqlens_q", call(shapes={"seqused_q": (3,), "seqused_k": (3,)})),
    (34, "cu_seqlens_k", call(shapes={"cu_seqlens_k": (4,), "seqused_k": (4,)})),
    (35, "cmp_residual_k", call(shapes={"cmp_residual_k": (3,)})),
]


def test_there_are_35_host_checks() -> None:
    assert len(HOST_RULES) == 35
    assert {number for number, _, _ in BROKEN} == set(range(1, 36))


@pytest.mark.parametrize(("number", "parameter", "context"), BROKEN)
def test_a_broken_rule_is_the_error_and_answers_161002(number: int, parameter: str, context: CallContext) -> None:
    error = refused(context)
    assert (error.stage, error.parameter, error.code) == (Stage.CHECK, parameter, AclnnStatus.ACLNN_ERR_PARAM_INVALID)
    assert HOST_RULES[number - 1].parameter == parameter


@pytest.mark.parametrize("later", range(2, 10))
def test_of_two_broken_parameters_the_first_in_order_is_named(later: int) -> None:
    first, second = BROKEN[0], BROKEN[later]
    both = replace(first[2], attrs={**second[2].attrs, "num_heads_q": 0})
    assert refused(both).parameter == "num_heads_q"


def test_the_message_says_found_and_allowed() -> None:
    assert "found 129, expected a value in [1, 128]" in str(refused(call({"num_heads_q": 129})))
    assert "found 4 batches of queries and 3 of keys" in str(refused(call(shapes={"cu_seqlens_k": (4,)})))
    assert "found 63 elements, expected 64 elements" in str(refused(call(metadata=meta(INT32, 63))))


@pytest.mark.parametrize(
    "context",
    [
        call(),
        call({"num_heads_q": 1}),
        call({"num_heads_q": 128, "cmp_ratio": 128, "mask_mode": 3}, {"cmp_residual_k": (4,)}),
        call({"mask_mode": 3, "cmp_ratio": 1}),
        call({"batch_size": 4}),
        call(shapes={"cu_seqlens_q": (1,), "cu_seqlens_k": (1,)}),
        call(shapes={"seqused_q": (4,), "seqused_k": (0,)}),
        call({**BSND, "batch_size": 2, "max_seqlen_q": 0}, NO_OFFSETS),
        call({**BSND, "batch_size": 2}, {**NO_OFFSETS, "seqused_q": (2,)}),
        call({**BSND, "batch_size": 9}, {**NO_OFFSETS, "seqused_q": (2,), "seqused_k": (2,)}),
        call({"layout_k": "BSND", "batch_size": 4}, {"cu_seqlens_k": None}),
        call(metadata=meta(INT32, 64)),
    ],
)
def test_what_the_original_accepts_is_accepted(context: CallContext) -> None:
    OPERATOR.check(context)


def test_with_only_seqused_q_the_batch_size_must_agree_for_bsnd() -> None:
    shapes = {**NO_OFFSETS, "seqused_q": (2,)}
    assert refused(call({**BSND, "batch_size": 3}, shapes)).parameter == "batch_size"


def test_other_chips_check_the_metadata_pointer_only() -> None:
    nonsense = {"num_heads_q": 0, "num_heads_k": 3, "head_dim": 7, "mask_mode": 9, "cmp_ratio": 0, "layout_k": "X"}
    OPERATOR.check(call(nonsense, soc="Ascend910B1"))
    error = refused(call(soc="Ascend910B1", metadata=TensorDesc(DataType.DT_UNDEFINED, Shape(()))))
    assert error.code == AclnnStatus.ACLNN_ERR_PARAM_NULLPTR


@pytest.mark.parametrize(
    ("attrs", "shapes", "parameter"),
    [
        (BSND, NO_OFFSETS, "batch_size"),
        ({"batch_size": 3}, {}, "batch_size"),
        ({"layout_q": "BSND", "batch_size": 4}, {"cu_seqlens_q": None, "cu_seqlens_k": (5,)}, None),
    ],
)
def test_what_only_the_documentation_refuses_is_refused_unless_faithful(
    attrs: dict[str, Any], shapes: dict[str, Any], parameter: str | None
) -> None:
    OPERATOR.check(call(attrs, shapes, quirks=True))
    if parameter is None:
        OPERATOR.check(call(attrs, shapes))
    else:
        assert refused(call(attrs, shapes)).parameter == parameter


def test_a_wrong_output_buffer_is_refused_in_order_and_stays_as_it_is() -> None:
    buffer = torch.full((63,), 7, dtype=torch.int32)
    attrs = {**LEGAL, **BSND, "batch_size": 2, "max_seqlen_q": 3}
    with pytest.raises(OperatorError, match="metadata: found 63 elements"):
        cannery.run(NAME, {"seqused_k": torch.zeros(3, dtype=torch.int32)}, attrs, outputs=[buffer])
    assert buffer.eq(7).all()
