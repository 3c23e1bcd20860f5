"""`cannery exec`: programs of the NPU stack, run unchanged."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

COMMAND = Path(sys.executable).with_name("cannery")
FOLDER = Path(__file__).parents[2] / "examples/asc"
EXAMPLES = sorted(set(FOLDER.rglob("*.py")) - set(FOLDER.rglob("parts.py")))

HEAD = """
import numpy as np
import sys
import asc
import asc.lib.runtime as rt
import asc.runtime.config as config

@asc.jit
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, wait: asc.ConstExpr[bool]):
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm.set_global_buffer(z)
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(t, x_gm, 64)
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    if wait:
        asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.data_copy(z_gm, t, 64)

config.set_platform(config.Backend.Model, config.Platform.Ascend910B1)
x, z = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
"""
CLEAN = HEAD + "kernel[1, rt.current_stream()](x, z, True)\nprint(z.sum())\n"
RACY = HEAD + "kernel[1, rt.current_stream()](x, z, False)\nprint('went on')\n"
HANGS = HEAD + textwrap.dedent(
    """
    @asc.jit
    def stuck(x: asc.GlobalAddress):
        asc.wait_flag(asc.HardEvent.V_MTE2, 0)
        asc.set_flag(asc.HardEvent.V_MTE3, 1)

    kernel[1](x, z, False)
    stuck[1](x)
    print('not reached')
    """
)


def run(
    source: str, tmp_path: Path, *words: str, after: tuple[str, ...] = ()
) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    (tmp_path / "program.py").write_text(source, encoding="utf-8")
    report = tmp_path / "report.json"
    done = subprocess.run(
        [COMMAND, "exec", "--json", str(report), *words, "program.py", *after],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    return done, json.loads(report.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run_and_are_clean(path: Path) -> None:
    done = subprocess.run([COMMAND, "exec", "--check", str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("as expected\n")


def test_examples_do_not_know_this_package() -> None:
    assert len(EXAMPLES) >= 4
    assert not any("cannery" in path.read_text(encoding="utf-8") for path in EXAMPLES)


def test_a_clean_program(tmp_path: Path) -> None:
    done, report = run(CLEAN, tmp_path, "--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "2016.0\n", "")
    assert report["findings"] == []
    assert report["launches"][0]["kernel"] == "kernel"


def test_an_error_finding_is_code_1_and_the_program_goes_on(tmp_path: Path) -> None:
    done, report = run(RACY, tmp_path, "--check")
    assert (done.returncode, done.stdout) == (1, "went on\n")
    race = next(finding for finding in report["findings"] if finding["kind"] == "RAW")
    assert race["pipes"] == ["MTE2", "MTE3"] and race["memory"] == "UB" and race["severity"] == "error"
    lines = RACY.splitlines()
    assert [lines[place["line"] - 1].split("(")[0].strip() for place in race["locations"]] == ["asc.data_copy"] * 2
    assert f"program.py:{race['locations'][1]['line']}: error: RAW on UB, MTE2 -> MTE3" in done.stderr
    assert "asc.data_copy(z_gm, t, 64)" in done.stderr and "asc.wait_flag(asc.HardEvent.MTE2_MTE3, id)" in done.stderr
    assert set(race) == {
        "kind", "severity", "code", "memory", "pipes", "message", "locations", "count", "kernel", "core", "hint",
        "accesses", "overlap", "flags",
    }  # fmt: skip


def test_without_check_nothing_is_said(tmp_path: Path) -> None:
    done, report = run(RACY, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "went on\n", "")
    assert report["findings"] == []


def test_a_deadlock_ends_at_the_line_that_waits(tmp_path: Path) -> None:
    done, report = run(HANGS, tmp_path, "--check")
    assert done.returncode == 1 and done.stdout == ""
    trace = done.stderr[: done.stderr.index("DeadlockError")]
    assert "stuck[1](x)" in trace and "asc.wait_flag(asc.HardEvent.V_MTE2, 0)" in trace
    assert "site-packages" not in trace and "cannery/asc" not in trace and "runpy" not in trace
    assert {finding["kind"] for finding in report["findings"]} == {"RAW", "UNPAIRED_FLAG", "DEADLOCK"}


@pytest.mark.parametrize(
    ("tail", "code"),
    [
        ("raise KeyError('mine')", 1),
        ("sys.exit(7)", 1),
        ("sys.exit('no')", 1),
        ("import os, signal; os.kill(os.getpid(), signal.SIGINT)", 1),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", 1),
    ],
)
def test_the_report_is_written_however_the_program_ends(tail: str, code: int, tmp_path: Path) -> None:
    done, report = run(f"{RACY}\n{tail}\n", tmp_path, "--check")
    assert done.returncode == code
    assert [finding["kind"] for finding in report["findings"]] == ["RAW", "UNPAIRED_FLAG"]


@pytest.mark.parametrize(
    ("tail", "code"),
    [("sys.exit(7)", 7), ("raise KeyError('mine')", 1), ("sys.exit()", 0), ("sys.exit('no')", 1)],
)
def test_the_programs_own_exit_code(tail: str, code: int, tmp_path: Path) -> None:
    assert run(f"{CLEAN}\n{tail}\n", tmp_path, "--check")[0].returncode == code


def test_a_kill_while_it_runs(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(f"{RACY}\nprint('ready', flush=True)\nimport time; time.sleep(60)\n")
    report = tmp_path / "report.json"
    words = [str(COMMAND), "exec", "--check", "--json", str(report), "program.py"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while "ready" not in process.stdout.readline():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert json.loads(report.read_text())["findings"]


def test_an_exception_in_a_kernel_ends_at_the_users_line(tmp_path: Path) -> None:
    source = (
        HEAD + "@asc.jit\ndef bad(x):\n    asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 8)[1:2]\nbad[1](x)\n"
    )
    done, _ = run(source, tmp_path)
    assert done.returncode == 1
    places = [line for line in done.stderr.splitlines() if line.startswith("  File ")]
    assert len(places) == 2 and all("program.py" in place for place in places)


def test_a_syntax_error_is_pythons(tmp_path: Path) -> None:
    done, _ = run("import asc\nx = = 1\n", tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("  File") and "program.py" in done.stderr and "SyntaxError" in done.stderr


def test_arguments_are_the_programs(tmp_path: Path) -> None:
    source = "import sys; print(sys.argv, __name__)"
    done, _ = run(source, tmp_path, after=("--check", "-m", "--seed", "3"))
    assert done.stdout == "['program.py', '--check', '-m', '--seed', '3'] __main__\n"


def test_a_module(tmp_path: Path) -> None:
    (tmp_path / "module_to_run.py").write_text(RACY)
    words = [str(COMMAND), "exec", "--check", "-m", "module_to_run", "--own"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "went on\n")


def test_a_package_that_fails_to_import_shows_its_own_lines(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "__init__.py").write_text("import not_there\n")
    words = [str(COMMAND), "exec", "-m", "broken.part"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 1 and "cannery/" not in done.stderr
    assert "import not_there" in done.stderr and done.stderr.endswith("No module named 'not_there'\n")


def test_the_report_does_not_replace_the_program(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("print(1)\n")
    words = [str(COMMAND), "exec", "--json", "x.py", "x.py"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2 and "--json: found x.py, which is an input" in done.stderr
    assert (tmp_path / "x.py").read_text() == "print(1)\n"


def test_pytest_as_a_module(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(f"{HEAD}\ndef test_it():\n    kernel[1](x, z, False)\n")
    words = [str(COMMAND), "exec", "--check", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "1 passed" in done.stdout and "RAW" in done.stderr


def test_a_breakpoint_in_a_kernel(tmp_path: Path) -> None:
    source = HEAD + textwrap.dedent(
        """
        @asc.jit
        def counting(x: asc.GlobalAddress):
            for i in range(3):
                asc.sync_all()  # the second core runs in a thread of its own

        counting[2](x)
        """
    )
    (tmp_path / "program.py").write_text(source)
    line = source.splitlines().index("        asc.sync_all()  # the second core runs in a thread of its own") + 1
    done = subprocess.run(
        [COMMAND, "exec", "-m", "pdb", "-c", f"b {line}", *["-c", "c", "-c", "p (i, int(asc.get_block_idx()))"] * 3,
         "-c", "q", "program.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    printed = [text for text in done.stdout.splitlines() if text.startswith("(") and text.endswith(")")]
    assert printed == ["(0, 0)", "(0, 1)", "(1, 0)"] or printed == ["(0, 0)", "(0, 1)", "(1, 1)"]


@pytest.mark.parametrize(("wait", "code"), [(True, 0), (False, 1)])
def test_the_pytest_plugin(wait: bool, code: int, tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(f"{HEAD}\ndef test_it():\n    kernel[1](x, z, {wait})\n")
    words = [sys.executable, "-m", "pytest", "-q", "--cannery-check"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert ("RAW" in done.stdout) == (not wait)


CHIP_TEST = """
import pytest
from cannery.settings import device_chip

