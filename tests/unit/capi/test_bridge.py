"""From C's arguments to Python's values and back, without a compiler."""

import types
from collections.abc import Callable
from typing import Any

import cffi
import pytest

from cannery.capi import bridge
from cannery.capi.calls import every_call
from cannery.runtime import Options, Process

FFI = cffi.FFI()
KEPT: list[Any] = []


def new_int64(count: int) -> Any:
    KEPT.append(FFI.new("int64_t[]", count))
    return FFI.cast("int64_t *", KEPT[-1])


@pytest.fixture(name="c")
def _c(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """``c("aclInit", NULL)`` calls a function as C does."""
    monkeypatch.setenv("CANNERY_SOC", "Ascend950PR_9589")
    fresh = Process(Options(devices=1, memory=1 << 28))
    monkeypatch.setattr(bridge, "process", lambda: fresh)
    lib = types.SimpleNamespace(cannery_new_int64=new_int64)
    entries = {call.name: bridge.Entry(FFI, lib, call) for call in every_call()}
    return lambda name, *arguments: entries[name](*arguments)


def text(c: Callable[..., Any]) -> str:
    message = c("aclGetRecentErrMsg")
    return "" if message == FFI.NULL else FFI.string(message).decode()


def tensor(c: Callable[..., Any], dims: list[int]) -> Any:
    array = FFI.new("int64_t[]", dims)
    return c("aclCreateTensor", array, len(dims), 3, FFI.NULL, 0, 2, array, len(dims), FFI.NULL)


def test_outputs_are_written_through_their_pointers(c: Callable[..., Any]) -> None:
    count, stream = FFI.new("uint32_t *"), FFI.new("void **")
    assert c("aclrtGetDeviceCount", count) == 0 and count[0] == 1
    assert c("aclInit", FFI.NULL) == c("aclrtSetDevice", 0) == 0
    assert c("aclrtCreateStream", stream) == 0 and stream[0] != FFI.NULL
    assert c("aclrtSynchronizeStream", stream[0]) == 0


def test_a_null_output_is_refused_by_each_family_s_code(c: Callable[..., Any]) -> None:
    assert c("aclrtGetDeviceCount", FFI.NULL) == 100000
    assert "count: found null" in text(c)
    made = tensor(c, [2])
    assert c("aclGetViewOffset", made, FFI.NULL) == 161001
    assert c("aclGetViewShape", made, FFI.NULL, FFI.new("uint64_t *")) == 161001
    assert c("aclGetViewShape", made, FFI.new("int64_t **"), FFI.NULL) == 161001


def test_a_failure_writes_nothing(c: Callable[..., Any]) -> None:
    stream = FFI.new("void **", FFI.cast("void *", 77))
    assert c("aclrtCreateStream", stream) == 107002
    assert int(FFI.cast("uintptr_t", stream[0])) == 77


def test_arrays_come_in_with_their_counts_and_go_out_allocated(c: Callable[..., Any]) -> None:
    values, count = FFI.new("int64_t **"), FFI.new("uint64_t *")
    made = tensor(c, [4, 5, 6])
    assert c("aclGetViewShape", made, values, count) == 0
    assert FFI.unpack(values[0], count[0]) == [4, 5, 6]
    assert c("aclGetViewStrides", made, values, count) == 0
    assert FFI.unpack(values[0], count[0]) == [30, 6, 1]


def test_null_and_impossible_arrays_make_no_tensor(c: Callable[..., Any]) -> None:
    dims = FFI.new("int64_t[]", [1])
    for first, count in ((FFI.NULL, 1), (dims, 1 << 50), (FFI.cast("int64_t *", 16), 1)):
        assert c("aclCreateTensor", first, count, 3, FFI.NULL, 0, 2, dims, 1, FFI.NULL) == FFI.NULL
    assert c("aclCreateTensor", FFI.NULL, 0, 3, FFI.NULL, 0, 2, FFI.NULL, 0, FFI.NULL) != FFI.NULL


def test_lists_and_other_arrays(c: Callable[..., Any]) -> None:
    count = FFI.new("uint64_t *")
    members = FFI.new("void *[]", [tensor(c, [1]), tensor(c, [2])])
    made = c("aclCreateTensorList", members, 2)
    assert c("aclGetTensorListSize", made, count) == 0 and count[0] == 2
    assert c("aclDestroyTensorList", made) == 0 and c("aclDestroyTensor", members[0]) == 161002
    floats = c("aclCreateFloatArray", FFI.new("float[]", [1.5]), 1)
    assert c("aclGetFloatArraySize", floats, count) == 0 and count[0] == 1
    assert c("aclCreateBoolArray", FFI.NULL, 3) == FFI.NULL
    value = FFI.new("double *", 2.5)
    assert c("aclCreateScalar", FFI.cast("void *", value), 11) != FFI.NULL
    desc = c("aclCreateTensorDesc", 0, 2, FFI.new("int64_t[]", [3, 4]), 2)
    assert c("aclGetTensorDescElementCount", desc) == 12


def test_texts_stay_until_the_next_one(c: Callable[..., Any]) -> None:
    name = c("aclrtGetSocName")
    assert c("aclrtGetSocName") == name and FFI.string(name) == b"Ascend950PR_9589"
    assert c("aclGetRecentErrMsg") == FFI.NULL
    c("aclFinalize")
    assert "REPEAT_FINALIZE" in text(c) and text(c) == ""


def test_a_callback_is_called_with_its_data(c: Callable[..., Any]) -> None:
    import threading

    seen: list[int] = []
    function = FFI.callback("void (*)(void *)", lambda data: seen.append(int(FFI.cast("uintptr_t", data))))
    c("aclInit", FFI.NULL), c("aclrtSetDevice", 0)
    assert c("aclrtSubscribeReport", threading.get_ident(), FFI.NULL) == 0
    assert c("aclrtLaunchCallback", function, FFI.cast("void *", 42), 1, FFI.NULL) == 0
    assert c("aclrtSynchronizeStream", FFI.NULL) == 0
    assert seen == [42]
    assert c("aclrtLaunchCallback", FFI.NULL, FFI.NULL, 1, FFI.NULL) == 100000


def test_text_in_memory_the_process_has_not_got_counts_as_null(c: Callable[..., Any]) -> None:
    assert c("aclsysGetVersionNum", FFI.cast("char *", 8), FFI.new("int32_t *")) == 100000
    assert "pkgName: found null" in text(c)


def test_a_program_in_c_is_told_of_a_task_that_failed(c: Callable[..., Any]) -> None:
    told = list[int]()
    note = FFI.callback("void(void *)", lambda info: told.append(c("aclrtGetErrorCodeFromExceptionInfo", info)))
    stream, block = FFI.new("void **"), FFI.new("void **")
    assert c("aclInit", FFI.NULL) == c("aclrtSetDevice", 0) == c("aclrtCreateStream", stream) == 0
    assert c("aclrtSetExceptionInfoCallback", note) == c("aclrtMalloc", block, 64, 0) == 0
    assert c("aclrtMemsetAsync", block[0], 64, 0, 64, stream[0]) == c("aclrtFree", block[0]) == 0
    assert c("aclrtSynchronizeStream", stream[0]) == 107000 and told == [107000]
