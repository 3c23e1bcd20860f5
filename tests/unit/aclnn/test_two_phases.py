"""Two phases: planned at once, run when the stream gets there, used up by it."""

import threading
from collections.abc import Callable

import numpy as np
import pytest
import torch

from .conftest import METADATA, Client

TND = {"layout_q": "TND", "layout_k": "TND", "batch": 0}


def test_the_result_is_there_after_synchronisation_and_not_before(client: Client) -> None:
    out = client.tensor([-1] * 64)
    status, size, executor = client.metadata(out=out)
    assert (status, size) == (0, 100)
    assert client.run(size, executor) == 0
    assert set(client.read(out, 64).tolist()) == {-1}
    assert client.synchronize() == 0
    assert client.read(out, 5).tolist() == [16, 1, 0, 16, 16]


def test_phase_one_does_not_look_at_device_memory(client: Client) -> None:
    freed = client.memory(8)
    out = client.tensor([0] * 64)
    cu = client.view(freed, (2,))
    assert client.acl.rt.free(freed) == 0
    status, size, executor = client.metadata(cu_q=cu, cu_k=cu, out=out, **TND)
    assert status == 0
    assert client.run(size, executor) == 0
    assert client.synchronize() == 507018
    message = client.message
    assert "cu_seqlens_q" in message and "freed" in message


def test_an_executor_is_used_up_by_phase_two_whether_it_succeeds_or_not(client: Client) -> None:
    out = client.tensor([0] * 64)
    _, size, executor = client.metadata(out=out)
    assert client.run(size, executor) == 0
    assert client.run(size, executor) == 561103
    assert "used up" in client.message
    _, size, executor = client.metadata(out=out)
    assert client.run(size - 1, executor) == 161002
    assert f"at least {size}" in client.message
    assert client.run(size, executor) == 561103


def test_a_repeatable_executor_runs_again_until_it_is_destroyed(client: Client) -> None:
    out, other = client.tensor([0] * 64), client.memory(256)
    _, size, executor = client.metadata(out=out)
    assert client.aclnn.aclSetAclOpExecutorRepeatable(executor) == 0
    assert client.run(size, executor) == 0
    assert client.aclnn.aclSetOutputTensorAddr(executor, 0, out, other) == 0
    assert client.run(size, executor) == 0 and client.synchronize() == 0
    assert client.read(out, 5).tolist() == [16, 1, 0, 16, 16]
    assert client.aclnn.aclDestroyAclOpExecutor(executor) == 0
    assert client.run(size, executor) == 561103


def test_setters_refuse_null_and_positions_where_no_tensor_is(client: Client) -> None:
    out, cu = client.tensor([0] * 64), client.tensor([0, 16])
    _, _, executor = client.metadata(cu_q=cu, cu_k=cu, out=out, **TND)
    assert client.aclnn.aclSetInputTensorAddr(executor, 1, cu, 64) == 0
    assert client.aclnn.aclSetTensorAddr(executor, 5, out, 64) == 0
    for index in (2, 5, 99):
        assert client.aclnn.aclSetInputTensorAddr(executor, index, cu, 64) == 161002
    assert client.aclnn.aclSetOutputTensorAddr(executor, 1, out, 64) == 161002
    assert client.aclnn.aclSetInputTensorAddr(None, 0, cu, 64) == 561103
    assert client.aclnn.aclSetInputTensorAddr(executor, 0, None, 64) == 561103
    assert client.aclnn.aclSetAclOpExecutorRepeatable(None) == 561103
    assert client.aclnn.aclDestroyAclOpExecutor(None) == 561103


