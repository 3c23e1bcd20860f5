"""C and C++ programs written for CANN, compiled with g++ against the library and run."""

import ctypes
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"
EXAMPLES = ROOT / "examples" / "aclnn"
COMMAND = Path(sys.executable).with_name("cannery")

pytestmark = pytest.mark.tool("g++")


@pytest.fixture(name="installed", scope="session")
def _installed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder ``cannery capi build`` has made, and the line it printed last."""
    folder = tmp_path_factory.mktemp("capi")
    done = subprocess.run([COMMAND, "capi", "build", folder], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return folder, done.stdout.splitlines()[-1]


def compile_with(line: str, source: Path, target: Path) -> Path:
    """The program that the printed line makes of a source."""
    words = [
        str(source) if word == "program.cpp" else str(target) if word == "program" else word for word in line.split()
    ]
    done = subprocess.run([words[0], "-Wall", "-Wextra", *words[1:]], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return target


def run(program: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **environment}
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False, env=env)


@pytest.mark.parametrize("name", ["metadata", "kl_loss_grad"])
def test_an_example_gives_in_c_what_it_gives_in_python(installed: tuple[Path, str], tmp_path: Path, name: str) -> None:
    program = compile_with(installed[1], EXAMPLES / f"{name}.cpp", tmp_path / name)
    done = run(program)
    assert (done.returncode, done.stderr) == (0, "")
    script = subprocess.run([COMMAND, "exec", EXAMPLES / f"{name}.py"], capture_output=True, text=True, check=False)
    assert (script.returncode, script.stderr) == (0, "")
    assert set(done.stdout.splitlines()) <= set(script.stdout.splitlines())


def test_the_example_of_the_metadata_on_32_cores(installed: tuple[Path, str], tmp_path: Path) -> None:
    program = compile_with(installed[1], EXAMPLES / "metadata.cpp", tmp_path / "metadata")
    assert run(program).stdout == "TND 16 1 0 16 16\nBSND 16 1 0 16 16\n"
    assert run(program, CANNERY_SOC="Ascend950DT_950x").stdout == "TND 16 2 1 0 8\nBSND 16 2 1 0 8\n"


def test_each_status_a_caller_can_provoke(installed: tuple[Path, str], tmp_path: Path) -> None:
    done = run(compile_with(installed[1], PROGRAMS / "statuses.cpp", tmp_path / "statuses"))
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) > 70
    assert [line for line in done.stdout.splitlines() if not line.startswith("ok ")] == []


def test_what_is_published_and_not_there_is_told_by_the_linker_and_by_the_call(
    installed: tuple[Path, str], tmp_path: Path
) -> None:
    line = [word.replace("program.cpp", str(PROGRAMS / "published.cpp")) for word in installed[1].split()]
    line[line.index("program")] = str(tmp_path / "published")
    built = subprocess.run(line, capture_output=True, text=True, check=False)
    assert built.returncode == 0
    assert built.stderr.count("warning") == 1
    assert "warning: cannery has no aclrtCreateNotify: a call of it returns 207000" in built.stderr
    done = run(tmp_path / "published")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in done.stdout.splitlines() if not line.startswith("ok ")] == []


@pytest.mark.slow
def test_ten_thousand_rounds_in_two_threads_are_right_and_memory_stays_flat(
    installed: tuple[Path, str], tmp_path: Path
) -> None:
    done = run(compile_with(installed[1], PROGRAMS / "rounds.cpp", tmp_path / "rounds"), "10000")
    assert (done.returncode, done.stdout) == (0, "right\nflat\n"), done.stderr


@pytest.mark.tool("gcc", "pkg-config")
def test_a_c_program_builds_with_pkg_config(
    installed: tuple[Path, str], tmp_path: Path, require_tool: Callable[[str], str]
) -> None:
    env = {**os.environ, "PKG_CONFIG_PATH": str(installed[0] / "lib64" / "pkgconfig")}
    asked = [require_tool("pkg-config"), "--cflags", "--libs", "cannery"]
    flags = subprocess.run(asked, capture_output=True, text=True, check=True, env=env).stdout.split()
    words = [require_tool("gcc"), "-std=c99", "-pedantic", "-Wall", "-Werror", str(PROGRAMS / "plain.c"), *flags]
    subprocess.run([*words, "-o", str(tmp_path / "plain")], check=True)
    assert run(tmp_path / "plain").stdout == "Ascend910B1 2\n"


@pytest.mark.parametrize(
    "libraries",
    [
        "-lopapi_math -lopapi_transformer -lascendcl -lnnopbase -lc_sec",
        "-lopapi_math -lcust_opapi -lascendcl -lnnopbase -lc_sec",
        "-lopapi -lopapi_transformer -lascendcl -lnnopbase -lpthread -lhccl",
    ],
)
def test_the_originals_link_lines_work(installed: tuple[Path, str], tmp_path: Path, libraries: str) -> None:
    folder = installed[0]
    include = [
        f"-I{folder}/include",
        f"-I{folder}/include/aclnn",
        f"-I{folder}/{os.uname().machine}-linux/include/aclnnop",
    ]
    line = ["g++", *include, str(EXAMPLES / "metadata.cpp"), "-o", str(tmp_path / "program")]
    linking = [f"-L{folder}/lib64", *libraries.split(), "-Wl,--no-undefined", f"-Wl,-rpath,{folder}/lib64"]
    assert subprocess.run([*line, *linking], capture_output=True, text=True, check=True).stderr == ""


@pytest.mark.tool("sh")
def test_a_build_of_the_originals_finds_its_places_by_the_environment(
    installed: tuple[Path, str], tmp_path: Path
) -> None:
    script = f"""
