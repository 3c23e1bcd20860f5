"""The torch_atb examples, as a user runs them: programs that know nothing of this package."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("cannery")
PROGRAMS = sorted((Path(__file__).parents[2] / "examples" / "torch_atb").glob("*.py"))
EXPECTED = {
    "single_operator.py": "refused: UnpadWithHiddenState: infer_shape: x: found 2 dims, expected 3 dims "
    "[ERROR_INVALID_TENSOR_DIM, 8]",
    "two_operator_graph.py": "ByNodes: 1 in, 2 out",
}


def run(program: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, "exec", *options, program], capture_output=True, text=True, cwd=folder, check=False)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_it_runs_and_leaves_nothing_behind(program: Path, tmp_path: Path) -> None:
    done = run(program, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert EXPECTED[program.name] in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_environment_chooses_the_virtual_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANNERY_ENGINE", "aicore")
    done = run(PROGRAMS[-1], tmp_path, "--check", "--json", str(tmp_path / "launches.json"))
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "[3, 8, 16] -> [9, 16] -> [3, 8, 16]")
    assert "unpad" in (tmp_path / "launches.json").read_text()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_it_knows_nothing_of_cannery(program: Path) -> None:
    nodes = ast.walk(ast.parse(program.read_text(encoding="utf-8")))
    imports = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    assert imports == {"torch", "torch_atb"}


def test_a_program_that_does_not_catch_the_refusal_ends_with_it(tmp_path: Path) -> None:
    program = tmp_path / "bad.py"
    program.write_text(
        "import torch\nimport torch_atb\n\n"
        "operation = torch_atb.Operation(torch_atb.PadWithHiddenStateParam([1], 2))\n"
        "operation.forward([torch.zeros(1, 4097).half()])\n"
    )
    done = run(program, tmp_path)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert "PadWithHiddenState: tiling: hiddenSize: found 4097, expected 1 to 4096 [ERROR_INVALID_PARAM, 1]" in last


def test_an_operator_that_is_not_provided_is_named(tmp_path: Path) -> None:
    program = tmp_path / "linear.py"
    program.write_text("import torch_atb\n\ntorch_atb.Operation(torch_atb.LinearParam(transpose_b=False))\n")
    done = run(program, tmp_path)
    assert done.returncode == 1
    assert "NotImplementedError: torch_atb.LinearParam: found an operator that is not provided" in done.stderr
