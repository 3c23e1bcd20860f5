"""Compiled parts: found where they are of these sources, passed over where they are not."""

import json
import os
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from cannery import compiled

PROGRAM = "from cannery.watch import judge; from cannery.compiled import is_compiled; print(is_compiled(judge))"


@pytest.fixture(name="package")
def _package(tmp_path: Path) -> Path:
    """A package with a source in a room, and objects whose manifest knows it."""
    package = tmp_path / "cannery"
    (package / "watch").mkdir(parents=True)
    (package / "watch" / "judge.py").write_text("x = 1\n")
    return package


def test_the_digest_changes_with_a_source_and_with_its_name(package: Path) -> None:
    first = compiled.digest(package)
    source = package / "watch" / "judge.py"
    source.write_text("x = 2\n")
    second = compiled.digest(package)
    source.rename(source.with_name("other.py"))
    assert len({first, second, compiled.digest(package)}) == 3


def test_objects_lie_by_interpreter(package: Path) -> None:
    assert compiled.folder(package).parent == package / compiled.FOLDER
    assert compiled.folder(package).name in EXTENSION_SUFFIXES[0]


@pytest.mark.parametrize("built", ["0" * 64, "of these sources"])
def test_objects_that_are_stale_or_do_not_load_are_passed_over(tmp_path: Path, built: str) -> None:
    digest = compiled.digest() if built == "of these sources" else built
    objects = {"cannery_core__mypyc": "broken.so", "cannery.watch.judge": "broken.so"}
    manifest = tmp_path / compiled.MANIFEST
    manifest.write_text(json.dumps({"digest": digest, "shared": "cannery_core__mypyc", "objects": objects}))
    (tmp_path / "broken.so").write_bytes(b"not an object")
    program = f"""
import sys
from pathlib import Path
from cannery import compiled
sys.meta_path.insert(0, compiled.Compiled(Path({str(manifest)!r})))
{PROGRAM}
"""
    environment = {**os.environ, compiled.SWITCH: "0"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_zero_switches_them_off() -> None:
    environment = {**os.environ, compiled.SWITCH: "0"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("False\n", "")
