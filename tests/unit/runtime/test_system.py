"""Beginning, end and errors of the runtime; what it is told by the environment."""

import os
import re
import threading
from pathlib import Path

import numpy as np
import pytest

from cannery.runtime import CALLS, AclError, Options
from cannery.runtime.prototype import Kind, parse

from .conftest import Machine


def test_initialising_again_counts_and_says_so(idle: Machine) -> None:
    assert [idle.aclInit(None)[0] for _ in range(3)] == [0, 100002, 100002]
    assert [idle.aclFinalizeReference() for _ in range(2)] == [(0, 2), (0, 1)]
    assert idle.aclFinalize() == (0,)
    assert idle.aclFinalize() == (100037,)
    assert idle.aclFinalizeReference()[0] == 100037
    assert idle.aclInit(None) == (0,)


def test_a_configuration_is_read_once(idle: Machine, tmp_path: Path) -> None:
    good, bad, other = tmp_path / "a.json", tmp_path / "b.json", tmp_path / "c.json"
    good.write_text("{}")
    bad.write_text("{")
    other.write_text('{"dump": {}}')
    assert idle.aclInit(str(tmp_path / "none.json")) == (100003,)
    assert idle.aclInit("a\0b") == (100003,)
    assert idle.aclInit(str(bad)) == (100006,)
    assert idle.aclInit(str(good)) == (0,)
    assert idle.aclInit(str(bad)) == (100002,)
    idle.good("aclFinalize")
    assert idle.aclInit(str(other)) == (100000,)
    assert idle.aclInit(str(good)) == (0,)


