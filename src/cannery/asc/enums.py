"""Enumerations, with pyasc's numbers (hicann/pyasc `python/asc/language/core/enums.py` @cecba26ace65)."""

from __future__ import annotations

from enum import IntEnum
from types import MappingProxyType
from typing import Any, Final

from cannery.aicore import pipes
from cannery.isa.enums import (
    CMPMODE,
    BatchMode,
    CO2Layout,
    CubeFormat,
    IterateMode,
    IterateOrder,
    LayoutMode,
    MatmulConfigMode,
    QuantModes,
    ReduceOrder,
    RoundMode,
    ScheduleType,
    SelMode,
    TPosition,
)

__all__ = [
    "CMPMODE", "BatchMode", "CO2Layout", "CacheLine", "CacheMode", "CacheRwMode", "CubeFormat", "DataFormat",
    "DcciDst", "GatherMaskMode", "HardEvent", "Hardware", "IterateMode", "IterateOrder", "LayoutMode", "MaskMode",
    "MatmulConfigMode", "MemDsbT", "PipeID", "QuantModes", "ReduceOrder", "RoundMode", "ScheduleType", "SelMode",
    "TPosition",
]  # fmt: skip

_named: Any = IntEnum  # made from the core's table, which a type checker cannot follow
HardEvent: Any = _named("HardEvent", {name: number for number, name in enumerate(pipes.EVENTS)})
"""``A_B``: set by pipe A, awaited by pipe B."""


class PipeID(IntEnum):
    """Pipes as pipe_barrier and the cross-core flags name them."""

    PIPE_S = 0
    PIPE_V = 1
    PIPE_M = 2
    PIPE_MTE1 = 3
    PIPE_MTE2 = 4
    PIPE_MTE3 = 5
    PIPE_ALL = 6
    PIPE_MTE4 = 7
    PIPE_MTE5 = 8
    PIPE_V2 = 9
    PIPE_FIX = 10


PIPE: Final = MappingProxyType({PipeID[f"PIPE_{name}"]: number for number, name in enumerate(pipes.PIPES)})
"""The core's pipe by PipeID; PIPE_ALL and the pipes of other chips are not in it."""


class MaskMode(IntEnum):
    """Mask register modes."""

    NORMAL = 0
    COUNTER = 1


class Hardware(IntEnum):
    """Physical memories."""

    GM = 0
    UB = 1
    L1 = 2
    L0A = 3
    L0B = 4
    L0C = 5
    BIAS = 6
    FIXBUF = 7
    MAX = 8


class DataFormat(IntEnum):
    """Tensor formats."""

    ND = 0
    NZ = 1
    NCHW = 2
    NC1HWC0 = 3
    NHWC = 4


class CacheMode(IntEnum):
    """L2 hints; without effect on data."""

    CACHE_MODE_NORMAL = 0
    CACHE_MODE_DISABLE = 1
    CACHE_MODE_LAST = 2
    CACHE_MODE_PERSISTENT = 4


class CacheRwMode(IntEnum):
    """What an L2 hint applies to."""

    READ = 1
    WRITE = 2
    RW = 3


class MemDsbT(IntEnum):
    """Scope of data_sync_barrier."""

    ALL = 0
    DDR = 1
    UB = 2
    SEQ = 3


class CacheLine(IntEnum):
    """Scope of data_cache_clean_and_invalid."""

    SINGLE_CACHE_LINE = 0
    ENTIRE_DATA_CACHE = 1


class DcciDst(IntEnum):
    """Destination of data_cache_clean_and_invalid."""

    CACHELINE_ALL = 0
    CACHELINE_UB = 1
    CACHELINE_OUT = 2
    CACHELINE_ATOMIC = 3


class GatherMaskMode(IntEnum):
    """Modes of gather_mask."""

    DEFAULT = 0