def test_a_tensor_destroyed_between_the_phases_is_caught_and_after_them_it_may_go(client: Client) -> None:
    out, cu = client.tensor([0] * 64), client.tensor([0, 16])
    _, size, executor = client.metadata(cu_q=cu, cu_k=cu, out=out, **TND)
    assert client.aclnn.aclDestroyTensor(cu) == 0
    assert client.run(size, executor) == 161002
    assert "cu_seqlens_q: found a tensor that was destroyed" in client.message
    assert client.metadata(cu_q=cu, cu_k=cu, out=out, **TND)[0] == 161002

    cu = client.tensor([0, 16])
    _, size, executor = client.metadata(cu_q=cu, cu_k=cu, out=out, **TND)
    assert client.run(size, executor) == 0
    assert client.aclnn.aclDestroyTensor(cu) == 0
    assert client.synchronize() == 0
    assert client.read(out, 1).tolist() == [16]


def test_the_statuses_of_phase_two(client: Client) -> None:
    out = client.tensor([0] * 64)
    phase_two = getattr(client.aclnn, METADATA)
    assert phase_two(0, 0, None, client.stream) == 161001
    assert phase_two(0, 0, 12345, client.stream) == 561103
    assert phase_two(0, 100, client.metadata(out=out)[2], client.stream) == 161001
    assert phase_two(0, 0, client.metadata(out=out)[2], client.stream) == 161002
    assert phase_two(client.memory(100), 100, client.metadata(out=out)[2], 12345) == 361001
    assert "live Stream" in client.message
    other = client.aclnn.aclnnDenseLightningIndexerSoftmaxLseMetadata
    assert other(client.memory(100), 100, client.metadata(out=out)[2], client.stream) == 161002


def test_without_runtime_or_device_phase_one_is_a_runtime_error(make_client: Callable[..., Client]) -> None:
    client = make_client()
    out = client.view(4096, (64,))
    assert client.metadata(out=out)[0] == 361001
    assert "aclInit" in client.message
    assert client.acl.init() == 0
    assert client.metadata(out=out)[0] == 361001
    assert "aclrtSetDevice" in client.message
    assert client.acl.rt.set_device(0) == 0
    assert client.metadata(out=out)[0] == 0
    assert client.acl.finalize() == 0
    assert client.metadata(out=out)[0] == 361001


def test_aclnn_can_be_initialised_instead(make_client: Callable[..., Client]) -> None:
    client = make_client()
    assert client.aclnn.aclnnInit(None) == 0
    assert client.acl.rt.set_device(0) == 0
    assert client.metadata(out=client.tensor([0] * 64))[0] == 0
    assert client.aclnn.aclnnFinalize() == 0
    assert client.metadata(out=client.tensor([0] * 64))[0] == 361001


def test_a_value_error_surfaces_at_synchronisation_with_index_and_value(client: Client) -> None:
    out, cu = client.tensor([-1] * 64), client.tensor([0, 9, 7, 16])
    _, size, executor = client.metadata(cu_q=cu, cu_k=client.tensor([0, 1, 2, 3]), out=out, **TND)
    assert client.run(size, executor) == 0
    assert client.synchronize() == 507018
    message = client.message
    assert all(words in message for words in ("cu_seqlens_q", "2", "found 7", "expected at least 9"))
    assert set(client.read(out, 64).tolist()) == {-1}
    assert client.synchronize() == 0


def test_inputs_and_outputs_with_strides_and_offset_are_honoured(client: Client) -> None:
    storage = client.tensor([99, 0, 99, 10, 99, 16, 99])
    cu = client.view(client.aclnn.aclGetRawTensorAddr(storage)[1], (3,), strides=(2,), offset=1)
    keys = client.tensor([0, 1, 2])
    place = client.tensor([-7] * 200)
    out = client.view(client.aclnn.aclGetRawTensorAddr(place)[1], (64,), strides=(3,), offset=2)
    _, size, executor = client.metadata(cu_q=cu, cu_k=keys, out=out, **TND)
    assert client.run(size, executor) == 0 and client.synchronize() == 0
    words = client.read(place, 200)
    assert words[2 : 2 + 15 : 3].tolist() == [16, 1, 0, 16, 16]
    assert set(np.delete(words, np.arange(2, 2 + 64 * 3, 3)).tolist()) == {-7}


def test_an_output_whose_elements_share_memory_is_refused(client: Client) -> None:
    out = client.view(client.memory(256), (64,), strides=(0,))
    assert client.metadata(out=out)[0] == 161002
    assert "share memory" in client.message


