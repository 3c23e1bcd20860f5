"""Phase 1 of an operator of one's own: its outputs are held against what is inferred."""

from typing import Any

import pytest

from cannery.aclnn.planning import Request, planner
from cannery.core import AclnnStatus, DataType, Shape, TensorDesc
from cannery.operator import ACLNN, Operator, OperatorDefinition, TensorParam, TilingResult
from cannery.runtime import RuntimeFault
from cannery.soc import soc

FLOAT = (DataType.DT_FLOAT, DataType.DT_FLOAT16)
DEFINITION = OperatorDefinition(
    name="OwnTwice",
    category="test",
    summary="y = 2 x.",
    source="this test",
    contract=ACLNN,
    inputs=(TensorParam("x", FLOAT),),
    outputs=(TensorParam("y", FLOAT),),
    attributes=(),
    socs=("Ascend910B",),
    faces=("aclnn",),
)


def infer_shape(context: Any) -> tuple[TensorDesc, ...]:
    return (context.required("x"),)


OPERATOR = Operator(
    DEFINITION,
    check=lambda context: None,
    infer_shape=infer_shape,
    tiling=lambda context: TilingResult(key=0, block_dim=1),
    engines={"eager": lambda context, tiling, inputs, outputs: None},
)
X = TensorDesc(DataType.DT_FLOAT, Shape((4,)))


def plan(y: TensorDesc, chip: str = "Ascend910B") -> Any:
    return planner(OPERATOR, ())(Request((X,), (), (y,), soc(chip), False, False))


def test_an_output_as_inferred_is_planned() -> None:
    assert plan(X).tiling.block_dim == 1


@pytest.mark.parametrize(
    ("y", "found"),
    [
        (TensorDesc(DataType.DT_FLOAT, Shape((9,))), "float32 [9]"),
        (TensorDesc(DataType.DT_FLOAT16, Shape((4,))), "float16 [4]"),
    ],
)
def test_another_output_is_an_error_of_tiling(y: TensorDesc, found: str) -> None:
    with pytest.raises(RuntimeFault) as caught:
        plan(y)
    assert caught.value.code is AclnnStatus.ACLNN_ERR_INNER_TILING_ERROR
    assert caught.value.facts == ("OwnTwice: tiling: y", found, "float32 [4], as inferred")


def test_a_chip_that_the_definition_does_not_name_has_no_kernel() -> None:
    with pytest.raises(RuntimeFault, match="soc: found Ascend950") as caught:
        plan(X, "Ascend950")
    assert caught.value.code is AclnnStatus.ACLNN_ERR_INNER_FIND_KERNEL_ERROR
