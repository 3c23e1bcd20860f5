"""What every ATB operation checks, on an operation that needs more than one column and an optional input."""

from dataclasses import replace
from typing import Any

import pytest

from cannery.core import AtbStatus, DataType, Format, OperatorError, Shape, Stage, TensorDesc
from cannery.operator import (
    ATB,
    Attribute,
    AttrType,
    CallContext,
    Operator,
    OperatorDefinition,
    TensorParam,
    TilingResult,
    staged,
)
from cannery.operator.frameworks import atb
from cannery.soc import soc

F16, BF16, F32, INT8 = DataType.DT_FLOAT16, DataType.DT_BF16, DataType.DT_FLOAT, DataType.DT_INT8
ND, NZ = Format.FORMAT_ND, Format.FORMAT_FRACTAL_NZ

DEFINITION = OperatorDefinition(
    name="Scale",
    category="train",
    summary="",
    source="",
    contract=ATB,
    inputs=(
        TensorParam("x", (F16, BF16, F16), formats=(ND, ND, NZ)),
        TensorParam("weight", (F32, F32, F16)),
        TensorParam("mask", (INT8, INT8, INT8), optional=True),
    ),
    outputs=(TensorParam("y", (F16, BF16, F32)),),
    attributes=(
        Attribute("lengths", AttrType.LIST_INT, default=()),
        Attribute("rsv", AttrType.LIST_INT, default=(0,) * 8, internal=True),
    ),
    socs=("Ascend910B",),
)


def refuse_everything(*arguments: Any) -> Any:
    raise AssertionError("not reached")


OPERATOR = Operator(DEFINITION, refuse_everything, refuse_everything, refuse_everything, {"eager": refuse_everything})


def desc(dtype: DataType, form: Format = ND, shape: tuple[int, ...] = (2, 3)) -> TensorDesc:
    return TensorDesc(dtype, Shape(shape), form)


def context_of(*inputs: TensorDesc | None, y: TensorDesc | None = None, **attrs: Any) -> CallContext:
    context = staged.bind(OPERATOR, inputs, attrs)
    return context if y is None else context.with_outputs([y])


def fault(check: Any, *args: Any) -> tuple[str, str, str]:
    with pytest.raises(OperatorError) as caught:
        check(*args)
    assert isinstance(caught.value.code, AtbStatus)
    return caught.value.stage.letter, caught.value.parameter, caught.value.code.name


@pytest.mark.parametrize(
    ("name", "is_910b"),
    [
        ("Ascend910B1", True),
        ("Ascend910B4-1", True),
        ("Ascend910B", False),
        ("Ascend910_93", True),
        ("Ascend910_9391", True),
        ("Ascend910A", False),
        ("Ascend310P3", False),
        ("Ascend950PR_9589", False),
    ],
)
def test_the_910b_class_is_told_by_the_name(name: str, is_910b: bool) -> None:
    assert atb.is_910b(name) is is_910b


@pytest.mark.parametrize(
    ("x", "weight", "y"),
    [(desc(F16), desc(F32), desc(F16)), (desc(BF16), desc(F32), desc(BF16)), (desc(F16, NZ), desc(F16), desc(F32))],
)
def test_every_column_passes_with_and_without_the_optional_input(
    x: TensorDesc, weight: TensorDesc, y: TensorDesc
) -> None:
    for inputs in ((x, weight), (x, weight, None), (x, weight, desc(INT8))):
        atb.check_inputs(context_of(*inputs))
        atb.check_setup(context_of(*inputs, y=y))


@pytest.mark.parametrize(
    ("x", "weight", "y", "culprit"),
    [
        (desc(INT8), desc(F32), desc(F16), "x"),
        (desc(BF16, NZ), desc(F32), desc(BF16), "x"),
        (desc(BF16), desc(F16), desc(BF16), "weight"),
        (desc(F16, NZ), desc(F32), desc(F16), "weight"),
        (desc(F16), desc(F32), desc(F32), "y"),
        (desc(F16), desc(F32), desc(BF16), "y"),
    ],
)
def test_tensors_of_different_columns_do_not_go_together(
    x: TensorDesc, weight: TensorDesc, y: TensorDesc, culprit: str
) -> None:
    expected = ("S", culprit, "ERROR_INVALID_TENSOR_INI_MATCH")
    assert fault(atb.check_setup, context_of(x, weight, y=y)) == expected


def test_the_message_says_what_the_columns_before_leave() -> None:
    with pytest.raises(OperatorError, match="y: found float16 ND, expected float32 ND"):
        atb.check_setup(context_of(desc(F16, NZ), desc(F16), y=desc(F16)))


