"""Headers: original names, in C and in C++, with the original numbers."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cannery.capi.headers import headers
from cannery.capi.published import published
from cannery.core import AclnnStatus
from cannery.runtime import AclError
from cannery.runtime.constants import ENUMS, MACROS

from .conftest import write_headers

ORIGINALS = (
    "acl/acl.h",
    "acl/acl_base.h",
    "acl/acl_rt.h",
    "acl/acl_op.h",
    "acl/acl_mdl.h",
    "acl/error_codes/rt_error_codes.h",
    "securec.h",
    "aclnn/acl_meta.h",
    "aclnn/aclnn_base.h",
    "opdev/op_errno.h",
    "aclnnop/aclnn_util.h",
    "aclnnop/aclnn_dense_lightning_indexer_kl_loss_grad.h",
    "aclnnop/aclnn_dense_lightning_indexer_kl_loss_grad_metadata.h",
    "aclnnop/aclnn_dense_lightning_indexer_softmax_lse_v2.h",
)

STRICT = tuple(
    ("-x", lang, f"-std={name}", "-pedantic") for lang, name in (("c", "c89"), ("c", "c99"), ("c++", "c++98"))
)


@pytest.fixture(name="include", scope="module")
def _include(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_headers(tmp_path_factory.mktemp("include"))


def compiles(compiler: str, include: Path, source: str, *flags: str) -> str:
    """What the compiler has to say about a program; nothing when it is fine with it."""
    words = [
        compiler,
        "-fsyntax-only",
        "-Wall",
        "-Wextra",
        "-Werror",
        *flags,
        f"-I{include}",
        f"-I{include / 'aclnnop'}",
        "-",
    ]
    return subprocess.run(words, input=source, capture_output=True, text=True, check=False).stderr


def test_the_original_names_are_there() -> None:
    assert set(ORIGINALS) <= set(headers())


@pytest.mark.tool("g++")
@pytest.mark.parametrize("flags", [("-x", "c++", "-std=c++11"), ("-x", "c++", "-std=c++20"), *STRICT])
def test_each_header_stands_alone(include: Path, require_tool: Callable[[str], str], flags: tuple[str, ...]) -> None:
    compiler = require_tool("g++")
    for path in headers():
        source = f'#include "{path}"\n#include "{path}"\n'
        assert compiles(compiler, include, source, *flags) == "", path


@pytest.mark.tool("g++")
def test_the_numbers_are_the_tables(include: Path, require_tool: Callable[[str], str]) -> None:
    numbers = {name: value for values in ENUMS.values() for name, value in values.items()} | dict(MACROS)
    numbers |= {code.name: int(code) for code in (*AclError, *AclnnStatus)}
    lines = "".join(f'static_assert(static_cast<long>({name}) == {value}, "");\n' for name, value in numbers.items())
    source = f'#include "acl/acl.h"\n#include "opdev/op_errno.h"\n{lines}'
    assert compiles(require_tool("g++"), include, source, "-x", "c++", "-std=c++17") == ""


@pytest.mark.tool("g++")
def test_a_program_may_use_constants_as_the_originals_allow(include: Path, require_tool: Callable[[str], str]) -> None:
    source = """
    #include "acl/acl.h"
    #include "aclnn_dense_lightning_indexer_kl_loss_grad_metadata.h"
    constexpr auto SUCCESS = ::ACL_SUCCESS;
    static aclnnStatus check(aclError ret) { switch (ret) { case ACL_ERROR_NONE: return OK; default: return ret; } }
    int main() { auto ret = ACL_SUCCESS; return check(ret) + SUCCESS; }
    """
    assert compiles(require_tool("g++"), include, source, "-x", "c++", "-std=c++11", f"-I{include / 'aclnn'}") == ""


def test_every_function_of_the_original_s_header_is_declared_once() -> None:
    declared = [line for text in headers().values() for line in text.splitlines() if line.startswith("ACL_FUNC")]
    assert len(published().functions) == 397
    for name in published().functions:
        assert sum(f" {name}(" in line or f"*{name}(" in line for line in declared) == 1, name


def test_the_tables_have_the_published_numbers() -> None:
    enums = {entry["name"]: entry["enum"] for entry in published().types if "enum" in entry}
    for name, values in ENUMS.items():
        assert values.items() <= enums[name].items(), name
