"""The one table of the runtime subset: every call by its C prototype and its name in pyACL."""

from cannery.runtime.call import Call, calls_of
from cannery.runtime.calls import (
    callbacks,
    context,
    descriptors,
    device,
    events,
    hostmemory,
    info,
    limits,
    memory,
    peers,
    streams,
    system,
)

CALLS: tuple[Call, ...] = calls_of(
    system, info, device, limits, context, streams, events, memory, callbacks, descriptors, hostmemory, peers
)

__all__ = ["CALLS"]