@pytest.mark.parametrize(
    ("number", "format", "text"), [(5, 2, "data type 5"), (-1, 2, "data type -1"), (3, 99, "format 99")]
)
def test_numbers_that_no_enumeration_has_are_refused(client: Client, number: int, format: int, text: str) -> None:
    out = client.view(client.memory(256), (64,), number=number, format=format)
    assert client.metadata(out=out)[0] == 161002
    assert text in client.message


@pytest.mark.parametrize("format", [-1, 0, 1, 2, 30, 47])
def test_formats_that_only_name_dims_are_plain(client: Client, format: int) -> None:
    out = client.view(client.memory(256), (64,), format=format)
    status, size, executor = client.metadata(out=out)
    assert status == 0 and client.run(size, executor) == 0 and client.synchronize() == 0


def test_a_view_beyond_its_block_is_caught_by_the_device(client: Client) -> None:
    out = client.view(client.memory(255), (64,))
    _, size, executor = client.metadata(out=out)
    assert client.run(size, executor) == 0
    assert client.synchronize() == 507018
    assert "to the end of its block" in client.message


def test_host_memory_for_device_memory_is_caught_by_the_device(client: Client) -> None:
    host = np.full(64, -1, np.int32)
    _, size, executor = client.metadata(out=client.view(host.ctypes.data, (64,)))
    assert client.run(size, executor) == 0 and client.synchronize() == 507018
    assert "host memory" in client.message and set(host.tolist()) == {-1}
    _, size, executor = client.metadata(out=client.tensor([0] * 64))
    assert client.run(size, executor, workspace=host.ctypes.data) == 0 and client.synchronize() == 507018
    assert "workspace" in client.message


def test_memory_of_another_device_is_caught(client: Client) -> None:
    assert client.acl.rt.set_device(1) == 0
    there = client.tensor([0] * 64)
    assert client.acl.rt.set_device(0) == 0
    _, size, executor = client.metadata(out=there)
    assert client.run(size, executor) == 0 and client.synchronize() == 507018
    assert "another device" in client.message


def test_an_address_that_its_type_cannot_have_is_caught(client: Client) -> None:
    out = client.view(client.memory(300) + 2, (64,))
    _, size, executor = client.metadata(out=out)
    assert client.run(size, executor) == 0 and client.synchronize() == 507018
    assert "a multiple of 4" in client.message


def test_a_tensor_without_an_address_is_refused_by_phase_two(client: Client) -> None:
    _, size, executor = client.metadata(out=client.view(0, (64,)))
    assert client.run(size, executor) == 161001
    assert "without an address" in client.message


def test_two_to_the_31_elements_are_planned_and_caught_where_memory_ends(client: Client) -> None:
    huge, out = client.view(client.memory(64), (2**31,)), client.tensor([0] * 64)
    status, size, executor = client.metadata(cu_q=huge, cu_k=huge, out=out, **TND)
    assert status == 0
    assert client.run(size, executor) == 0 and client.synchronize() == 507018
    assert "8589934592 bytes" in client.message


def test_an_empty_optional_tensor_counts_as_absent(client: Client) -> None:
    out, empty = client.tensor([0] * 64), client.view(0, (0,))
    status, size, executor = client.metadata(cu_q=empty, cu_k=empty, out=out)
    assert status == 0 and client.run(size, executor) == 0 and client.synchronize() == 0
    assert client.read(out, 1).tolist() == [16]
    assert client.metadata(cu_q=empty, cu_k=empty, out=out, **TND)[0] == 161002


def test_limits_of_a_stream_change_the_plan_of_its_thread(client: Client) -> None:
    out = client.tensor([0] * 64)
    assert client.acl.rt.set_stream_res_limit(client.stream, 0, 24) == 0
    assert client.acl.rt.use_stream_res_in_current_thread(client.stream) == 0
    _, size, executor = client.metadata(out=out, max_q=511)
    assert client.run(size, executor) == 0 and client.synchronize() == 0
    assert client.read(out, 5).tolist() == [511, 22, 21, 17, 24]


