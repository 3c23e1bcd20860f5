"""An operator of one's own in ATB: optional inputs, outputs that do not fit, tiling without data."""

from typing import Any

import pytest
import torch

from cannery import atb
from cannery.atb.params import param_classes
from cannery.core import AtbStatus, DataType, OperatorError, Stage, TensorDesc
from cannery.operator import ATB, Operator, OperatorDefinition, TensorParam, TilingResult, all_operators
from cannery.runtime import Stream

FLOAT = (DataType.DT_FLOAT,)
DEFINITION = OperatorDefinition(
    name="OwnSum",
    category="test",
    summary="y = x + b, or x where b is absent.",
    source="this test",
    contract=ATB,
    inputs=(TensorParam("x", FLOAT), TensorParam("b", FLOAT, optional=True)),
    outputs=(TensorParam("y", FLOAT),),
    attributes=(),
    socs=("Ascend910B",),
    faces=("atb",),
)


def infer_shape(context: Any) -> tuple[TensorDesc, ...]:
    x = context.required("x")
    return (TensorDesc(x.dtype, x.shape),)


def launch(context: Any, tiling: Any, inputs: Any, outputs: Any) -> None:
    x, b = (*inputs, None)[:2]
    torch.add(x.torch, 0 if b is None else b.torch, out=outputs[0].torch)


OPERATOR = Operator(
    DEFINITION, lambda context: None, infer_shape, lambda context: TilingResult(key=0, block_dim=1), {"eager": launch}
)


@pytest.fixture
def operation(monkeypatch: pytest.MonkeyPatch) -> Any:
    registry = all_operators()
    monkeypatch.setattr(registry, "_operators", {**registry, OPERATOR.name: OPERATOR})
    return atb.CreateOperation(param_classes()["OwnSumParam"]())


def forward(operation: Any, inputs: list[Any], output: torch.Tensor) -> list[float]:
    context, stream = atb.Context(), Stream()
    context.SetExecuteStream(stream)
    pack = atb.VariantPack(inputs, [atb.Tensor.of(output)])
    size = operation.Setup(pack, context)
    operation.Execute(pack, None, size, context)
    stream.synchronize()
    return list(output.tolist())


X, B = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ([atb.Tensor.of(X), atb.Tensor.of(B)], [11, 22]),
        ([atb.Tensor.of(X)], [1, 2]),
        ([atb.Tensor.of(X), atb.Tensor()], [1, 2]),
    ],
)
def test_an_optional_input_may_be_left_out_or_empty(inputs: Any, expected: Any, operation: Any) -> None:
    assert forward(operation, inputs, torch.zeros(2)) == expected


@pytest.mark.parametrize(
    ("output", "found"),
    [(torch.zeros(9), "float32 [9]"), (torch.zeros(2, dtype=torch.float16), "float16 [2]")],
)
def test_setup_refuses_an_output_that_is_not_what_is_inferred(output: Any, found: str, operation: Any) -> None:
    with pytest.raises(OperatorError) as caught:
        forward(operation, [atb.Tensor.of(X)], output)
    assert (caught.value.stage, *caught.value.facts) == (Stage.TILING, "y", found, "float32 [2], as inferred")
    assert not output.any()


@pytest.mark.parametrize(("count", "found"), [(0, "0 inputs and 1 outputs"), (3, "3 inputs and 1 outputs")])
def test_setup_counts_the_tensors(count: int, found: str, operation: Any) -> None:
    with pytest.raises(OperatorError) as caught:
        forward(operation, [atb.Tensor.of(X)] * count, torch.zeros(2))
    assert (caught.value.found, caught.value.expected) == (found, "2 inputs and 1 outputs")
    assert caught.value.code is AtbStatus.ERROR_INVALID_PARAM