. {installed[0]}/set_env.sh
set -eu
own="-I$ASCEND_HOME_PATH/include -L$ASCEND_OPP_PATH/lib64"
custom="-I$ASCEND_CUSTOM_OPP_PATH/op_api/include -L$ASCEND_CUSTOM_OPP_PATH/op_api/lib"
for place in "$own" "$custom"; do
    g++ $place {EXAMPLES}/metadata.cpp -o {tmp_path}/program -lcust_opapi -lopapi_math -lascendcl -lnnopbase -lc_sec
    {tmp_path}/program
done
"""
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == 2 * "TND 16 1 0 16 16\nBSND 16 1 0 16 16\n"


def test_a_python_program_may_load_the_library_next_to_acl(installed: tuple[Path, str], tmp_path: Path) -> None:
    script = tmp_path / "client.py"
    script.write_text(
        f"""
import ctypes
import acl
assert acl.init() == 0 and acl.rt.set_device(0) == 0
stream, _ = acl.rt.create_stream()
base = ctypes.CDLL("{installed[0]}/lib64/libnnopbase.so", ctypes.RTLD_GLOBAL)
ops = ctypes.CDLL("{installed[0]}/lib64/libopapi.so")
base.aclCreateTensor.restype = ctypes.c_void_p
memory, _ = acl.rt.malloc(256, 0)
workspace, _ = acl.rt.malloc(100, 0)
dims, size, executor = (ctypes.c_int64 * 1)(64), ctypes.c_uint64(), ctypes.c_void_p()
number = ctypes.c_int64
one = ctypes.c_uint64(1)
out = base.aclCreateTensor(dims, one, 3, None, number(0), 2, dims, one, ctypes.c_void_p(memory))
name = "aclnnDenseLightningIndexerKLLossGradMetadata"
status = getattr(ops, name + "GetWorkspaceSize")(
    *[None] * 5, *map(number, (1, 16, 4, 8, 1, 128)), b"BSND", b"BSND", number(0), number(4), ctypes.c_void_p(out),
    ctypes.byref(size), ctypes.byref(executor),
)
assert status == 0, acl.get_recent_err_msg()
assert getattr(ops, name)(ctypes.c_void_p(workspace), size, executor, ctypes.c_void_p(stream)) == 0
assert acl.rt.synchronize_stream(stream) == 0
print(*memoryview(acl.util.ptr_to_bytes(memory, 20)).cast("i"))
""",
        encoding="utf-8",
    )
    done = subprocess.run([COMMAND, "exec", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "16 1 0 16 16\n", "")


def test_without_a_usable_python_a_program_is_told(installed: tuple[Path, str], tmp_path: Path) -> None:
    program = compile_with(installed[1], EXAMPLES / "metadata.cpp", tmp_path / "metadata")
    bare = tmp_path / "bin" / "python3"
    done = run(program, CANNERY_PYTHON=str(bare), PYTHONPATH="", PYTHONHOME="")
    assert done.returncode == 1
    assert "CANNERY_PYTHON" in done.stderr and "aclInit: 500000" in done.stderr


@pytest.mark.parametrize("setting", ["SOC=Foo", "QUIRKS=yes", "ENGINE=aicor", "DEVICES=none"])
def test_a_variable_that_cannot_be_is_one_line_and_a_status(
    installed: tuple[Path, str], tmp_path: Path, setting: str
) -> None:
    program = compile_with(installed[1], EXAMPLES / "metadata.cpp", tmp_path / "metadata")
    name, value = f"CANNERY_{setting}".split("=")
    done = run(program, **{name: value})
    said, *answers = done.stderr.splitlines()
    assert said.startswith(f"cannery: {name}: found '{value}', expected ")
    assert done.returncode == 1 and answers == ["aclInit: 500000 "]


def test_every_function_is_exported(installed: tuple[Path, str]) -> None:
    library = ctypes.CDLL(str(installed[0] / "lib64" / "libascendcl.so"))
    text = "\n".join(path.read_text() for path in (installed[0] / "include").rglob("*.h"))
    declared = set(re.findall(r"^ACL_FUNC_VISIBILITY .*?\*?(acl\w+)\(", text, re.MULTILINE))
    assert len(declared) > 120
    assert [name for name in declared if not hasattr(library, name)] == []
