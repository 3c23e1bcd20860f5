"""``ge.graph.types``: the enumerations, with GE's numbers."""

from __future__ import annotations

from enum import IntEnum

from cannery.core import DataType, Format

__all__ = ["DataType", "DumpFormat", "Format", "Placement"]


class Placement(IntEnum):
    """Where a tensor's data lies. Source: hicann/metadef `inc/external/graph/types.h` @786891c0."""

    PLACEMENT_HOST = 0
    PLACEMENT_DEVICE = 1
    HOST = 0
    DEVICE = 1


class DumpFormat(IntEnum):
    """How ``Graph.dump_to_file`` writes. The first three are GE's; DOT and SVG are pictures, an addition of ours."""

    kOnnx = 0
    kTxt = 1
    kReadable = 2
    ONNX = 0
    TXT = 1
    READABLE = 2
    DOT = 100
    SVG = 101
