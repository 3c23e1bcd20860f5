"""``torch_npu.npu.streams``."""

from cannery.extras.npu.streams import (
    Event,
    ExternalEvent,
    Stream,
    StreamContext,
    current_stream,
    default_stream,
    set_stream,
    stream,
    synchronize,
)

__all__ = [
    "Event",
    "ExternalEvent",
    "Stream",
    "StreamContext",
    "current_stream",
    "default_stream",
    "set_stream",
    "stream",
    "synchronize",
]
