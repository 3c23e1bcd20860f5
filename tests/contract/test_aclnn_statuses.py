"""Each status of the runtime that a caller can provoke, by name, from Python.

Numbers: hicann/runtime `include/external/acl/{acl_base_rt.h,error_codes/rt_error_codes.h}` @681ef761. From C,
tests/e2e/programs/statuses.cpp does the same.
"""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from cannery import acl, aclnn
from cannery.runtime import AclError, Options, Process

NUMBERS = {
    "ACL_ERROR_INVALID_PARAM": 100000,
    "ACL_ERROR_REPEAT_INITIALIZE": 100002,
    "ACL_ERROR_INVALID_FILE": 100003,
    "ACL_ERROR_PARSE_FILE": 100006,
    "ACL_ERROR_REPEAT_FINALIZE": 100037,
    "ACL_ERROR_RT_PARAM_INVALID": 107000,
    "ACL_ERROR_RT_INVALID_DEVICEID": 107001,
    "ACL_ERROR_RT_CONTEXT_NULL": 107002,
    "ACL_ERROR_RT_STREAM_CONTEXT": 107003,
    "ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID": 107006,
    "ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL": 107007,
    "ACL_ERROR_RT_STREAM_NO_CB_REG": 107015,
    "ACL_ERROR_RT_INVALID_MEMORY_TYPE": 107016,
    "ACL_ERROR_RT_INVALID_HANDLE": 107017,
    "ACL_ERROR_RT_INVALID_MALLOC_TYPE": 107018,
    "ACL_ERROR_RT_WAIT_TIMEOUT": 107019,
    "ACL_ERROR_RT_SYSPARAMOPT_NOT_SET": 107021,
    "ACL_ERROR_RT_FEATURE_NOT_SUPPORT": 207000,
    "ACL_ERROR_RT_MEMORY_ALLOCATION": 207001,
    "ACL_ERROR_RT_MEMORY_FREE": 207002,
    "ACL_ERROR_RT_NO_STREAM_RESOURCE": 207008,
    "ACL_ERROR_RT_AICPU_EXCEPTION": 507018,
    "ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED": 507910,
    "ACL_ERROR_HOST_MEMORY_NOT_REGISTERED": 507911,
}


