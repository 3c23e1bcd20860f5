"""An operator of another package, found by its entry point alone: every face, verb and page has it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cannery.capi.build import flags

COMMAND = Path(sys.executable).with_name("cannery")

OPERATOR = '''
"""Scale: y = factor x."""

import torch

from cannery.core import DataType, Stage, TensorDesc
from cannery.operator import (
    GE, Attribute, AttrType, Operator, OperatorDefinition, TensorParam, TilingResult, TorchConfig
)

FLOAT = (DataType.DT_FLOAT, DataType.DT_FLOAT16)


def keep(ctx, inputs, keyword_only_inputs, output):
    ctx.factor = keyword_only_inputs["factor"]


def backward(ctx, grad):
    return grad * ctx.factor


DEFINITION = OperatorDefinition(
    name="ScaleRows",
    category="math",
    summary="y = factor x.",
    source="my repository, src/scale, 1234567",
    contract=GE,
    inputs=(TensorParam("x", FLOAT, "any"),),
    outputs=(TensorParam("y", FLOAT, "as x"),),
    attributes=(
        Attribute("rowFactor", AttrType.FLOAT, default=2.0),
        Attribute("pads", AttrType.LIST_INT, default=(0, 1)),
    ),
    socs=("Ascend910B",),
    torch=TorchConfig(NAMESPACE, backward=backward, setup_context=keep),
    faces=("ge", "aclnn", "atb", "torch"),
)


def check(context):
    """Refuse other data types."""
    if context.required("x").dtype not in FLOAT:
        raise context.error(Stage.CHECK, "x", context.required("x").dtype.short, "float32 or float16")


def infer_shape(context):
    """As x."""
    x = context.required("x")
    return (TensorDesc(x.dtype, x.shape, x.format),)


def tiling(context):
    """One core."""
    return TilingResult(key=0, block_dim=1)


def launch(context, tiling, inputs, outputs):
    """One multiplication."""
    torch.mul(inputs[0].torch, context.attrs["rowFactor"], out=outputs[0].torch)


OPERATOR = Operator(DEFINITION, check, infer_shape, tiling, {"eager": launch}, golden="my_ops.golden")
'''.replace("NAMESPACE", '"mine"').replace('["factor"]', '["row_factor"]')

GOLDEN = '''
"""The reference of ScaleRows."""


__spec__ = {"scale_rows": "ScaleRowsSpec"}


class ScaleRowsSpec:
    """y = rowFactor x."""

    tolerance = {name: {"standard": "stat_rel_err"} for name in ("float32", "float16")}

    @staticmethod
    def golden(x, *, row_factor=2.0, **kwargs):
        """In float64."""
        return [(x.astype("float64") * row_factor).astype(x.dtype)]
'''

FACES = """
import acl, aclnn, ge, torch, torch_atb
import cannery.pytorch
from ge.es import GraphBuilder
from ge.ge_global import GeApi
from ge.graph import DataType, Tensor
from ge.session import Session

x = torch.arange(6.0).reshape(2, 3)
wanted = (x * 3).tolist()

op = torch.ops.mine.scale_rows
print(op.default._schema)
assert op(x, row_factor=3.0).tolist() == wanted
leaf = x.clone().requires_grad_()
op(leaf, row_factor=3.0).sum().backward()
assert leaf.grad.tolist() == [[3.0] * 3] * 2
torch.library.opcheck(op.default, (leaf,), {"row_factor": 3.0})

operation = torch_atb.Operation(torch_atb.ScaleRowsParam(row_factor=3.0))
assert operation.forward([x])[0].tolist() == wanted
assert "ScaleRowsParam" in dir(torch_atb)
try:
    operation.forward([x.int()])
except RuntimeError as error:
    print(error)

GeApi.ge_initialize({"ge.exec.deviceId": "0"})
builder = GraphBuilder("graph")
from ge.es.all import ScaleRows
builder.set_graph_output(ScaleRows(builder.create_input(0), rowFactor=3.0), 0)
session = Session()
session.add_graph(0, builder.build_and_reset())
given = Tensor(x.flatten().tolist(), data_type=DataType.DT_FLOAT, shape=[2, 3])
assert session.run_graph(0, [given])[0].get_data() == (x * 3).tolist()
session.remove_graph(0)
GeApi.ge_finalize()

