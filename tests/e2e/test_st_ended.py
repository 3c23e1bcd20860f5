"""`cannery st` that is ended or cannot write: what was done is told, and what was not says so."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

COLUMNS = "testcase_name,op_name,input_shapes,input_dtypes,output_shapes,output_dtypes,attributes,owner"
ROW = '"((2,),)","(\'int16\',)","((128,),)","(\'int64\',)",{\'shape\': [128]}'
PLUGIN = """import os, resource, signal

import numpy as np

__spec__ = {"update_tensor_desc": "Spec"}
calls = []


class Spec:
    def golden(x, *, shape=None, **kwargs):
        calls.append(shape)
        if len(calls) == 2:
            ACTION
        return [np.zeros(shape, np.int64)]

    def compare(*arrays):
        return True
"""


def run(folder: Path, action: str) -> subprocess.CompletedProcess[str]:
    """Three rows; the action happens within the second."""
    lines = [COLUMNS, *(f"testcase_{index},update_tensor_desc,{ROW},=cmd|x" for index in range(3))]
    (folder / "cases.csv").write_text("\n".join(lines) + "\n")
    (folder / "plugin" / "assets").mkdir(parents=True)
    (folder / "plugin" / "assets" / "golden.py").write_text(PLUGIN.replace("ACTION", action))
    command = [sys.executable, "-m", "cannery", "st", "cases.csv", "--plugin", "plugin", "--junit", "report.xml"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, "COLUMNS": "200"})


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_rows_that_a_run_did_not_come_to_say_so(tmp_path: Path, number: signal.Signals) -> None:
    ended = run(tmp_path, f"os.kill(os.getpid(), {int(number)})")
    assert ended.returncode == 130 and "Traceback" not in ended.stderr
    done, *missing = rows(tmp_path / "cases_result.csv")
    assert [row["precision_status"] for row in missing] == ["NOT_RUN"] * 2 and done["precision_status"] != "NOT_RUN"
    assert {row["log"] for row in missing} == {"the run was ended before this row"}
    assert "ended early: 2 of them not run" in ended.stdout
    suite = ElementTree.parse(tmp_path / "report.xml").getroot()
    assert (suite.get("tests"), suite.get("skipped")) == ("3", "2")
    assert not (tmp_path / "cases_result.csv.partial").exists()


def test_a_killed_run_leaves_the_rows_that_were_done(tmp_path: Path) -> None:
    ended = run(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)")
    assert ended.returncode == -signal.SIGKILL and not (tmp_path / "cases_result.csv").exists()
    (done,) = rows(tmp_path / "cases_result.csv.partial")
    assert done["testcase_name"] == "testcase_0"


def test_a_file_that_cannot_be_written_costs_neither_table_nor_rows(tmp_path: Path) -> None:
    ended = run(tmp_path, "resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))")
    assert ended.returncode == 2 and "Traceback" not in ended.stderr
    assert "testcase_2" in ended.stdout and "not written: " in ended.stdout
    assert ended.stderr.count("\n") == 1 and "cases_result.csv: File too large" in ended.stderr
    assert not (tmp_path / "cases_result.csv").exists()


def test_a_run_that_ends_well_leaves_one_file(tmp_path: Path) -> None:
    ended = run(tmp_path, "pass")
    assert {path.name for path in tmp_path.iterdir()} == {"cases.csv", "cases_result.csv", "plugin", "report.xml"}
    assert "not run" not in ended.stdout
    assert {row["owner"] for row in rows(tmp_path / "cases_result.csv")} == {"'=cmd|x"}
