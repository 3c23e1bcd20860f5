"""``torch_npu.npu.streams``."""

from cannery.core.published import module_getattr
from cannery.extras.npu.refusals import UNBUILT
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

__getattr__ = module_getattr("cannery.extras.npu.torch_npu", "torch_npu.npu.streams", UNBUILT)
