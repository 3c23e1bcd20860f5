"""An operator that no face has heard of: every type of attribute, several dtype columns, errors of its own."""

from typing import Any

import numpy as np
import pytest

from cannery.aclnn.spelling import spelled
from cannery.aclnn.twophase import calls_of
from cannery.core import AclnnStatus, DataType, Shape, Stage, Tensor, TensorDesc
from cannery.operator import (
    ACLNN,
    AICoreConfig,
    Attribute,
    AttrType,
    CallContext,
    Operator,
    OperatorDefinition,
    TilingResult,
)
from cannery.operator import TensorParam as Param

from .conftest import Client

FLOATS = (DataType.DT_FLOAT, DataType.DT_FLOAT16)
DEFINITION = OperatorDefinition(
    name="ScaleRows",
    category="test",
    summary="Multiply listed rows.",
    source="nowhere",
    contract=ACLNN,
    inputs=(Param("x", FLOATS), Param("bias", FLOATS, optional=True)),
    outputs=(Param("y", FLOATS),),
    attributes=(
        Attribute("rows", AttrType.LIST_INT, default=(0,)),
        Attribute("factor", AttrType.FLOAT, required=True),
        Attribute("negate", AttrType.BOOL, default=False),
        Attribute("reserved", AttrType.INT, default=0, internal=True),
        Attribute("mode", AttrType.STRING, default="rows"),
    ),
    socs=("Ascend950",),
    aicore=AICoreConfig(socs=("Ascend950",)),
    faces=("aclnn",),
)


def infer_shape(context: CallContext) -> tuple[TensorDesc, ...]:
    x = context.required("x")
    if x.shape.rank != 2:
        raise context.error(Stage.INFER_SHAPE, "x", f"{x.shape.rank} dims", "2")
    return (TensorDesc(x.dtype, Shape(x.shape)),)


def launch(context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: Any) -> None:
    x, bias = inputs
    assert x is not None
    factor = context.attrs["factor"] * (-1 if context.attrs["negate"] else 1)
    outputs[0].torch.copy_(x.torch)
    rows = list(context.attrs["rows"])
    if max(rows) >= x.torch.shape[0]:
        raise context.error(Stage.LAUNCH, f"rows[{rows.index(max(rows))}]", max(rows), f"below {x.torch.shape[0]}")
    outputs[0].torch[rows] *= factor
    if bias is not None:
        outputs[0].torch.add_(bias.torch)


OPERATOR = Operator(DEFINITION, lambda context: None, infer_shape, lambda c: TilingResult(0, 1), {"eager": launch})
PHASE_ONE, PHASE_TWO = map(spelled, calls_of("ScaleRows", OPERATOR))


def scaled(client: Client, x: int, y: int, **changes: Any) -> int:
    """The first status that is not 0, the synchronisation's included."""
    row = {"bias": None, "rows": 0, "factor": 2.0, "negate": False, "mode": "rows", **changes}
    status, size, executor = PHASE_ONE(x, row["bias"], row["rows"], row["factor"], row["negate"], row["mode"], y)
    if status:
        return int(status)
    assert size == 0
    return int(PHASE_TWO(0, 0, executor, client.stream)) or client.synchronize()


def test_the_prototype_has_each_c_type_and_no_internal_attribute() -> None:
    assert PHASE_ONE.__doc__ == (
        "aclnnStatus aclnnScaleRowsGetWorkspaceSize(const aclTensor *x, const aclTensor *biasOptional, "
        "const aclIntArray *rows, double factor, bool negate, char *mode, const aclTensor *y, "
        "uint64_t *workspaceSize, aclOpExecutor **executor)"
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_attributes_of_every_type_arrive(client: Client, dtype: Any) -> None:
    x, y = client.tensor(np.ones((3, 2)), dtype), client.tensor(np.zeros((3, 2)), dtype)
    rows = client.aclnn.aclCreateIntArray([0, 2])
    bias = client.tensor(np.full((3, 2), 0.5), dtype)
    assert scaled(client, x, y, rows=rows, factor=3, negate=True, bias=bias) == 0
    assert client.read(y, 6, dtype).tolist() == [-2.5, -2.5, 1.5, 1.5, -2.5, -2.5]
    assert scaled(client, x, y) == 0
    assert client.read(y, 6, dtype).tolist() == [2, 2, 1, 1, 1, 1]


def test_its_refusals_have_the_status_of_their_stage(client: Client) -> None:
    x, y = client.tensor(np.ones((3, 2)), np.float32), client.tensor(np.zeros((3, 2)), np.float32)
    flat = client.tensor(np.ones(6), np.float32)
    assert scaled(client, flat, y) == AclnnStatus.ACLNN_ERR_INNER_INFERSHAPE_ERROR
    assert scaled(client, client.tensor(np.ones((3, 2)), np.float64), y) == AclnnStatus.ACLNN_ERR_PARAM_INVALID
    assert scaled(client, 0, y) == AclnnStatus.ACLNN_ERR_PARAM_NULLPTR
    assert scaled(client, x, 0) == AclnnStatus.ACLNN_ERR_PARAM_INVALID
    assert scaled(client, x, y, mode=None) == AclnnStatus.ACLNN_ERR_PARAM_NULLPTR
    assert scaled(client, x, y, rows=x) == AclnnStatus.ACLNN_ERR_PARAM_INVALID
    assert scaled(client, x, y, rows=client.aclnn.aclCreateIntArray([0, 5])) == 507015
    assert "rows[1]: found 5, expected below 3" in client.message


def test_views_with_gaps_on_both_sides(client: Client) -> None:
    storage = client.tensor(np.arange(12, dtype=np.float32).reshape(3, 4), np.float32)
    place = client.tensor(np.full(12, -1), np.float32)
    address = client.aclnn.aclGetRawTensorAddr
    x = client.view(address(storage)[1], (3, 2), np.float32, strides=(4, 2), offset=1)
    y = client.view(address(place)[1], (3, 2), np.float32, strides=(1, 4))
    assert scaled(client, x, y) == 0
    assert client.read(place, 12, np.float32).tolist() == [2, 5, 9, -1, 6, 7, 11, -1, -1, -1, -1, -1]
