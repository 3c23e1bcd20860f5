"""The installed command, as a user types it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import cannery

COMMAND = Path(sys.executable).with_name("cannery")
CASES = sorted(Path(cannery.__file__).parent.glob("ops/update_tensor_desc/cases/*.csv"))


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **environment}
    return subprocess.run(
        [COMMAND, *words], capture_output=True, encoding="utf-8", errors="replace", env=env, check=False
    )


def test_ops_as_json_is_a_whole_list_in_a_pipe() -> None:
    done = run("ops", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    names = [line["name"] for line in json.loads(done.stdout)]
    assert {"UpdateTensorDesc", "UnpadWithHiddenState", "PadWithHiddenState"} <= set(names)


def test_the_module_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "cannery", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == run("--version").stdout == f"cannery {cannery.__version__}\n"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["ops", "show", "NoSuchOperator"], "cannery: operator: found 'NoSuchOperator'"),
        (["st", "no_such_file.csv"], "no_such_file.csv"),
        (["st", str(CASES[0]), "--soc", "Ascend9999"], "soc: found 'Ascend9999'"),
        (["st", str(CASES[0]), "--engine", "warp"], "'warp'"),
    ],
)
def test_bad_input_is_one_line_and_code_2(words: Sequence[str], text: str, tmp_path: Path) -> None:
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert text in done.stderr and done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [["--nonsense"], ["nonsense"], ["ops", "--nonsense"], ["st"]])
def test_a_usage_error_is_one_line_and_code_2(words: Sequence[str]) -> None:
    done = run(*words)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "--help)" in done.stderr


def test_an_output_that_cannot_spell_every_sign_does_not_fail() -> None:
    done = run("ops", "show", "UpdateTensorDesc", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert json.loads(run("ops", "show", "UpdateTensorDesc", "--json", PYTHONIOENCODING="ascii").stdout)


def test_a_reader_that_goes_away_is_no_error() -> None:
    process = subprocess.Popen(
        [COMMAND, "ops", "show", "UpdateTensorDesc"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 1


def test_an_interrupt_ends_the_demo_with_130_and_no_traceback() -> None:
    process = subprocess.Popen(
        [COMMAND, "demo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert b"Traceback" not in process.stderr.read()
    process.stdout.close()


@pytest.mark.parametrize(("no_color", "is_plain"), [("", False), ("1", True)])
def test_no_color_is_respected_on_a_terminal(no_color: str, is_plain: bool) -> None:
    import pty

    leader, follower = pty.openpty()
    env = {**os.environ, "NO_COLOR": no_color, "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen([COMMAND, "ops"], stdout=follower, stderr=follower, env=env) as process:
        os.close(follower)
        shown = b""
        while chunk := _read(leader):
            shown += chunk
    os.close(leader)
    assert process.returncode == 0
    assert (b"\x1b[" not in shown) == is_plain


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 4096)
    except OSError:  # the other side is closed
        return b""


def test_the_shipped_cases_of_update_tensor_desc_pass(tmp_path: Path) -> None:
    done = subprocess.run([COMMAND, "st", *map(str, CASES)], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_demo_runs_every_case_and_packs_a_real_batch() -> None:
    done = run("demo")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "FAIL" not in done.stdout
    assert done.stdout.count("  ok  ") >= 8
    assert "MiB padded" in done.stdout and "less" in done.stdout
