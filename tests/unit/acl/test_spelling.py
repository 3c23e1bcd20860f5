"""pyACL's conventions: positional ints, the status last, no constants, TypeErrors for wrong types."""

import importlib
import inspect
import mmap
import sys
import threading
from collections.abc import Iterator
from types import ModuleType

import numpy as np
import pytest

from cannery.runtime import CALLS, Options, Process


@pytest.fixture(name="acl")
def _acl(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module over a runtime of its own."""
    monkeypatch.setenv("CANNERY_SOC", "Ascend950PR_9589")
    fresh = Process(Options(devices=2, memory=1 << 28))
    for module in ("cannery.acl.spelling", "cannery.acl.descriptors"):
        monkeypatch.setattr(f"{module}.process", lambda: fresh)
    yield importlib.import_module("cannery.acl")


@pytest.fixture(name="ready")
def _ready(acl: ModuleType) -> ModuleType:
    assert acl.init() == 0 and acl.rt.set_device(0) == 0
    return acl


def test_every_call_of_the_table_is_a_function_where_pyacl_has_it(acl: ModuleType) -> None:
    for call in CALLS:
        module, _, name = call.python.rpartition(".")
        if name:
            assert callable(getattr(getattr(acl, module) if module else acl, name))


def test_there_are_no_constants(acl: ModuleType) -> None:
    for module in (acl, acl.rt, acl.util):
        public = {name: value for name, value in vars(module).items() if not name.startswith("_") and name.isupper()}
        assert public == {}


def test_values_come_first_and_the_status_last(ready: ModuleType) -> None:
    assert ready.rt.get_device() == (0, 0)
    assert ready.rt.get_device_count() == (2, 0)
    assert ready.rt.get_run_mode() == (1, 0)
    free, total, ret = ready.rt.get_mem_info(1)
    assert free == total and ret == 0
    assert ready.get_version() == (1, 17, 0, 0)


def test_getters_give_the_bare_value(acl: ModuleType) -> None:
    assert acl.get_soc_name() == "Ascend950PR_9589"
    assert acl.data_type_size(3) == 4
    assert acl.get_recent_err_msg() is None
    assert acl.float16_to_float(acl.float_to_float16(1.5)) == 1.5


def test_a_failure_gives_zeros_and_its_code(acl: ModuleType) -> None:
    assert acl.init("") == 0
    assert acl.rt.malloc(64, 0) == (0, 107002)
    assert acl.rt.get_mem_info(1) == (0, 0, 107002)
    assert "aclrtSetDevice" in acl.get_recent_err_msg()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("malloc", (64,)),
        ("malloc", (64, 0, 0)),
        ("malloc", (None, 0)),
        ("malloc", (64.0, 0)),
        ("malloc", ("64", 0)),
        ("free", (None,)),
        ("free", (b"1",)),
        ("set_device", ([],)),
        ("launch_callback", (1, 0, 0, 0)),
    ],
)
def test_wrong_types_and_numbers_of_arguments_raise(acl: ModuleType, name: str, arguments: tuple[object, ...]) -> None:
    with pytest.raises(TypeError, match=f"acl.rt.{name} args parse failed"):
        getattr(acl.rt, name)(*arguments)


def test_keywords_and_none_are_refused(acl: ModuleType) -> None:
    with pytest.raises(TypeError):
        acl.rt.malloc(size=64, policy=0)
    with pytest.raises(TypeError, match=r"acl\.init args parse failed"):
        acl.init(None)


def test_a_callback_thread_may_start_before_it_is_subscribed(ready: ModuleType) -> None:
    stream, _ = ready.rt.create_stream()
    context, _ = ready.rt.get_context()
    seen: list[object] = []
    is_over = threading.Event()

    def process_callback(arguments: list[int]) -> None:
        current, timeout = arguments
        ready.rt.set_context(current)
        while not is_over.is_set():
            ready.rt.process_report(timeout)

    thread, ret = ready.util.start_thread(process_callback, [context, 50])
    assert ret == 0 and ready.rt.subscribe_report(thread, stream) == 0
    for number in range(3):
        assert ready.rt.launch_callback(seen.append, ["image", number], 1, stream) == 0
    assert ready.rt.synchronize_stream(stream) == 0
    is_over.set()
    assert ready.util.stop_thread(thread) == 0
    assert ready.rt.unsubscribe_report(thread, stream) == 0
    assert seen == [["image", number] for number in range(3)]


def test_numpy_integers_are_integers(ready: ModuleType) -> None:
    pointer, ret = ready.rt.malloc(np.int64(64), np.int32(0))
    assert ret == 0 and ready.rt.free(np.uint64(pointer)) == 0


def test_a_published_function_that_is_not_there_says_where_to_look(acl: ModuleType) -> None:
    for absent in (acl.rt.create_notify, acl.trans_tensor_desc_format):
        with pytest.raises(NotImplementedError, match=r"docs/aclnn\.md"):
            absent(1)
    with pytest.raises(NotImplementedError, match=r"acl\.mdl\.load_from_file is not there in cannery: cannery runs no"):
        acl.mdl.load_from_file("x.om")


def test_a_function_that_nobody_publishes_is_an_attribute_error(acl: ModuleType) -> None:
    for module in (acl, acl.rt, acl.mdl):
        assert not hasattr(module, "nobody_publishes_this")


def test_submodules_are_modules(acl: ModuleType) -> None:
    for name in ("rt", "util"):
        assert inspect.ismodule(getattr(acl, name))
        assert sys.modules[f"cannery.acl.{name}"] is getattr(acl, name)


def test_descriptors_and_buffers(acl: ModuleType) -> None:
    desc = acl.create_tensor_desc(1, [2, 3], 2)
    assert [acl.get_tensor_desc_type(desc), acl.get_tensor_desc_format(desc), acl.get_tensor_desc_size(desc)] == [
        1,
        2,
        12,
    ]
    assert [acl.get_tensor_desc_num_dims(desc), acl.get_tensor_desc_element_count(desc)] == [2, 6]
    assert acl.get_tensor_desc_dim(desc, 1) == 3 and acl.get_tensor_desc_dim(desc, 2) == -1
    assert acl.get_tensor_desc_dim_v2(desc, 1) == (3, 0) and acl.get_tensor_desc_dim_v2(desc, 2) == (0, 100000)
    acl.set_tensor_desc_name(desc, "x")
    assert acl.get_tensor_desc_name(desc) == "x"
    assert acl.set_tensor_shape(desc, [4]) == 0 and acl.get_tensor_desc_element_count(desc) == 4
    assert acl.destroy_tensor_desc(desc) is None and acl.get_tensor_desc_type(desc) == -1
    assert acl.set_tensor_format(desc, 0) == 107017
    with pytest.raises(TypeError, match="dims to be a list of ints"):
        acl.create_tensor_desc(1, (2, 3), 2)

    buffer = acl.create_data_buffer(64, 8)
    assert (acl.get_data_buffer_addr(buffer), acl.get_data_buffer_size(buffer)) == (64, 8)
    assert acl.update_data_buffer(buffer, 128, 16) == 0 and acl.get_data_buffer_size_v2(buffer) == 16
    assert acl.destroy_data_buffer(buffer) == 0 and acl.destroy_data_buffer(buffer) == 107017
    assert acl.get_data_buffer_size(buffer) == 0


def test_versions(acl: ModuleType) -> None:
    assert acl.get_version_str("runtime") == ("1.17.0", 0)
    parts, ret = acl.get_cann_version(0)
    assert ret == 0 and parts["major_version"] == "1"
    assert acl.get_version_str("") == ("", 100000) and acl.get_cann_version(99) == ({}, 100000)
    assert acl.app_log(1, "hello") is None


def test_memory_and_devices_are_described_by_dicts(ready: ModuleType) -> None:
    address, ret = ready.rt.malloc_with_cfg(64, 0, {})
    assert ret == 0
    page = {"page_size": mmap.PAGESIZE, "rsv": [0, 0, 0, 0]}
    assert ready.rt.pointer_get_attributes(address) == ({"location": {"id": 0, "type": 1}, **page}, 0)
    assert ready.rt.pointer_get_attributes(0)[1] == 100000
    used, ret = ready.rt.get_device_utilization_rate(0)
    assert (used["cube_utilization"], used["memory_utilization"], used["utilization_extend"], ret) == (0, -1, 0, 0)
    assert ready.rt.malloc_host_with_cfg(64, {})[1] == 0
    with pytest.raises(TypeError, match="expected a dict"):
        ready.rt.malloc_host_with_cfg(64, None)