@pytest.fixture
def chip():
    return device_chip().name

def test_it(chip):
    assert chip == device_chip().name == "Ascend910B3"
"""


@pytest.mark.parametrize("check", [[], ["--cannery-check"]])
@pytest.mark.parametrize(
    ("chip", "code", "said"), [("Ascend910B3", 0, ""), ("Ascend910Z", 4, "--cannery-soc: found 'Ascend910Z', expected")]
)
def test_the_chip_of_pytest_is_that_of_fixtures_too(
    check: list[str], chip: str, code: int, said: str, tmp_path: Path
) -> None:
    (tmp_path / "test_mine.py").write_text(CHIP_TEST)
    words = [sys.executable, "-m", "pytest", "-q", *check, "--cannery-soc", chip]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code and said in done.stderr


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    source = f"{RACY}\nkernel[1](x, z, True)\n"
    reports = []
    for _ in range(2):
        run(source, tmp_path, "--check", "--seed", "5")
        reports.append((tmp_path / "report.json").read_bytes())
    assert reports[0] == reports[1]


def test_the_chip_on_the_command_line_wins(tmp_path: Path) -> None:
    source = CLEAN + "print(rt.current_platform())\n"
    done, report = run(source, tmp_path, "--soc", "Ascend950PR_9589")
    assert done.stdout.endswith("Ascend950PR_9589\n") and report["launches"][0]["soc"] == "Ascend950PR_9589"
    done, report = run(source, tmp_path)
    assert done.stdout.endswith("Ascend910B1\n")


def test_keep_leaves_a_package_as_it_is_installed(tmp_path: Path) -> None:
    (tmp_path / "asc.py").write_text("here = 'the installed one'\n")
    source = "import asc; print(getattr(asc, 'here', 'ours'))"
    assert run(source, tmp_path)[0].stdout == "ours\n"
    assert run(source, tmp_path, "--keep", "asc")[0].stdout == "the installed one\n"


def test_a_kernel_on_numpy_arrays_does_not_wait_for_torch(tmp_path: Path) -> None:
    assert run(CLEAN + "print('torch' in sys.modules)\n", tmp_path, "--check")[0].stdout.endswith("False\n")


def test_list(tmp_path: Path) -> None:
    done = subprocess.run([COMMAND, "exec", "--list"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "cannery.asc" in done.stdout


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["exec"], "SCRIPT"),
        (["exec", "no_such.py"], "no_such.py"),
        (["exec", "--soc", "Ascend9999", "x.py"], "Ascend9999"),
        (["exec", "--keep", "numpy", "x.py"], "numpy"),
        (["exec", "--check", "-m", "nope"], "found no module 'nope'"),
        (["exec", "-m", "json.nope"], "found no module 'json.nope'"),
        (["exec", "-m", ".x"], "found no module '.x'"),
        (["exec", "-m", "xml"], "found the package 'xml' without a __main__"),
    ],
)
def test_bad_input_is_one_line_and_code_2(words: list[str], text: str, tmp_path: Path) -> None:
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2 and text in done.stderr
    assert done.stderr.count("\n") == 1 and list(tmp_path.iterdir()) == []


def test_activation_without_the_command(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import cannery.activate\n" + CLEAN)
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "2016.0\n")


SPAWNS = """
import multiprocessing, subprocess, sys
import asc

def child():
    print(asc.__name__)

if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=child)
    process.start()
    process.join()
    subprocess.run([sys.executable, "-c", "import acl; print(acl.__name__)"], check=True)
"""


def test_processes_that_a_program_starts_resolve_the_names_too(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('own startup')\n")
    (tmp_path / "program.py").write_text(SPAWNS)
    done = subprocess.run(
        [str(COMMAND), "exec", "program.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert {"own startup", "cannery.asc", "cannery.acl"} <= set(done.stdout.split("\n"))


def test_a_checked_program_without_a_launch_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print(1)\n", encoding="utf-8")
    done = subprocess.run(
        [COMMAND, "exec", "--check", "program.py"], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "cannery: no kernel was launched\n")
