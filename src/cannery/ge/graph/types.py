"""``ge.graph.types``: the enumerations, with GE's numbers."""

from __future__ import annotations

from enum import IntEnum

from cannery.core import DataType, Format

__all__ = ["AttrValueType", "DataType", "DumpFormat", "Format", "Placement"]


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


_LIST = 1000


class AttrValueType(IntEnum):
    """Kinds of values of attributes. Source: hicann/ge `api/python/ge/ge/graph/types.py` @ffdcbc9f."""

    VT_NONE = 0
    VT_STRING = 1
    VT_FLOAT = 2
    VT_BOOL = 3
    VT_INT = 4
    VT_TENSOR_DESC = 5
    VT_TENSOR = 6
    VT_BYTES = 7
    VT_GRAPH = 8
    VT_NAMED_ATTRS = 9
    VT_LIST_LIST_INT = 10
    VT_DATA_TYPE = 11
    VT_LIST_LIST_FLOAT = 12
    VT_LIST_BASE = _LIST
    VT_LIST_STRING = _LIST + VT_STRING
    VT_LIST_FLOAT = _LIST + VT_FLOAT
    VT_LIST_BOOL = _LIST + VT_BOOL
    VT_LIST_INT = _LIST + VT_INT
    VT_LIST_TENSOR_DESC = _LIST + VT_TENSOR_DESC
    VT_LIST_TENSOR = _LIST + VT_TENSOR
    VT_LIST_BYTES = _LIST + VT_BYTES
    VT_LIST_GRAPH = _LIST + VT_GRAPH
    VT_LIST_NAMED_ATTRS = _LIST + VT_NAMED_ATTRS
    VT_LIST_DATA_TYPE = _LIST + VT_DATA_TYPE
