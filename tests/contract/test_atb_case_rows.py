"""Every row of the ATB case files through ATB's own steps: create, infer shape, setup, execute.

The stage and code a row expects come out of `cannery.atb` and, with them, the outputs of `cannery.run`.
"""

from math import prod
from pathlib import Path
from typing import Any

import pytest
import torch

import cannery
from cannery import OperatorError, atb
from cannery.atb.params import atb_operators, param_classes
from cannery.runtime import Stream
from cannery.st.case import Case
from cannery.st.files import load_cases

FOLDER = Path(cannery.__file__).parent / "ops"
# Larger rows stop behind Setup: what they compute does not depend on the face.
MOST_ELEMENTS = 1 << 20


def rows() -> list[Any]:
    made = []
    for operator in atb_operators().values():
        for path in sorted((FOLDER / operator.definition.snake_name / "cases").glob("*.csv")):
            made += [pytest.param(case, id=f"{path.stem}: {case.name}") for case in load_cases(path).cases]
    return made


class Walk:
    """A row as a caller of ATB goes through it."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.inputs = [spec.desc for spec in case.tensors if spec is not None]
        self.soc = next((name for name in case.socs), "Ascend910B")

    def outcome(self) -> str:
        last = None if self.case.expected.code else self.case.expected.stage
        try:
            operation = atb.CreateOperation(self.param(), soc=self.soc)
            if last is not None and last.letter == "C":
                return "NO_ERROR"
            outputs = self.outputs(operation.InferShape(self.inputs))
            if last is not None and last.letter == "I":
                return "NO_ERROR"
            return self.execute(operation, outputs)
        except OperatorError as error:
            return f"{error.stage.letter}:{error.code.name}"

    def param(self) -> Any:
        return param_classes()[f"{self.case.operator.name}Param"](**self.case.attrs)

    def outputs(self, inferred: Any) -> list[Any]:
        return list(inferred) if self.case.outputs is None else [spec.desc for spec in self.case.outputs]

    def execute(self, operation: Any, outputs: list[Any]) -> str:
        context, stream = atb.CreateContext(), Stream()
        context.SetExecuteStream(stream)
        pack = atb.VariantPack([atb.Tensor(desc) for desc in self.inputs], [atb.Tensor(desc) for desc in outputs])
        size = operation.Setup(pack, context)
        if sum(prod(desc.shape) for desc in self.inputs + outputs) > MOST_ELEMENTS or self.case.expected.stage:
            return "NO_ERROR"
        given = [torch.rand(desc.shape).to(desc.dtype.torch) for desc in self.inputs]
        made = [torch.full(desc.shape, torch.nan).to(desc.dtype.torch) for desc in outputs]
        operation.Execute(atb.VariantPack(map(atb.Tensor.of, given), map(atb.Tensor.of, made)), None, size, context)
        stream.synchronize()
        expected = cannery.run(self.case.operator.name, given, self.case.attrs, soc=self.soc)
        assert all(torch.equal(a, b) for a, b in zip(made, expected, strict=True))
        return "NO_ERROR"


@pytest.mark.parametrize("case", rows())
def test_a_row_ends_as_it_expects(case: Case) -> None:
    assert Walk(case).outcome() == (str(case.expected) if case.expected.code else "NO_ERROR")
