"""The C++ side of the library, with a stub in place of Python, under the address sanitizer."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cannery.capi.calls import every_call, plain
from cannery.capi.shim import shim_source

from .conftest import ARRAY, write_headers, write_stubbed

CLIENT = """
#include <cstdio>
#include <thread>
#include <vector>
#include "acl/acl.h"
#include "aclnnop/aclnn_dense_lightning_indexer_kl_loss_grad.h"
#include "aclnnop/aclnn_dense_lightning_indexer_kl_loss_grad_metadata.h"

static int arrays()
{
    std::vector<int64_t> dims(5, 1);
    aclTensor *tensor = aclCreateTensor(dims.data(), dims.size(), ACL_INT32, dims.data(), 0, ACL_FORMAT_ND, dims.data(),
                                        dims.size(), nullptr);
    int sum = 0;
    for (auto read : {aclGetViewShape, aclGetStorageShape, aclGetViewStrides}) {
        int64_t *values = nullptr;
        uint64_t count = 0;
        read(tensor, &values, &count);
        for (uint64_t index = 0; index < count; ++index) {
            sum += static_cast<int>(values[index]);
        }
        delete[] values;
    }
    aclGetViewShape(tensor, nullptr, nullptr);
    return sum + aclDestroyTensor(tensor);
}

static int calls()
{
    std::vector<char> layout{'T', 'N', 'D', 0};
    uint64_t size = 7;
    aclOpExecutor *executor = nullptr;
    aclrtStream stream = nullptr;
    void *memory = nullptr;
    int sum = aclInit(nullptr) + aclrtCreateStream(&stream) + aclrtCreateStream(nullptr);
    sum += aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    sum += aclnnDenseLightningIndexerKLLossGradMetadataGetWorkspaceSize(
        nullptr, nullptr, nullptr, nullptr, nullptr, 1, 16, 4, 8, 1, 128, layout.data(), layout.data(), 0, 4, nullptr,
        &size, &executor);
    sum += aclnnDenseLightningIndexerKLLossGradMetadata(nullptr, size, executor, stream);
    sum += aclrtLaunchCallback([](void *) {}, nullptr, ACL_CALLBACK_BLOCK, stream);
    return sum + static_cast<int>(size) + (aclGetRecentErrMsg() != nullptr);
}

int main()
{
    for (int round = 0; round < 10000; ++round) {
        arrays();
    }
    int there = 0;
    std::thread other([&there] { there = arrays() + calls(); });
    other.join();
    std::printf("%d %d\\n", arrays() + calls(), there);
    return 0;
}
"""


@pytest.mark.tool("g++")
def test_it_is_clean_and_what_it_hands_out_can_be_deleted(tmp_path: Path, require_tool: Callable[[str], str]) -> None:
    include, (shim, stub) = write_headers(tmp_path / "include"), write_stubbed(tmp_path)
    client, program = tmp_path / "client.cpp", tmp_path / "client"
    client.write_text(CLIENT, encoding="utf-8")
    flags = [
        "-std=c++17",
        "-g",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
        "-Wall",
        "-Wextra",
        "-Werror",
    ]
    files = map(str, (client, shim, stub))
    words = [require_tool("g++"), *flags, "-Wno-unused-parameter", f"-I{include}", *files, "-o", str(program)]
    built = subprocess.run(words, capture_output=True, text=True, check=False)
    if "cannot find -l" in built.stderr or "lib.so" in built.stderr:
        pytest.skip("needs the libraries of the address sanitizer, which are not installed")
    assert built.stderr == ""
    done = subprocess.run(
        [program], capture_output=True, text=True, check=False, env={"ASAN_OPTIONS": "detect_leaks=1"}
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{3 * sum(ARRAY)} {3 * sum(ARRAY)}\n"


def test_every_function_is_passed_on_once() -> None:
    source = shim_source(every_call())
    for call in every_call():
        assert source.count(f"\n{call.prototype.c}\n{{") == 1


@pytest.mark.parametrize(
    ("c_type", "inside"),
    [
        ("aclrtStream", "void *"),
        ("aclrtStream *", "void **"),
        ("const aclTensor *", "void *"),
        ("aclOpExecutor **", "void **"),
        ("const aclTensor *const *", "void **"),
        ("aclDataType", "int32_t"),
        ("aclDataType *", "int32_t *"),
        ("const char *", "const char *"),
        ("char *", "const char *"),
        ("const int64_t *", "int64_t *"),
        ("aclFloat16", "uint16_t"),
        ("size_t", "size_t"),
        ("int64_t **", "int64_t **"),
        ("aclrtCallback", "void *"),
    ],
)
def test_types_inside_the_library_are_plain(c_type: str, inside: str) -> None:
    assert plain(c_type) == inside