def test_a_configuration_is_an_object(idle: Machine, tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text("[1]")
    assert idle.aclInit(str(path)) == (100006,)


def test_calls_work_before_init_and_after_finalize_as_in_the_original(idle: Machine) -> None:
    idle.good("aclrtSetDevice", 0)
    address = idle.good("aclrtMalloc", 64, 0)
    idle.good("aclInit", None)
    idle.good("aclFinalize")
    idle.good("aclrtMemset", address, 64, 1, 64)
    idle.good("aclrtSynchronizeDevice")


def test_what_was_made_can_be_given_back_after_finalize(machine: Machine) -> None:
    device, stream = machine.good("aclrtMalloc", 64, 0), machine.good("aclrtCreateStream")
    machine.good("aclFinalize")
    for name, argument in (("aclrtFree", device), ("aclrtDestroyStream", stream), ("aclrtResetDevice", 0)):
        machine.good(name, argument)


def test_a_message_is_read_once_and_belongs_to_its_thread(idle: Machine) -> None:
    assert idle.aclGetRecentErrMsg() == (0,)
    idle.aclFinalize()
    seen: list[object] = []
    thread = threading.Thread(target=lambda: seen.append(idle.aclGetRecentErrMsg()))
    thread.start()
    thread.join()
    assert seen == [(0,)]
    assert "ACL_ERROR_REPEAT_FINALIZE" in idle.aclGetRecentErrMsg()[1]
    assert idle.aclGetRecentErrMsg() == (0,)


def test_a_message_begins_with_process_and_time_and_names_its_family(idle: Machine) -> None:
    idle.aclFinalize()
    shape = r"\[PID: (\d+)\] \d{4}(-\d\d){3}(:\d\d){2}(\.\d{3}){2} \w+\(E[HEZ]\d{4}\): aclFinalize: .+"
    found = re.fullmatch(shape, idle.good("aclGetRecentErrMsg"))
    assert found is not None and int(found[1]) == os.getpid()


def test_versions_are_written_to_the_memory_of_the_caller(idle: Machine) -> None:
    text = np.full(128, 7, np.uint8)
    idle.good("aclsysGetVersionStr", "runtime", text.ctypes.data)
    assert text[:8].tobytes() == b"1.17.0\0\7"
    assert idle.good("aclsysGetVersionNum", "runtime") == 11700000
    parts = np.full(512, 7, np.uint8)
    idle.good("aclsysGetCANNVersion", 0, parts.ctypes.data)
    assert [bytes(parts[start:]).split(b"\0")[0] for start in (0, 128, 192, 256)] == [b"1.17.0", b"1", b"17", b"0"]
    assert idle.aclsysGetCANNVersion(99, parts.ctypes.data) == (100000,)
    assert idle.aclsysGetCANNVersion(0, 0) == (100000,) and idle.aclsysGetCANNVersion(0, 8) == (107000,)
    assert idle.aclsysGetVersionStr(None, text.ctypes.data) == (100000,)


def test_the_last_error_can_be_peeked_at_and_taken(idle: Machine) -> None:
    idle.aclFinalize()
    assert idle.aclrtPeekAtLastError(0) == idle.aclrtPeekAtLastError(0) == idle.aclrtGetLastError(0) == (0, 100037)
    assert idle.aclrtGetLastError(0) == (0, 0)
    assert idle.aclrtGetLastError(1) == (0, 100000)


def test_float16_saturates_as_the_original_does(idle: Machine) -> None:
    inf, nan = float("inf"), float("nan")
    bits = [idle.good("aclFloatToFloat16", value) for value in (1.0, -2.0, 0.0, 65504.0, 1e9, inf, -inf, nan)]
    assert bits == [0x3C00, 0xC000, 0, 0x7BFF, 0x7BFF, 0x7BFF, 0xFBFF, 0x7BFF]
    values = [idle.good("aclFloat16ToFloat", half) for half in (0x3C00, 0xC000, 0x0001, 0x7BFF, 0x7C00, 0x7E00)]
    assert values == [1.0, -2.0, 2.0**-24, 65504.0, 65536.0, 98304.0]


@pytest.mark.parametrize(
    ("number", "size"), [(0, 4), (1, 2), (3, 4), (9, 8), (27, 2), (12, 1), (29, 0), (-1, 0), (99, 0)]
)
def test_sizes_of_data_types(idle: Machine, number: int, size: int) -> None:
    assert idle.good("aclDataTypeSize", number) == size


def test_every_name_of_the_table_is_there_once() -> None:
    names = [call.name for call in CALLS]
    assert len(names) == len(set(names))
    python = [call.python for call in CALLS if call.python]
    assert len(python) == len(set(python))
    assert {int(code) // 1000 for code in AclError} <= {0, 100, 107, 145, 148, 200, 207, 300, 500, 507}


@pytest.mark.parametrize(
    ("visible", "count"), [("0", 1), ("0,1,3", 3), ("1,0", 1), ("x", 0), ("", 0), ("3,9", 1), ("0,1,x,3", 2)]
)
def test_visible_devices(visible: str, count: int) -> None:
    assert Options.of({"CANNERY_DEVICES": "4", "ASCEND_RT_VISIBLE_DEVICES": visible}).devices == count


def test_options_come_from_the_environment() -> None:
    options = Options.of({"CANNERY_DEVICE_MEMORY_GIB": "2"})
    assert (options.memory, options.devices) == (2 << 30, 8)
    with pytest.raises(ValueError, match="CANNERY_DEVICES: found '-1', expected a number from 1 up"):
        Options.of({"CANNERY_DEVICES": "-1"})


def test_a_prototype_knows_inputs_outputs_and_its_c_form() -> None:
    line = parse("aclnnStatus f(const aclTensor *a, int64_t d[n], float s[=n], out uint64_t *size, out int64_t r[m])")
    assert [p.name for p in line.inputs] == ["a", "d", "s"]
    assert [p.kind for p in line.inputs] == [Kind.ADDRESS, Kind.INTEGER, Kind.FLOAT]
    assert line.c == (
        "aclnnStatus f(const aclTensor *a, const int64_t *d, uint64_t n, const float *s, uint64_t *size, "
        "int64_t **r, uint64_t *m)"
    )


@pytest.mark.parametrize("text", ["nonsense", "int f(wchar_t x)", "wchar_t f()", "int f(int)"])
def test_what_is_no_prototype_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        parse(text)