print(aclnn.aclnnScaleRowsGetWorkspaceSize.__doc__)
acl.init()
acl.rt.set_device(0)
stream, _ = acl.rt.create_stream()
memory, _ = acl.rt.malloc(48, 0)
acl.rt.memcpy(memory, 24, x.data_ptr(), 24, 1)
tensors = [aclnn.aclCreateTensor([2, 3], 2, 0, [3, 1], 0, 2, [2, 3], 2, memory + place) for place in (0, 24)]
status, size, executor = aclnn.aclnnScaleRowsGetWorkspaceSize(tensors[0], 3.0, None, tensors[1])
assert status == 0, acl.get_recent_err_msg()
assert aclnn.aclnnScaleRows(0, size, executor, stream) == 0
assert acl.rt.synchronize_stream(stream) == 0
result = torch.empty(2, 3)
acl.rt.memcpy(result.data_ptr(), 24, memory + 24, 24, 2)
assert result.tolist() == wanted
print("all faces")
"""

LATE = """
import torch, torch_atb, aclnn, ge.es.all
import cannery, cannery.pytorch
from cannery.operator import Operator
from dataclasses import replace
from my_ops import OPERATOR

torch_atb.Operation(torch_atb.ScaleRowsParam()).forward([torch.ones(2)])  # ATB's context is made before
assert not hasattr(torch.ops.mine, "late") and not hasattr(aclnn, "aclnnLate")
cannery.register_operator(replace(OPERATOR, definition=replace(OPERATOR.definition, name="Late")))
x = torch.ones(2)
assert torch.ops.mine.late(x).tolist() == [2.0, 2.0]
assert torch_atb.Operation(torch_atb.LateParam()).forward([x])[0].tolist() == [2.0, 2.0]
assert aclnn.aclnnLateGetWorkspaceSize and ge.es.all.Late
assert cannery.run("Late", [x])[0].tolist() == [2.0, 2.0]
print("late")
"""

CASES = (
    "testcase_name,op_name,input_shapes,input_dtypes,input_formats,output_shapes,output_dtypes,output_formats,"
    "attributes\n"
    """scales,scale_rows,"((4, 8),)","('float32',)","('ND',)","((4, 8),)","('float32',)","('ND',)","""
    """{'row_factor': 3.0}\n"""
    """default,scale_rows,"((7,),)","('float16',)","('ND',)","((7,),)","('float16',)","('ND',)",{}\n"""
)

CLIENT = """
#include <cstdio>
#include "acl/acl.h"
#include "aclnnop/aclnn_scale_rows.h"

