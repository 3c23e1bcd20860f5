"""The compiled parts of the virtual core say exactly what their sources say."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cannery import compiled

ROOT = Path(__file__).parents[3]


def said(switch: str) -> dict[str, Any]:
    """Every finding of every kernel, in a process with compiled parts switched on or off."""
    environment = {**os.environ, compiled.SWITCH: switch}
    words = [sys.executable, "-m", "tests.contract.kernels.every_finding"]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_findings_are_the_same_with_and_without_compiled_parts() -> None:
    fast = said("1")
    if not fast.pop("compiled"):
        missing = "compiled parts are not there, or of other sources: make compiled"
        if os.environ.get("CANNERY_REQUIRE_TOOLS") == "1":
            pytest.fail(missing, pytrace=False)
        pytest.skip(missing)
    plain = said("0")
    assert plain.pop("compiled") is False
    assert len(plain) > 150
    assert fast == plain
