"""``acl.rt``: devices, contexts, streams, events, memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cannery.acl.spelling import functions, invoke
from cannery.runtime.calls.callbacks import launch_callback as launch_callback_call

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


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'acl.rt': found {name}, expected a call that docs/aclnn.md lists")