def test_an_optional_input_that_is_there_is_judged() -> None:
    context = context_of(desc(F16), desc(F32), desc(INT8, shape=(0,)))
    assert fault(atb.check_inputs, context) == ("I", "mask", "ERROR_INVALID_TENSOR_SIZE")


def test_bfloat16_is_refused_on_chips_without_it() -> None:
    context = context_of(desc(BF16), desc(F32))
    atb.check_inputs(context)
    for name in ("Ascend310P3", "Ascend910A", "Ascend310B4"):
        poor = replace(context, soc=replace(soc("Ascend310P"), name=name))
        assert fault(atb.check_inputs, poor) == ("I", "x", "ERROR_INVALID_TENSOR_DTYPE")


@pytest.mark.parametrize("inputs", [(), (desc(F16),), (desc(F16), None), (None, desc(F32)), (desc(F16),) * 4])
def test_setup_counts_what_is_required_and_no_more_than_there_are(inputs: tuple[TensorDesc | None, ...]) -> None:
    expected = ("S", "inputs", "ERROR_INVALID_IN_TENSOR_NUM")
    assert fault(atb.check_setup, context_of(*inputs, y=desc(F16))) == expected


@pytest.mark.parametrize(
    ("dtype", "shape", "is_legal"),
    [
        (F16, (2**37,), True),
        (F16, (2**37 + 1,), False),
        (F16, (1,) * 8, True),
        (F16, (2**32, 2**32), False),
        (F16, (2, 0, 2), False),
        (F16, (-1, -1), False),
    ],
)
def test_a_tensor_has_1_byte_to_256_gib(dtype: DataType, shape: tuple[int, ...], is_legal: bool) -> None:
    context = context_of(desc(dtype, shape=shape), desc(F32))
    if is_legal:
        atb.check_inputs(context)
    else:
        assert fault(atb.check_inputs, context) == ("I", "x", "ERROR_INVALID_TENSOR_SIZE")


@pytest.mark.parametrize("dtype", [DataType.DT_INT4, DataType.DT_FLOAT4_E2M1, DataType.DT_COMPLEX32])
def test_a_type_that_atb_does_not_know_counts_no_bytes(dtype: DataType) -> None:
    assert fault(atb.check_inputs, context_of(desc(dtype), desc(F32))) == ("I", "x", "ERROR_INVALID_TENSOR_SIZE")


@pytest.mark.parametrize(
    ("lengths", "limit", "culprit"),
    [
        ([], None, "lengths"),
        ([1] * 33, None, "lengths"),
        ([1, 0], None, "lengths[1]"),
        ([-5], 4, "lengths[0]"),
        ([4, 4, 5], 4, "lengths[2]"),
        ([1] * 32, 1, None),
        ([10**9], None, None),
    ],
)
def test_lengths_are_1_to_32_positive_numbers_up_to_a_limit(
    lengths: list[int], limit: int | None, culprit: str | None
) -> None:
    context = context_of(lengths=lengths)
    if culprit is None:
        atb.check_lengths(context, "lengths", limit)
    else:
        assert fault(atb.check_lengths, context, "lengths", limit) == ("C", culprit, "ERROR_INVALID_PARAM")


@pytest.mark.parametrize(("rsv", "is_legal"), [([0] * 8, True), ([], True), ([0] * 9, False), ([0, 2], False)])
def test_reserved_bytes_are_zero_and_no_more_than_there_are(rsv: list[int], is_legal: bool) -> None:
    context = context_of(rsv=rsv)
    if is_legal:
        atb.check_reserved(context, 8)
    else:
        assert fault(atb.check_reserved, context, 8) == ("C", "rsv", "ERROR_INVALID_PARAM")


def test_a_tensor_rule_judges_the_number_of_dims_before_the_dims() -> None:
    context, wanted = context_of(), Shape((2, 3))
    atb.check_shape(context, Stage.TILING, "x", Shape((2, 3)), wanted)
    rank = fault(atb.check_shape, context, Stage.INFER_SHAPE, "x", Shape((2,)), wanted)
    dims = fault(atb.check_shape, context, Stage.TILING, "x", Shape((2, 4)), wanted)
    assert rank == ("I", "x", "ERROR_INVALID_TENSOR_DIM")
    assert dims == ("S", "x", "ERROR_INVALID_TENSOR_SIZE")


def test_a_tiling_that_fails_unnoticed_fails_the_launch() -> None:
    context = context_of()
    assert fault(atb.tiling_failure, context, "n", 1, 2) == ("S", "n", "ERROR_INVALID_PARAM")
    result = atb.tiling_failure(replace(context, quirks=True), "n", 1, 2)
    assert result == TilingResult(key=0, block_dim=0)
    assert fault(atb.check_tiled, context, result) == ("E", "tiling", "ERROR_INVALID_PARAM")