def test_quirks_are_a_setting(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANNERY_QUIRKS", "1")
    out = client.tensor([-1] * 64)
    status, size, executor = client.metadata(out=out, max_q=0)
    assert status == 0 and client.run(size, executor) == 0 and client.synchronize() == 0
    assert client.read(out, 6).tolist() == [0, 0, -1, 0, 0, -1]


def test_two_threads_with_a_stream_each(client: Client) -> None:
    words: dict[int, list[list[int]]] = {}

    def work(rows: int) -> None:
        assert client.acl.rt.set_device(0) == 0
        stream, _ = client.acl.rt.create_stream()
        words[rows] = []
        for _ in range(20):
            out = client.tensor([-1] * 64)
            _, size, executor = client.metadata(out=out, max_q=rows)
            assert client.run(size, executor, stream=stream) == 0
            assert client.acl.rt.synchronize_stream(stream) == 0
            words[rows].append(client.read(out, 5).tolist())

    threads = [threading.Thread(target=work, args=(rows,)) for rows in (5, 64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert words == {5: [[5, 1, 0, 27, 5]] * 20, 64: [[64, 2, 1, 0, 32]] * 20}


def test_an_event_orders_two_calls_on_two_streams(client: Client) -> None:
    other, _ = client.acl.rt.create_stream()
    event, _ = client.acl.rt.create_event()
    out = client.tensor([-1] * 64)
    _, size, executor = client.metadata(out=out)
    assert client.run(size, executor) == 0
    assert client.acl.rt.record_event(event, client.stream) == 0
    assert client.acl.rt.stream_wait_event(other, event) == 0
    _, size, executor = client.metadata(out=out, max_q=64)
    assert client.run(size, executor, stream=other) == 0
    assert client.acl.rt.synchronize_stream(other) == 0
    assert client.read(out, 5).tolist() == [64, 2, 1, 0, 32]
    assert client.synchronize() == 0
    assert client.read(out, 5).tolist() == [64, 2, 1, 0, 32]


def test_ten_thousand_rounds_leave_nothing_behind(client: Client) -> None:
    place, workspace = client.memory(256), client.memory(100)
    handles = len(client.process.handles)
    for _ in range(10_000):
        out = client.view(place, (64,))
        _, size, executor = client.metadata(out=out)
        assert client.run(size, executor, workspace=workspace) == 0
        assert client.aclnn.aclDestroyTensor(out) == 0
    assert client.synchronize() == 0
    assert len(client.process.handles) == handles


def test_setters_refuse_a_tensor_that_is_destroyed_or_never_was(client: Client) -> None:
    out = client.tensor([0] * 64)
    _, _, executor = client.metadata(out=out)
    gone = client.tensor([0])
    assert client.aclnn.aclDestroyTensor(gone) == 0
    for tensor in (gone, 99):
        assert client.aclnn.AclSetTensorAddr(executor, 5, tensor, 64) == 161002
    assert client.aclnn.AclSetTensorAddr(executor, 5, out, 64) == 0


def test_no_executor_has_a_list_whose_member_could_lie_elsewhere(client: Client) -> None:
    out = client.tensor([0] * 64)
    _, _, executor = client.metadata(out=out)
    tensors = client.aclnn.aclCreateTensorList([out])
    for name in ("aclSetDynamicInputTensorAddr", "AclSetDynamicOutputTensorAddr", "aclSetDynamicTensorAddr"):
        setter = getattr(client.aclnn, name)
        assert setter(0, 0, 0, tensors, 64) == setter(executor, 0, 0, 0, 64) == 561103
        assert setter(executor, 0, 0, tensors, 64) == 161002


def test_planning_leaves_the_switches_of_torch_as_they_were(client: Client) -> None:
    out = client.tensor([0] * 64)
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        client.metadata(out=out)
        assert torch.are_deterministic_algorithms_enabled()
        assert torch.is_deterministic_algorithms_warn_only_enabled()
    finally:
        torch.use_deterministic_algorithms(False)
