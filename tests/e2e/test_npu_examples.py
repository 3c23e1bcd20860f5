"""The examples for torch_npu, as a user runs them: programs that know nothing of this package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("cannery")
FOLDER = Path(__file__).parents[2] / "examples" / "npu"
EXPECTED = {
    "indexer_metadata.py": "511 rows over 32 cores: 31 x 16, 1 x 15",
    "train_decoder.py": "host, 20 steps more",
}


def run(program: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(COMMAND), "exec", str(FOLDER / program)]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env={**os.environ, **environment}, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize("program", sorted(path.name for path in FOLDER.glob("*.py")))
def test_it_runs_and_leaves_nothing_behind(program: str, tmp_path: Path) -> None:
    done = run(program, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert EXPECTED[program] in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("chip", "split"),
    [("Ascend950PR_9599", "36 cores: 7 x 15, 29 x 14"), ("Ascend950PR_957d", "28 cores: 7 x 19, 21 x 18")],
)
def test_the_split_is_that_of_the_chip(chip: str, split: str, tmp_path: Path) -> None:
    assert split in run("indexer_metadata.py", tmp_path, CANNERY_SOC=chip).stdout


def test_no_example_names_this_package() -> None:
    for path in FOLDER.glob("*.py"):
        assert "cannery" not in path.read_text(encoding="utf-8")
