"""``torch_npu.profiler``."""

from cannery.core.published import module_getattr
from cannery.extras.npu.profiler import (
    AiCMetrics,
    ExportType,
    ProfilerAction,
    ProfilerActivity,
    ProfilerLevel,
    _ExperimentalConfig,
    profile,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)
from cannery.extras.npu.refusals import UNBUILT

__all__ = [
    "AiCMetrics",
    "ExportType",
    "ProfilerAction",
    "ProfilerActivity",
    "ProfilerLevel",
    "_ExperimentalConfig",
    "profile",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]

__getattr__ = module_getattr("cannery.extras.npu.torch_npu", "torch_npu.profiler", UNBUILT)
