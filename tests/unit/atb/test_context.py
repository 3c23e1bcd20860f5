"""Contexts: creation, streams, modes, buffers."""

import threading
from typing import Any

import pytest

from cannery import OperatorError, atb
from cannery.atb.context import BLOCK_SIZE
from cannery.runtime import Stream


@pytest.mark.parametrize(
    ("host", "device", "culprit"),
    [
        (128, 32, None),
        (1024, 1024, None),
        (127, 32, "hostTilingBlockNum"),
        (1025, 32, "hostTilingBlockNum"),
        (128, 31, "deviceTilingBlockNum"),
        (128, 1025, "deviceTilingBlockNum"),
    ],
)
def test_numbers_of_tiling_blocks_have_limits(host: int, device: int, culprit: str | None) -> None:
    if culprit is None:
        atb.CreateContext(hostTilingBlockNum=host, deviceTilingBlockNum=device)
        return
    with pytest.raises(OperatorError) as caught:
        atb.CreateContext(hostTilingBlockNum=host, deviceTilingBlockNum=device)
    assert (caught.value.parameter, caught.value.code.name) == (culprit, "ERROR_INVALID_PARAM")


def test_an_allocator_needs_its_deallocator_and_gets_its_buffer_back() -> None:
    calls: list[Any] = []

    def alloc(size: int) -> str:
        calls.append(size)
        return "buffer"

    with pytest.raises(OperatorError, match="alloc, dealloc"):
        atb.CreateContext(alloc)
    context = atb.CreateContext(alloc, calls.append)
    atb.DestroyContext(context)
    assert calls == [32 * BLOCK_SIZE, "buffer"]


def test_streams_are_set_one_or_several_but_not_none() -> None:
    context, first, second = atb.CreateContext(), Stream(), Stream()
    assert context.GetExecuteStream() is None
    context.SetExecuteStreams([first, second])
    assert context.GetExecuteStreams() == (first, second)
    context.SetExecuteStream(second)
    assert context.GetExecuteStreams() == (second, second)
    with pytest.raises(OperatorError, match="streams: found none"):
        context.SetExecuteStreams([])


def test_a_handle_that_is_no_stream_is_refused() -> None:
    with pytest.raises(OperatorError, match="stream: found 0x5"):
        atb.CreateContext().SetExecuteStream(5)


def test_the_execute_type_belongs_to_the_thread_and_all_its_contexts() -> None:
    context, seen = atb.CreateContext(), []
    context.SetExecuteType(atb.ExecuteType.EXECUTE_PRELAUNCH)
    try:
        other = threading.Thread(target=lambda: seen.append(context.GetExecuteType()))
        other.start()
        other.join()
        assert atb.CreateContext().GetExecuteType() is atb.ExecuteType.EXECUTE_PRELAUNCH
    finally:
        context.SetExecuteType(atb.ExecuteType.EXECUTE_NORMAL)
    assert seen == [atb.ExecuteType.EXECUTE_NORMAL]


def test_copying_tilings_apart_brings_a_stream_and_ten_events() -> None:
    context = atb.CreateContext()
    assert not context.GetAsyncTilingCopyStatus()
    context.SetAsyncTilingCopyStatus(True)
    assert (context.GetAsyncTilingCopyStatus(), len(context.copy_events)) == (True, 10)
    context.SetAsyncTilingCopyStatus(False)
    assert (context.GetAsyncTilingCopyStatus(), context.copy_events) == (False, ())


def test_tiling_blocks_are_handed_out_in_turn() -> None:
    context = atb.CreateContext()
    assert [context.next_host_block() for _ in range(130)] == [*range(128), 0, 1]


def test_the_end_of_no_context_is_refused() -> None:
    with pytest.raises(OperatorError, match="context: found null"):
        atb.DestroyContext(None)
