"""`cannery exec program.asc`: kernels in Ascend C."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

COMMAND = Path(sys.executable).with_name("cannery")
PROGRAMS = Path(__file__).parent / "programs" / "ascendc"
ADD = PROGRAMS / "add.asc"
needs_compiler = pytest.mark.tool("g++")


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def execute(cache: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    line = [str(COMMAND), "exec", *arguments]
    variables = {**os.environ, "CANNERY_CACHE": str(cache), **environment}
    return subprocess.run(line, capture_output=True, text=True, check=False, env=variables, timeout=120)


def found(path: Path) -> list[tuple[Any, ...]]:
    """Kind, memory, pipes and lines of each finding."""
    findings: list[Mapping[str, Any]] = json.loads(path.read_text())["findings"]
    return [
        (one["kind"], one["memory"], *one["pipes"], *(place["line"] for place in one["locations"])) for one in findings
    ]


def line_of(text: str) -> int:
    """The line of a statement of the program."""
    lines = ADD.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@needs_compiler
def test_a_program_runs_and_is_clean(cache: Path) -> None:
    done = execute(cache, str(ADD), "--check")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "[AIV Block 0/1] scaled by 0.500000",
        "status 0, z[100] = 200, z[2000] = 4000, 0 arguments",
    ]


@needs_compiler
def test_each_family_of_functions_gives_its_values_and_is_clean(cache: Path) -> None:
    done = execute(cache, str(PROGRAMS / "families.asc"), "--check")
    assert done.stdout.splitlines() == [
        "product: right",
        "all blocks: right",
        "block by block: right",
        "lanes: right",
        "tiling 0, 1 cores, scratch known",
    ]
    assert (done.returncode, done.stderr) == (0, "")


@needs_compiler
@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("Interleave(x, x, x, x, 8);", "AscendC::Interleave is not simulated"),
        ("LocalTensor<int4b_t> y; y.GetValue(0);", "a tensor of this element type is not simulated"),
        ("Mmad(x, x);", "Mmad: found other arguments, expected (dst, fm, filter, MmadParams) or"),
        ("Fixpipe(x, x, 1);", "Fixpipe: found other arguments, expected (dst, src, params) or"),
        ("LoadData(x, x, 1);", "LoadData: found other arguments, expected (dst, src, LoadData2DParams, "),
    ],
)
def test_what_is_not_there_is_refused_by_name(cache: Path, tmp_path: Path, statement: str, message: str) -> None:
    program = tmp_path / "refused.asc"
    program.write_text(
        '#include "kernel_operator.h"\nusing namespace AscendC;\n'
        f"__global__ void k() {{\n    LocalTensor<float> x;\n    {statement}\n}}\nint main() {{}}\n"
    )
    done = execute(cache, str(program))
    assert done.returncode == 1
    assert message in done.stderr


@needs_compiler
def test_arguments_stand_behind_two_dashes_and_main_says_the_exit_code(cache: Path) -> None:
    done = execute(cache, str(ADD), "--", "a", "--check")
    assert "2 arguments" in done.stdout
    assert done.returncode == 3


@needs_compiler
@pytest.mark.parametrize(
    ("macro", "expected"),
    [
        ("RACE", [("RAW", "UB", "V", "MTE3", line_of("Muls(tile"), line_of("DataCopy(zGm, tile"))]),
        ("OUTSIDE", [("OOB", "UB", "MTE2", line_of("TILE + 8")), ("OOB", "GM", "MTE2", line_of("TILE + 8"))]),
        ("CRASH", [("KERNEL_FAILED", "", line_of("*nowhere = 1"))]),
    ],
)
def test_a_fault_is_found_at_its_line(cache: Path, tmp_path: Path, macro: str, expected: list[tuple[Any, ...]]) -> None:
    report = tmp_path / "report.json"
    done = execute(cache, "-D", macro, "--json", str(report), "--check", str(ADD))
    assert done.returncode == 1
    assert found(report) == expected


@needs_compiler
def test_hints_are_in_the_words_of_the_language(cache: Path) -> None:
    done = execute(cache, "-D", "RACE", str(ADD), "--check")
    assert "help: add SetFlag<HardEvent::V_MTE3>(id) after the first and WaitFlag<HardEvent::V_MTE3>(id)" in done.stderr
    assert "Write of tile: bytes 0x0 to 0x400 of UB, PIPE_V, core 0, execution = 1" in done.stderr


@needs_compiler
def test_a_wrong_call_does_not_compile_and_says_why(cache: Path, tmp_path: Path) -> None:
    program = tmp_path / "wrong.asc"
    program.write_text(
        '#include "kernel_operator.h"\nusing namespace AscendC;\n'
        "__global__ void k() {\n    LocalTensor<float> x;\n    Adds(x, x, 1, 8);\n}\nint main() {}\n"
    )
    done = execute(cache, str(program))
    assert done.returncode == 1
    assert "wrong.asc:5:" in done.stderr
    assert "Adds: found other arguments, expected (dst, src, scalar, count) or" in done.stderr


@needs_compiler
def test_an_exception_before_any_instruction_is_told_without_a_line(cache: Path, tmp_path: Path) -> None:
    program = tmp_path / "throws.asc"
    program.write_text(
        '#include <stdexcept>\n#include "acl/acl.h"\n#include "kernel_operator.h"\n'
        '__global__ __vector__ void k() { throw std::runtime_error("no tiling"); }\n'
        "int main() {\n    aclInit(nullptr);\n    aclrtSetDevice(0);\n    aclrtStream stream;\n"
        "    aclrtCreateStream(&stream);\n    k<<<1, nullptr, stream>>>();\n"
        "    return aclrtSynchronizeStream(stream) == 0 ? 0 : 4;\n}\n"
    )
    done = execute(cache, str(program))
    assert (done.returncode, done.stderr) == (4, "cannery: an exception: no tiling in block 0 of k\n")


def test_without_a_compiler_it_says_what_to_install(cache: Path) -> None:
    done = execute(cache, str(ADD), PATH="/nowhere")
    assert done.returncode == 2
    assert done.stderr == (
        "cannery: found no C++ compiler, expected g++ (12 or later) or clang++ on PATH: apt install g++\n"
    )


@needs_compiler
@pytest.mark.parametrize(("options", "code"), [((), 0), (("-D", "RACE"), 1)])
def test_the_example_of_the_documents(cache: Path, options: tuple[str, ...], code: int) -> None:
    example = Path(__file__).parents[2] / "examples" / "ascendc" / "scale.asc"
    done = execute(cache, "--check", *options, str(example))
    assert done.returncode == code, done.stderr
    assert (done.stdout == "y[1] = 2, y[2047] = 4094\n") is (code == 0)
    assert ("SetFlag<HardEvent::V_MTE3>(id)" in done.stderr) is (code == 1)
