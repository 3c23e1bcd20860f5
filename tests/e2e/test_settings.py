"""One program on several entry points: one chip everywhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import cannery.ops

COMMAND = Path(sys.executable).with_name("cannery")
PROGRAM = Path(__file__).parent / "programs/one_chip.py"
CASES = next((Path(cannery.ops.__file__).parent / "unpad_with_hidden_state/cases").glob("*.csv"))
OTHER = "Ascend910B4"


@pytest.mark.parametrize(
    ("words", "variable", "chip"),
    [
        ((), "", "Ascend910B1"),
        ((), "Ascend910B3", "Ascend910B3"),
        (("--soc", "Ascend910B3"), "", "Ascend910B3"),
        (("--soc", "Ascend910B2"), "Ascend910B3", "Ascend910B2"),
    ],
)
def test_one_chip_everywhere(words: tuple[str, ...], variable: str, chip: str, tmp_path: Path) -> None:
    env = {**os.environ, "CANNERY_SOC": variable}
    line = [str(COMMAND), "exec", *words, str(PROGRAM), str(CASES)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=env, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    found = {place: set(chips.values()) for place, chips in json.loads(done.stdout).items()}
    assert found == {
        "program": {chip}, "a session that sets no chip": {chip}, "thread": {chip},
        "a nested session": {OTHER}, "a thread's session": {OTHER},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("verb", "setting"), [("exec", "SOC=Foo"), ("exec", "ENGINE=aicor"), ("st", "QUIRKS=yes"), ("st", "SEED=x")]
)
def test_a_variable_that_cannot_be_is_one_line_and_code_2(verb: str, setting: str, tmp_path: Path) -> None:
    name, value = f"CANNERY_{setting}".split("=")
    (tmp_path / "program.py").write_text("print('not reached')")
    line = [str(COMMAND), verb, "program.py" if verb == "exec" else str(CASES)]
    env = {**os.environ, name: value}
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=env, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and done.stderr.startswith(f"cannery: {name}: found '{value}', expected ")
    assert [path.name for path in tmp_path.iterdir()] == ["program.py"]