int main()
{
    float x[4] = {0, 1, 2, 3}, y[4] = {};
    int64_t dims[] = {4}, strides[] = {1};
    void *device = nullptr;
    aclrtStream stream = nullptr;
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(device, 16, x, 16, ACL_MEMCPY_HOST_TO_DEVICE);
    float *memory = static_cast<float *>(device);
    aclTensor *in = aclCreateTensor(dims, 1, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, dims, 1, memory);
    aclTensor *out = aclCreateTensor(dims, 1, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, dims, 1, memory + 8);
    int status = aclnnScaleRowsGetWorkspaceSize(in, 3.0, nullptr, out, &size, &executor);
    if (status == 0) {
        status = aclnnScaleRows(nullptr, size, executor, stream);
        aclrtSynchronizeStream(stream);
        aclrtMemcpy(y, 16, memory + 8, 16, ACL_MEMCPY_DEVICE_TO_HOST);
    }
    std::printf("%d %g %g %g %g\\n", status, y[0], y[1], y[2], y[3]);
    if (status != 0) {
        std::printf("%s\\n", aclGetRecentErrMsg());
    }
    return 0;
}
"""


@pytest.fixture(name="package", scope="module")
def _package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package and what an installer writes beside it."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "my_ops").mkdir()
    (folder / "my_ops" / "__init__.py").write_text(OPERATOR, encoding="utf-8")
    (folder / "my_ops" / "golden.py").write_text(GOLDEN, encoding="utf-8")
    (folder / "my_ops" / "cases").mkdir()
    (folder / "my_ops" / "cases" / "scale_rows.csv").write_text(CASES, encoding="utf-8")
    info = folder / "my_ops-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-ops\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[cannery.operators]\nscale = my_ops:OPERATOR\n", encoding="utf-8")
    return folder


def cannery(package: Path, *words: object, folder: Path | None = None) -> str:
    """Standard output of a command in whose environment the package is installed."""
    path = os.pathsep.join(filter(None, (str(package), os.environ.get("PYTHONPATH"))))
    command = [str(word) for word in (COMMAND, *words)]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return done.stdout


def test_the_python_faces_have_it(package: Path, tmp_path: Path) -> None:
    (tmp_path / "faces.py").write_text(FACES, encoding="utf-8")
    lines = cannery(package, "exec", tmp_path / "faces.py").splitlines()
    assert lines == [
        "mine::scale_rows(Tensor x, *, float row_factor=2., int[] pads=[0, 1]) -> Tensor",
        "ScaleRows: check: x: found int32, expected float32 or float16 [ERROR_INVALID_PARAM, 1]",
        "aclnnStatus aclnnScaleRowsGetWorkspaceSize(const aclTensor *x, double rowFactor, const aclIntArray *pads, "
        "const aclTensor *y, uint64_t *workspaceSize, aclOpExecutor **executor)",
        "all faces",
    ]


def test_one_that_a_program_registers_is_there_from_then_on(package: Path, tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(LATE, encoding="utf-8")
    assert cannery(package, "exec", tmp_path / "late.py") == "late\n"


def test_the_verbs_have_it(package: Path, tmp_path: Path) -> None:
    assert "ScaleRows" in cannery(package, "ops")
    shown = json.loads(cannery(package, "ops", "show", "ScaleRows", "--json"))
    assert shown["faces"] == ["ge", "aclnn", "atb", "torch"]
    files = json.loads(cannery(package, "ops", "route", "scale_rows", "--json"))["files"]
    assert [Path(file["path"]) for file in files] == [package / "my_ops" / "golden.py", package / "my_ops/__init__.py"]


def test_the_pages_have_it(package: Path, tmp_path: Path) -> None:
    cannery(package, "ops", "docs", tmp_path)
    page = (tmp_path / "ops" / "math" / "scale_rows" / "index.md").read_text(encoding="utf-8")
    for call in (
        'cannery.run("ScaleRows", inputs, attrs)',
        "ge.es.all.ScaleRows(x, *, rowFactor=2.0, pads=(0, 1))",
        "aclnnScaleRowsGetWorkspaceSize(…), aclnnScaleRows(…)",
        "torch_atb.Operation(torch_atb.ScaleRowsParam(row_factor, pads)).forward([…])",
        "torch.ops.mine.scale_rows(…)",
    ):
        assert f"| `{call}` |" in page
    assert "[my_ops/__init__.py](" in page
    assert "ScaleRows" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "[my_ops/cases/scale_rows.csv](" in page


def test_case_files_have_it(package: Path, tmp_path: Path) -> None:
    printed = cannery(package, "st", package / "my_ops" / "cases" / "scale_rows.csv", folder=tmp_path)
    assert "2 passed" in printed


@pytest.mark.slow
def test_the_demo_runs_its_cases(package: Path) -> None:
    assert "ScaleRows                                2 of 2 cases passed" in cannery(package, "demo")


@pytest.mark.slow
@pytest.mark.tool("g++")
def test_c_programs_have_it(package: Path, tmp_path: Path) -> None:
    cannery(package, "capi", "build", tmp_path / "capi")
    (tmp_path / "client.cpp").write_text(CLIENT, encoding="utf-8")
    compiling, linking = flags(tmp_path / "capi")
    command = ["g++", *compiling, str(tmp_path / "client.cpp"), "-o", str(tmp_path / "client"), *linking]
    subprocess.run(command, check=True)
    path = os.pathsep.join(filter(None, (str(package), os.environ.get("PYTHONPATH"))))
    there, gone = (
        subprocess.run(
            [tmp_path / "client"], env={**os.environ, "PYTHONPATH": place}, capture_output=True, text=True, check=True
        )
        for place in (path, os.environ.get("PYTHONPATH", ""))
    )
    assert there.stdout == "0 0 3 6 9\n"
    status, reason = gone.stdout.splitlines()
    assert status == "561000 0 0 0 0" and "found an operator that is not installed" in reason