@pytest.fixture(name="idle", autouse=True)
def _idle(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("CANNERY_SOC", "Ascend950PR_9589")
    fresh = Process(Options(devices=1, memory=1 << 28))
    for module in ("cannery.acl.spelling", "cannery.aclnn.spelling"):
        monkeypatch.setattr(f"{module}.process", lambda: fresh)
    yield


def start() -> None:
    assert acl.init() == 0 and acl.rt.set_device(0) == 0


def event_pair() -> tuple[int, int]:
    start()
    events = acl.rt.create_event()[0], acl.rt.create_event()[0]
    for event in events:
        acl.rt.record_event(event, 0)
    return events


def parse_file(tmp_path: Path) -> int:
    (tmp_path / "acl.json").write_text("{")
    return int(acl.init(str(tmp_path / "acl.json")))


def repeat_initialize(tmp_path: Path) -> int:
    acl.init()
    return int(acl.init())


def context_null(tmp_path: Path) -> int:
    acl.init()
    return int(acl.rt.malloc(64, 0)[1])


def invalid_device(tmp_path: Path) -> int:
    acl.init()
    return int(acl.rt.set_device(1))


def stream_context(tmp_path: Path) -> int:
    start()
    stream, _ = acl.rt.create_stream()
    acl.rt.create_context(0)
    return int(acl.rt.synchronize_stream(stream))


def timestamp_invalid(tmp_path: Path) -> int:
    return int(acl.rt.event_elapsed_time(*event_pair())[1])


def timestamp_reversal(tmp_path: Path) -> int:
    first, second = event_pair()
    acl.rt.synchronize_device()
    return int(acl.rt.event_elapsed_time(second, first)[1])


def beyond_a_block(tmp_path: Path) -> int:
    start()
    block, _ = acl.rt.malloc(64, 0)
    return int(acl.rt.memset(block, 65, 0, 65))


def host_for_device(tmp_path: Path) -> int:
    start()
    host = np.zeros(64, np.uint8).ctypes.data
    return int(acl.rt.memset(host, 64, 0, 64))


def stale_stream(tmp_path: Path) -> int:
    start()
    stream, _ = acl.rt.create_stream()
    acl.rt.destroy_stream(stream)
    return int(acl.rt.synchronize_stream(stream))


def no_report(tmp_path: Path) -> int:
    start()
    acl.rt.subscribe_report(threading.get_ident(), 0)
    return int(acl.rt.process_report(1))


def host_to_host(tmp_path: Path) -> int:
    start()
    a, b = bytearray(8), bytearray(8)
    ends = [np.frombuffer(value, np.uint8).ctypes.data for value in (a, b)]
    return int(acl.rt.memcpy_async(ends[0], 8, ends[1], 8, 0, 0))


def no_stream_left(tmp_path: Path) -> int:
    start()
    statuses = [acl.rt.create_stream()[1] for _ in range(1985)]
    return int(statuses[-1])


def value_on_the_device(tmp_path: Path) -> int:
    start()
    content = np.array([0, -1], np.int32).tobytes()
    block, _ = acl.rt.malloc(8, 0)
    acl.rt.memcpy(block, 8, acl.util.bytes_to_ptr(content), 8, 1)
    out, _ = acl.rt.malloc(356, 0)
    cu = aclnn.aclCreateTensor([2], 3, None, 0, 2, [2], block)
    metadata = aclnn.aclCreateTensor([64], 3, None, 0, 2, [64], out)
    _, size, executor = aclnn.aclnnDenseLightningIndexerKLLossGradMetadataGetWorkspaceSize(
        cu, cu, None, None, None, 0, 16, 4, 8, 1, 128, "TND", "TND", 0, 4, metadata
    )
    assert aclnn.aclnnDenseLightningIndexerKLLossGradMetadata(out + 256, size, executor, 0) == 0
    return int(acl.rt.synchronize_stream(0))


def registered_twice() -> int:
    memory = np.zeros(64, np.uint8)
    address = memory.ctypes.data
    assert acl.rt.host_register(address, 64, 0) == (address, 0)
    return int(acl.rt.host_register_v2(address + 63, 1, 0x2))


def after_start(provoke: Callable[[], int]) -> Callable[[Path], int]:
    def run(tmp_path: Path) -> int:
        start()
        return provoke()

    return run


PROVOKED: dict[str, Callable[[Path], int]] = {
    "ACL_ERROR_INVALID_PARAM": after_start(lambda: int(acl.rt.malloc(0, 0)[1])),
    "ACL_ERROR_REPEAT_INITIALIZE": repeat_initialize,
    "ACL_ERROR_INVALID_FILE": lambda tmp_path: int(acl.init(str(tmp_path / "none.json"))),
    "ACL_ERROR_PARSE_FILE": parse_file,
    "ACL_ERROR_REPEAT_FINALIZE": lambda tmp_path: int(acl.finalize()),
    "ACL_ERROR_RT_PARAM_INVALID": beyond_a_block,
    "ACL_ERROR_RT_INVALID_DEVICEID": invalid_device,
    "ACL_ERROR_RT_CONTEXT_NULL": context_null,
    "ACL_ERROR_RT_STREAM_CONTEXT": stream_context,
    "ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID": timestamp_invalid,
    "ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL": timestamp_reversal,
    "ACL_ERROR_RT_STREAM_NO_CB_REG": after_start(lambda: acl.rt.launch_callback(print, None, 1, 0)),
    "ACL_ERROR_RT_INVALID_MEMORY_TYPE": host_for_device,
    "ACL_ERROR_RT_INVALID_HANDLE": stale_stream,
    "ACL_ERROR_RT_INVALID_MALLOC_TYPE": after_start(lambda: int(acl.rt.malloc(64, 8)[1])),
    "ACL_ERROR_RT_WAIT_TIMEOUT": no_report,
    "ACL_ERROR_RT_SYSPARAMOPT_NOT_SET": after_start(lambda: int(acl.rt.get_sys_param_opt(0)[1])),
    "ACL_ERROR_RT_FEATURE_NOT_SUPPORT": host_to_host,
    "ACL_ERROR_RT_MEMORY_ALLOCATION": after_start(lambda: int(acl.rt.malloc(1 << 40, 0)[1])),
    "ACL_ERROR_RT_MEMORY_FREE": after_start(lambda: int(acl.rt.free(64))),
    "ACL_ERROR_RT_NO_STREAM_RESOURCE": no_stream_left,
    "ACL_ERROR_RT_AICPU_EXCEPTION": value_on_the_device,
    "ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED": after_start(registered_twice),
    "ACL_ERROR_HOST_MEMORY_NOT_REGISTERED": after_start(lambda: int(acl.rt.host_unregister(64))),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_it_is_answered_with_its_number_and_a_reason(name: str, tmp_path: Path) -> None:
    assert PROVOKED[name](tmp_path) == NUMBERS[name] == AclError[name]
    assert name in acl.get_recent_err_msg()
