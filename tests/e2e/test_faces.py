"""Every face's example, run as its record says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cannery.faces import Face, all_faces

COMMAND = Path(sys.executable).with_name("cannery")
ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.tool("g++")
@pytest.mark.parametrize("face", all_faces().values(), ids=lambda face: face.name)
def test_its_example_runs(face: Face, tmp_path: Path) -> None:
    words = [str(ROOT / word) if word.startswith("examples/") else word for word in face.example.split()]
    done = subprocess.run([COMMAND, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
