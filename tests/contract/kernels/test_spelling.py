"""Our kernels and examples are spelled as pyasc spells them: the real one lowers them.

Needs pyasc, which this package does not depend on: CANNERY_PYASC names a Python that has it, next to this package's
dependencies.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PYTHON = os.environ.get("CANNERY_PYASC", sys.executable)


def has_pyasc() -> bool:
    probe = "import asc.codegen"
    return subprocess.run([PYTHON, "-c", probe], capture_output=True, cwd=HERE, check=False).returncode == 0


@pytest.mark.skipif(not has_pyasc(), reason="needs pyasc, which is not installed")
@pytest.mark.parametrize(
    ("what", "kernels"),
    [
        ("operators", "unpad_with_hidden_state pad_with_hidden_state update_tensor_desc"),
        (str(ROOT / "examples/asc/add_static.py"), "add"),
        (str(ROOT / "examples/asc/add_queue.py"), "add"),
        (str(ROOT / "examples/asc/rms_norm.py"), "rms_norm"),
        (str(ROOT / "examples/asc/ring_shift.py"), "ring_shift"),
    ],
)
def test_pyasc_lowers_it(what: str, kernels: str) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    words = [PYTHON, str(HERE / "lower_with_pyasc.py"), what]
    done = subprocess.run(words, capture_output=True, text=True, env=env, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == kernels.split()
