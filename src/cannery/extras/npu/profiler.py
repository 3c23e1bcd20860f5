"""``torch_npu.profiler`` and ``torch.npu.mstx``: PyTorch's profiler on the host behind the original's arguments.

Source: Ascend/pytorch `torch_npu/profiler`, `torch_npu/npu/mstx.py` @9e73e708.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from functools import wraps
from itertools import count
from typing import Any

import torch
from torch.profiler import ProfilerAction as ProfilerAction
from torch.profiler import schedule as schedule


class ProfilerActivity(Enum):
    """What is recorded. Devices run on the host, so that both give the host's records."""

    CPU = "cpu"
    NPU = "npu"


class ProfilerLevel(Enum):
    """How much is recorded of a device."""

    Level_none = "Level_none"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class AiCMetrics(Enum):
    """Counters of the cores."""

    AiCoreNone = "ACL_AICORE_NONE"
    PipeUtilization = "ACL_AICORE_PIPE_UTILIZATION"
    ArithmeticUtilization = "ACL_AICORE_ARITHMETIC_UTILIZATION"
    Memory = "ACL_AICORE_MEMORY_BANDWIDTH"
    MemoryL0 = "ACL_AICORE_L0B_AND_WIDTH"
    MemoryUB = "ACL_AICORE_MEMORY_UB"
    ResourceConflictRatio = "ACL_AICORE_RESOURCE_CONFLICT_RATIO"
    L2Cache = "ACL_AICORE_L2_CACHE"
    MemoryAccess = "ACL_AICORE_MEMORY_ACCESS"


class ExportType(Enum):
    """Files that are written."""

    Text = "text"
    Db = "db"


class _ExperimentalConfig:
    """Settings for a device's records: any are accepted, none has an effect here."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings


def supported_activities() -> set[ProfilerActivity]:
    """Both."""
    return set(ProfilerActivity)


class profile(torch.profiler.profile):
    """A profile of the host's work. Arguments as the original's; those about a device have no effect."""

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: _ExperimentalConfig | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
    ) -> None:
        super().__init__(
            activities=[torch.profiler.ProfilerActivity.CPU],
            schedule=schedule,
            on_trace_ready=on_trace_ready,
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
        )


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, analyse_flag: bool = True, **settings: Any
) -> Callable[..., None]:
    """Write a trace of PyTorch's own form into a folder."""
    return torch.profiler.tensorboard_trace_handler(dir_name, worker_name)


class mstx:
    """Marks and ranges in a device's trace. They are counted, and written nowhere."""

    _ids = count(1)

    @staticmethod
    def mark(message: str, stream: Any = None, domain: str = "default") -> None:
        """A mark."""

    @staticmethod
    def range_start(message: str, stream: Any = None, domain: str = "default") -> int:
        """Begin a range; its number."""
        return next(mstx._ids)

    @staticmethod
    def range_end(range_id: int, domain: str = "default") -> None:
        """End it."""

    @staticmethod
    def range_push(message: str, stream: Any = None, domain: str = "default") -> int:
        """Begin a nested range."""
        return 0

    @staticmethod
    def range_pop(domain: str = "default") -> int:
        """End it."""
        return 0

    @staticmethod
    @contextmanager
    def _range(message: str) -> Iterator[None]:
        number = mstx.range_start(message)
        yield
        mstx.range_end(number)

    @staticmethod
    def mstx_range(message: str, stream: Any = None, domain: str = "default") -> Callable[..., Any]:
        """A decorator that puts calls into ranges."""

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(function)
            def ranged(*args: Any, **kwargs: Any) -> Any:
                with mstx._range(message):
                    return function(*args, **kwargs)

            return ranged

        return decorate
