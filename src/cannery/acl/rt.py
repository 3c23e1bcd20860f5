"""``acl.rt``: devices, contexts, streams, events, memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cannery.acl.spelling import asked, functions, invoke
from cannery.core.published import module_getattr
from cannery.runtime.calls.callbacks import launch_callback as launch_callback_call
from cannery.runtime.calls.hostmemory import location
from cannery.runtime.calls.memory import malloc_host_with_cfg as malloc_host_call
from cannery.runtime.calls.memory import malloc_with_cfg as malloc_call
from cannery.runtime.calls.peers import utilization

globals().update(functions("rt"))


def launch_callback(function: Callable[[Any], Any], user_data: Any, block_type: int, stream: int, /) -> int:
    """Put ``function(user_data)`` at the end of a stream; the data are any object.

    Raises:
        TypeError: no function, or no numbers.
    """
    if not callable(function) or not isinstance(block_type, int) or not isinstance(stream, int):
        raise TypeError("acl.rt.launch_callback args parse failed: expected a function, any object, two ints")
    status, _ = invoke(launch_callback_call, (function, user_data, block_type, stream))
    return status


def malloc_with_cfg(size: int, policy: int, config: dict[str, Any], /) -> tuple[int, int]:
    """(address, ret); the configuration has no effect.

    Raises:
        TypeError: the configuration is no dict.
    """
    status, values = invoke(malloc_call, (size, policy, _config("malloc_with_cfg", config)))
    return int(values[0]), status


def malloc_host_with_cfg(size: int, config: dict[str, Any], /) -> tuple[int, int]:
    """(address, ret); the configuration has no effect.

    Raises:
        TypeError: the configuration is no dict.
    """
    status, values = invoke(malloc_host_call, (size, _config("malloc_host_with_cfg", config)))
    return int(values[0]), status


def pointer_get_attributes(address: int, /) -> tuple[dict[str, Any], int]:
    """(where memory is, ret): device and kind of place, and the size of its pages."""
    (device, kind, page), status = asked(lambda here: location(here, address), (0, 0, 0))
    return {"location": {"id": device, "type": kind}, "page_size": page, "rsv": [0] * 4}, status


def get_device_utilization_rate(device: int, /) -> tuple[dict[str, int], int]:
    """(how busy a device is in percent, ret)."""
    cores, status = asked(lambda here: utilization(here, device), (0, 0, 0, 0))
    names = ("cube_utilization", "vector_utilization", "aicpu_utilization", "memory_utilization")
    return {**dict(zip(names, cores, strict=True)), "utilization_extend": 0}, status


def _config(name: str, config: object) -> int:
    """What C is told where Python has a dict: nothing."""
    if not isinstance(config, dict):
        raise TypeError(f"acl.rt.{name} args parse failed: found {type(config).__name__}, expected a dict")
    return 0


__getattr__ = module_getattr("cannery.acl", "acl.rt", "docs/aclnn.md lists the calls that are")
