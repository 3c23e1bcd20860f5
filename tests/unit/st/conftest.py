"""A tiny operator and little case files, as one fixture: `lab`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from cannery.core import DataType, Shape, Tensor, TensorDesc
from cannery.operator import (
    GE,
    Attribute,
    AttrType,
    CallContext,
    Operator,
    OperatorDefinition,
    TensorParam,
    TilingResult,
)
from cannery.st import CaseFile, CaseFileError, CaseResult, Options, load_cases, run_cases

FLOATS = (DataType.DT_FLOAT16, DataType.DT_FLOAT, DataType.DT_BF16)

TTK_COLUMNS = (
    "testcase_name", "op_name", "input_shapes", "input_dtypes", "output_shapes", "output_dtypes", "attributes",
)  # fmt: skip


def scale_launch(
    context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
) -> None:
    """y = x * factor (+ bias)."""
    x, bias = (*inputs, None)[:2]
    assert x is not None
    made = x.torch * context.attrs["factor"]
    outputs[0].torch.copy_(made if bias is None else made + bias.torch)


def infer_scale(context: CallContext) -> tuple[TensorDesc, ...]:
    x = context.required("x")
    return (TensorDesc(x.dtype, Shape(x.shape)),)


DEFINITION = OperatorDefinition(
    name="ScaleBias",
    category="test",
    summary="y = x * factor + bias",
    source="this test",
    contract=GE,
    inputs=(TensorParam("x", FLOATS), TensorParam("bias", FLOATS, optional=True)),
    outputs=(TensorParam("y", FLOATS),),
    attributes=(Attribute("factor", AttrType.FLOAT, default=2.0),),
    socs=("Ascend910B", "Ascend950"),
)


def scale_operator(engines: Mapping[str, Any] = MappingProxyType({"eager": scale_launch})) -> Operator:
    """The operator, with other engines if wanted."""
    return Operator(DEFINITION, lambda context: None, infer_scale, lambda context: TilingResult(0, 1), engines)


def find_scale(name: str) -> Operator:
    """Knows this operator only."""
    if name not in ("scale_bias", "ScaleBias"):
        raise ValueError(f"operator: found {name!r}, expected scale_bias")
    return scale_operator()


def write_ttk(path: Path, *rows: Mapping[str, str], columns: Sequence[str] = TTK_COLUMNS) -> Path:
    """A kernel case file; cells that a row does not give are those of a 2 × 3 float32 case."""
    usual = {
        "testcase_name": "case",
        "op_name": "scale_bias",
        "input_shapes": "((2, 3),)",
        "input_dtypes": "('float32',)",
        "output_shapes": "((2, 3),)",
        "output_dtypes": "('float32',)",
    }
    extra = dict.fromkeys(name for row in rows for name in row if name not in columns)
    names = [*columns, *extra]
    lines = [",".join(names)]
    for row in rows:
        cells = {**usual, **row}
        lines.append(",".join('"' + cells.get(name, "").replace('"', '""') + '"' for name in names))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


GOLDEN = """
__spec__ = {"scale_bias": "Spec"}

class Spec:
    tolerance = {"float32": {"standard": "binary_equal"}}

    def golden(x, bias=None, *, factor=2.0, **kwargs):
        y = x * x.dtype.type(factor)
        return [y if bias is None else y + bias]
"""


def write_plugin(folder: Path, text: str = GOLDEN) -> Path:
    """A plugin folder with one asset file."""
    (folder / "assets").mkdir(parents=True, exist_ok=True)
    (folder / "assets" / "golden.py").write_text(text, encoding="utf-8")
    return folder


ATB_COLUMNS = (
    "CaseNum|CaseName|OpName|OpParam|InNum|InDType|InFormat|InShape|OutNum|OutDType|OutFormat|OutShape|DataGenType|"
    "DataGenRange|InTensorFile|OutTensorFile|TestType|TestLevel|FromModel|SocVersion|ExpectedError"
)


def write_atb(path: Path, *rows: Mapping[str, str]) -> Path:
    """An ATB case file; cells that a row does not give are those of a 2 × 3 float16 case."""
    usual = {
        "CaseNum": "1", "CaseName": "case", "OpName": "ScaleBias", "OpParam": '{"factor": 2.0}',
        "InNum": "1", "InDType": "float16", "InFormat": "nd", "InShape": "2,3",
        "OutNum": "1", "OutDType": "float16", "OutFormat": "nd", "OutShape": "2,3",
        "DataGenType": "random", "DataGenRange": "-5,5", "TestType": "Function", "TestLevel": "Level0",
        "SocVersion": "Ascend910B", "ExpectedError": "NO_ERROR",
    }  # fmt: skip
    lines = [ATB_COLUMNS]
    for row in rows:
        cells = {**usual, **row}
        lines.append("|".join(cells.get(name, "") for name in ATB_COLUMNS.split("|")))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@dataclass(frozen=True)
class Lab:
    """What the tests here share; `folder` holds the files of one test."""

    folder: Path

    def ttk(self, *rows: Mapping[str, str], columns: Sequence[str] = TTK_COLUMNS, name: str = "cases.csv") -> CaseFile:
        """A kernel case file, read."""
        return load_cases(write_ttk(self.folder / name, *rows, columns=columns), find_scale)

    def atb(self, *rows: Mapping[str, str], name: str = "cases.csv") -> CaseFile:
        """An ATB case file, read."""
        return load_cases(write_atb(self.folder / name, *rows), find_scale)

    def refusal(self, file: Path) -> CaseFileError:
        """What is said of a malformed file."""
        with pytest.raises(CaseFileError) as caught:
            load_cases(file, find_scale)
        return caught.value

    def plugin(self, text: str = GOLDEN) -> Path:
        """A plugin folder with one asset file."""
        return write_plugin(self.folder / "plugin", text)

    def run(self, file: CaseFile, text: str = GOLDEN, **options: Any) -> list[CaseResult]:
        """The results of a file with the golden of that text."""
        return list(run_cases(file.rows, Options(plugins=(self.plugin(text),), **options)))

    def with_engine(self, file: CaseFile, launch: Any) -> CaseFile:
        """The same file for an operator with another engine."""
        operator = scale_operator({"eager": launch})
        return replace(file, cases=tuple(replace(case, operator=operator) for case in file.cases))


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """A folder, an operator `ScaleBias` (y = x * factor + bias) and its golden."""
    return Lab(tmp_path)
