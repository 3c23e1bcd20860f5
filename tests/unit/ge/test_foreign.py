"""Operators of other packages in a graph; with Add, Sub, Mul and Div among them, tensors can be calculated with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from cannery.core import DataType, Tensor, TensorDesc
from cannery.ge.es import GraphBuilder
from cannery.ge.es import all as functions
from cannery.ge.graph import Tensor as GeTensor
from cannery.ge.session import Session
from cannery.operator import GE, CallContext, Operator, OperatorDefinition, TensorParam, TilingResult, registry

TYPES = (DataType.DT_FLOAT, DataType.DT_INT32)
RULES = {"Add": "add", "Sub": "sub", "Mul": "mul", "Div": "div"}


def infer(context: CallContext) -> tuple[TensorDesc, ...]:
    shaped = max((context.required("x1"), context.required("x2")), key=lambda desc: desc.shape.rank)
    return (shaped,)


def operator(name: str, rule: str) -> Operator:
    def launch(
        context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
    ) -> None:
        x1, x2 = (tensor.torch for tensor in inputs if tensor is not None)
        outputs[0].torch.copy_(getattr(x1, rule)(x2))

    definition = OperatorDefinition(
        name=name, category="math", summary=f"y = {rule}(x1, x2).", source="a test", contract=GE,
        inputs=(TensorParam("x1", TYPES), TensorParam("x2", TYPES)), outputs=(TensorParam("y", TYPES),), attributes=(),
        socs=("Ascend950",), faces=("ge",),
    )  # fmt: skip
    return Operator(definition, lambda _: None, infer, lambda _: TilingResult(0, 1), {"eager": launch})


@pytest.fixture(autouse=True)
def arithmetic(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The four operators as a package would bring them."""
    known = {**registry.all_operators(), **{name: operator(name, rule) for name, rule in RULES.items()}}
    monkeypatch.setattr(registry, "all_operators", lambda: known)
    for module in ("cannery.ge.es.tensor_holder", "cannery.ge.es.offered"):
        monkeypatch.setattr(f"{module}.all_operators", lambda: known)
    yield
    for name in RULES:
        vars(functions).pop(name, None)


@pytest.mark.parametrize(
    ("expression", "result"),
    [("a + b", [4.0, 6.0]), ("a - b", [-2.0, -2.0]), ("a * b", [3.0, 8.0]), ("b / a", [3.0, 2.0]),
     ("a + 1", [2.0, 3.0]), ("10 - a", [9.0, 8.0]), ("2 * a", [2.0, 4.0]), ("2 / a", [2.0, 1.0]),
     ("1 + a", [2.0, 3.0]), ("(a + b) * a", [4.0, 12.0])],
)  # fmt: skip
def test_tensors_can_be_calculated_with(session: Session, expression: str, result: list[Any]) -> None:
    builder = GraphBuilder()
    a, b = (builder.create_input(index, shape=[2]) for index in range(2))
    session.add_graph(0, builder.build_and_reset([eval(expression, {"a": a, "b": b}), a, b]))
    tensors = [GeTensor([1.0, 2.0]), GeTensor([3.0, 4.0])]
    assert session.run_graph(0, tensors)[0].get_data() == result


def test_a_number_takes_the_type_of_the_tensor(session: Session) -> None:
    builder = GraphBuilder()
    a = builder.create_input(0, data_type=DataType.DT_INT32, shape=[2])
    graph = builder.build_and_reset([functions.Add(a, a) + 1])
    constant = graph.find_node_by_name("Const_0")
    assert constant is not None and constant.get_output_desc(0).data_type is DataType.DT_INT32
    session.add_graph(0, graph)
    assert session.run_graph(0, [GeTensor([1, 2], data_type=DataType.DT_INT32)])[0].get_data() == [3, 5]
