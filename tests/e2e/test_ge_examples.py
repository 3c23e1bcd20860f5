"""The GE examples, as a user runs them: programs that know nothing of this package."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("cannery")
FOLDER = Path(__file__).parents[2] / "examples" / "ge"
PROGRAMS = sorted(FOLDER.glob("*.py"))
EXPECTED = {
    "es_builder.py": "x [5, 7]: [128] begins with [0, 0, 0, 1, 128, 0, 0, 0]",
    "plain_graph.py": "UpdateTensorDesc_1 (UpdateTensorDesc): DT_INT64 [2, 2, 2, 2, 8]",
    "update_tensor_desc.py": "BOOL_rank5_S   OK             OK             OK             OK",
}


def run(program: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, "exec", program], capture_output=True, text=True, cwd=folder, check=False)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_it_runs_and_leaves_nothing_behind(program: Path, tmp_path: Path) -> None:
    done = run(program, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert EXPECTED[program.name] in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_it_knows_nothing_of_cannery(program: Path) -> None:
    imports = [node for node in ast.walk(ast.parse(program.read_text(encoding="utf-8"))) if hasattr(node, "names")]
    modules = {getattr(node, "module", None) or node.names[0].name for node in imports}
    assert not any(name.startswith("cannery") for name in modules) and any(name.startswith("ge") for name in modules)


def test_the_five_cases_end_in_their_verdict(tmp_path: Path) -> None:
    lines = run(FOLDER / "update_tensor_desc.py", tmp_path).stdout.splitlines()
    assert lines[0].split() == ["Case", "Build", "RunGraph", "OutputExists", "Verify", "ErrMsg"]
    assert [line.split()[0] for line in lines[1:-1]] == [
        "FP32_rank3_S",
        "INT64_rank1_S",
        "FP16_rank3_D",
        "INT32_rank1_D",
        "BOOL_rank5_S",
    ]
    assert lines[-1] == "ALL CASES PASSED"


def test_the_table_of_substitutions_names_ge() -> None:
    done = subprocess.run([COMMAND, "exec", "--list"], capture_output=True, text=True, check=True)
    assert ["ge", "cannery.ge"] in [line.split() for line in done.stdout.splitlines()]


def test_every_spelling_of_an_import_leads_to_the_same_names(tmp_path: Path) -> None:
    program = tmp_path / "imports.py"
    program.write_text(
        "import ge\n"
        "import ge.session as session\n"
        "from ge.es.all import *\n"
        "from ge.es.graph_builder import GraphBuilder, TensorHolder, attr_scope\n"
        "from ge.graph.graph import Graph\n"
        "from ge.session.session import Session\n"
        "assert session.Session is Session is ge.session.Session and ge.graph.Graph is Graph\n"
        "x = GraphBuilder('g').create_input(0)\n"
        "assert isinstance(UpdateTensorDesc(x, shape=[128]), TensorHolder)\n"
        "try:\n"
        "    from ge.offline_compile import build_model\n"
        "    build_model()\n"
        "except NotImplementedError as refusal:\n"
        "    print(refusal)\n",
        encoding="utf-8",
    )
    done = run(program, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("ge.offline_compile.build_model is not there in cannery: ")
